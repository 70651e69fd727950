package provider

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// ErrSealed means that a value does not open: it was sealed for another purpose or under a
// secret that is no longer known, or it is damaged.
var ErrSealed = errors.New("provider: the sealed value does not open")

// Seal encrypts a value of the host's own under Config.Secret, to be stored beside the
// provider's records. It opens only for the same purpose, which names the kind of record
// and may name the record. The result is 45 bytes longer than the value.
func (p Keys) Seal(purpose string, plain []byte) []byte {
	return p.secrets.Seal(hostPurpose(purpose), plain)
}

// Open decrypts a value that was sealed for this purpose under Config.Secret or one of
// Config.PreviousSecrets. Otherwise it returns ErrSealed.
func (p Keys) Open(purpose string, sealed []byte) ([]byte, error) {
	plain, err := p.secrets.Open(hostPurpose(purpose), sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return plain, nil
}

// Pseudonym returns a stable pseudonym of a value, such as a user's ID, for one purpose: 16
// hexadecimal digits that do not reveal the value without Config.Secret. It changes with
// the secret.
func (p Keys) Pseudonym(purpose, value string) string {
	mac := p.secrets.MAC(hostPurpose(purpose), []byte(value))
	return hex.EncodeToString(mac[:8])
}

// hostPurpose keeps the host's purposes apart from the provider's.
func hostPurpose(purpose string) string { return "host: " + purpose }
