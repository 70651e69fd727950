// Package vault encrypts personal data, so that a database, a copy of it or a lost disk
// does not reveal anybody.
//
// It uses its own data key, not the secret of the provider: the key is kept encrypted in
// the database, and a change of the secret encrypts only that one value again.
package vault

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// KeySize is the size of a data key in bytes.
const KeySize = 32

// ErrOpen means that a value cannot be opened: it is not sealed, is damaged, belongs to
// another record, or was sealed under another data key.
var ErrOpen = errors.New("vault: cannot open sealed value")

// prefix is the beginning of a sealed value. It names the method, and cannot begin an
// e-mail address: those have no colon.
const prefix = "sealed1:"

const overhead = chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead

// Vault seals values, and identifies others by a keyed digest. It is safe for concurrent
// use. Formatting or logging it reveals nothing.
type Vault struct {
	aead   cipher.AEAD
	hashes sync.Pool
	derive func(purpose string) ([]byte, error)
}

// NewKey returns a random data key.
func NewKey() []byte {
	return random.Bytes(KeySize)
}

// New returns the vault of a data key, of which only what it derives is kept.
func New(key []byte) (*Vault, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("vault: the data key has %d bytes, want %d", len(key), KeySize)
	}
	sealing, err := hkdf.Key(sha256.New, key, nil, "bonafide v1 people seal", chacha20poly1305.KeySize)
	if err != nil {
		return nil, err
	}
	naming, err := hkdf.Key(sha256.New, key, nil, "bonafide v1 people digest", sha256.Size)
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(sealing)
	if err != nil {
		return nil, err
	}
	deriving, err := hkdf.Key(sha256.New, key, nil, "bonafide v1 derive", sha256.Size)
	if err != nil {
		return nil, err
	}
	return &Vault{
		aead: aead, hashes: sync.Pool{New: func() any { return hmac.New(sha256.New, naming) }},
		derive: func(purpose string) ([]byte, error) {
			return hkdf.Key(sha256.New, deriving, nil, "bonafide v1 "+purpose, sha256.Size)
		},
	}, nil
}

// Derive returns a key of 32 bytes for a purpose, always the same: a new secret of the provider
// changes it as little as what is sealed.
func (v *Vault) Derive(purpose string) ([]byte, error) { return v.derive(purpose) }

// Format writes a placeholder for every verb, so that no log line and no error can show
// key material.
func (v *Vault) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "vault.Vault") }

// Record is the record of a value. A value opens only in its own record, so that those of
// two people cannot be exchanged.
type Record struct{ Kind, ID, Field string }

// bind returns the additional data of a record. The parts are counted, so that no two
// records have one encoding.
func (r Record) bind() []byte {
	data := make([]byte, 0, 128)
	for _, part := range [...]string{r.Kind, r.ID, r.Field} {
		data = binary.AppendUvarint(data, uint64(len(part)))
		data = append(data, part...)
	}
	return data
}

// Seal encrypts a value with XChaCha20-Poly1305, for its record only. The result is
// printable ASCII without quotes and backslashes. It reveals the value's length.
func (v *Vault) Seal(of Record, plain []byte) string {
	sealed := make([]byte, chacha20poly1305.NonceSizeX, overhead+len(plain))
	random.Fill(sealed)
	sealed = v.aead.Seal(sealed, sealed, plain, of.bind())
	return prefix + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns the value that was sealed for a record, or [ErrOpen].
func (v *Vault) Open(of Record, sealed []byte) ([]byte, error) {
	if !IsSealed(string(sealed)) {
		return nil, ErrOpen
	}
	encoded := sealed[len(prefix):]
	raw := make([]byte, base64.RawURLEncoding.DecodedLen(len(encoded)))
	if _, err := base64.RawURLEncoding.Decode(raw, encoded); err != nil || len(raw) < overhead {
		return nil, ErrOpen
	}
	const start = chacha20poly1305.NonceSizeX
	plain, err := v.aead.Open(raw[start:start], raw[:start], raw[start:], of.bind())
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// IsSealed reports whether a text has the form of a sealed value.
func IsSealed(text string) bool { return strings.HasPrefix(text, prefix) }

// Digest identifies a value by an HMAC-SHA256 (RFC 2104): a holder of the key finds it
// again, and nobody else can test guesses.
func (v *Vault) Digest(value string) string {
	h := v.hashes.Get().(hash.Hash)
	defer v.hashes.Put(h)
	h.Reset()
	_, _ = io.WriteString(h, value)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
