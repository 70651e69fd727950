package credential

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// nonceLife is how long a proof with a nonce is accepted.
const nonceLife = 5 * time.Minute

// nonces makes and recognizes the nonces of proofs (OpenID for Verifiable Credential Issuance 1.0
// section 7). Nothing is stored until one is used, and all processes with one secret agree.
type nonces struct {
	seal func(purpose string, plain []byte) []byte
	open func(purpose string, sealed []byte) ([]byte, error)

	// purpose names the issuer, so that no other one with the same secret accepts them.
	purpose string
}

func (n nonces) next(now time.Time) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(n.seal(n.purpose, append(plain, random.Bytes(saltSize)...)))
}

// read returns by which digest a nonce is used, and until when it is accepted; false if it is not
// accepted now.
func (n nonces) read(nonce string, now time.Time) (use [sha256.Size]byte, until time.Time, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(nonce)
	if err != nil {
		return use, until, false
	}
	plain, err := n.open(n.purpose, sealed)
	if err != nil || len(plain) != 8+saltSize {
		return use, until, false
	}
	made := time.UnixMicro(int64(binary.BigEndian.Uint64(plain)))
	until = made.Add(nonceLife)
	return sha256.Sum256(plain), until, now.Before(until) && now.After(made.Add(-nonceLife))
}

// serveNonce answers with a nonce for a proof.
func (s *Service) serveNonce(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"c_nonce": s.nonces.next(s.cfg.Clock())})
}
