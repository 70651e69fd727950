package provider

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/vault"
)

// Seal encrypts what a companion keeps about people in the provider's database, as the
// provider does its own personal data. It opens only for the same kind and name of a
// record. In contrast to Keys.Seal it does not depend on Config.Secret, which may change
// while the record is kept: its key is in the database, encrypted.
func (p People) Seal(kind, name string, plain []byte) []byte {
	return []byte(p.vault.Seal(companionRecord(kind, name), plain))
}

// Open decrypts what Seal has encrypted for this kind and name of a record. Otherwise it
// returns ErrSealed.
func (p People) Open(kind, name string, sealed []byte) ([]byte, error) {
	plain, err := p.vault.Open(companionRecord(kind, name), sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return plain, nil
}

// Digest returns a keyed digest of parts, by which a companion finds a record again without
// keeping them: nobody without the database and Config.Secret can test guesses. Like Seal
// it stays the same when the secret changes.
func (p People) Digest(kind string, parts ...string) [32]byte {
	var b strings.Builder
	b.WriteString("companion\x00") // no e-mail address, whose digests have the same key, has this character
	for _, part := range append([]string{kind}, parts...) {
		b.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	return sha256.Sum256([]byte(p.vault.Digest(b.String())))
}

// SealReason encrypts the reason of a status for a companion that writes the status to the
// store itself.
func (p People) SealReason(userID, group, reason string) string {
	return p.vault.SealReason(userID, group, reason)
}

// companionRecord keeps the records of companions apart from the provider's.
func companionRecord(kind, name string) vault.Record {
	return vault.Record{Kind: "companion", ID: kind, Field: name}
}
