package credential

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// digests is how many digests a credential has: those of its disclosures, and decoys for the rest,
// so that their number says nothing about the holder (RFC 9901 section 4.2.5).
const digests = 6

// saltSize is the size of a salt and the size of a decoy's origin, in bytes (section 9.3).
const saltSize = 16

// disclosable is a claim that the holder of a credential can disclose.
type disclosable struct {
	name  string
	value any
}

// disclosure returns a claim as its holder discloses it (section 4.2.1).
func (d disclosable) disclosure() (string, error) {
	raw, err := json.Marshal([]any{random.Text(saltSize), d.name, d.value})
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// digestOf returns the digest by which a payload has a disclosure: of the text, not of what it encodes
// (section 4.2.3).
func digestOf(disclosure string) string {
	sum := sha256.Sum256([]byte(disclosure))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// conceal adds the digests of claims to those that everybody sees, and returns the payload with the
// disclosures. The digests are in an order that does not tell which are decoys.
func conceal(seen map[string]any, hidden []disclosable) (payload []byte, disclosures []string, err error) {
	sd := make([]string, 0, digests)
	for _, d := range hidden {
		disclosure, err := d.disclosure()
		if err != nil {
			return nil, nil, err
		}
		disclosures, sd = append(disclosures, disclosure), append(sd, digestOf(disclosure))
	}
	for len(sd) < digests {
		sd = append(sd, digestOf(random.Text(saltSize)))
	}
	slices.Sort(sd)
	seen["_sd"], seen["_sd_alg"] = sd, "sha-256"
	payload, err = json.Marshal(seen)
	return payload, disclosures, err
}

// compact returns a signed payload with its disclosures (section 4).
func compact(signed string, disclosures []string) string {
	return strings.Join(append([]string{signed}, disclosures...), "~") + "~"
}
