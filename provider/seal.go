package provider

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// ErrSealed says that a value does not open: it was sealed for another purpose, or
// under a secret that is not known any more, or it is damaged.
var ErrSealed = errors.New("provider: the sealed value does not open")

// Seal encrypts a value of the host's own under Config.Secret, to be kept beside the
// records of the provider: it opens for the same purpose only, which names the kind of
// record and may name the record. The result is 45 bytes longer than the value.
func (p Keys) Seal(purpose string, plain []byte) []byte {
	return p.secrets.Seal(hostPurpose(purpose), plain)
}

// Open returns a value that Seal has encrypted for this purpose under Config.Secret or one
// of Config.PreviousSecrets, or ErrSealed.
func (p Keys) Open(purpose string, sealed []byte) ([]byte, error) {
	plain, err := p.secrets.Open(hostPurpose(purpose), sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return plain, nil
}

// Pseudonym returns a name that stands for a value, such as a user's ID, for one purpose:
// always the same one, of 16 hexadecimal digits, from which nobody learns the value
// without Config.Secret. It is another under another secret.
func (p Keys) Pseudonym(purpose, value string) string {
	mac := p.secrets.MAC(hostPurpose(purpose), []byte(value))
	return hex.EncodeToString(mac[:8])
}

// hostPurpose keeps what a host seals apart from what the provider seals.
func hostPurpose(purpose string) string { return "host: " + purpose }
