package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrOpen says that a sealed value cannot be opened: it is damaged, sealed for
// another purpose, or under a secret that is not known. Which of these is not told,
// because the answer would help to forge one.
var ErrOpen = errors.New("keyring: cannot open sealed value")

// A sealed value is a version, the identifier of the secret, a random nonce, the
// ciphertext and its tag.
const (
	sealVersion    = 1
	sealHeaderSize = 1 + len(master{}.id)
	sealOverhead   = sealHeaderSize + 12 + 16
)

func (m *master) newAEAD() (cipher.AEAD, error) {
	key, err := m.derive("seal", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// header is what a sealed value starts with.
func (m *master) header() [sealHeaderSize]byte {
	h := [sealHeaderSize]byte{sealVersion}
	copy(h[1:], m.id[:])
	return h
}

// Seal encrypts a value with AES-256-GCM under the current secret, for one purpose:
// it opens for that purpose only. A purpose may name what the value belongs to
// ("client secret of c42"), so that values cannot be exchanged between records. The
// result is 33 bytes longer than the value.
func (s *Secrets) Seal(purpose string, plain []byte) []byte {
	current := s.masters[0]
	header := current.header()
	sealed := make([]byte, sealHeaderSize, sealOverhead+len(plain))
	copy(sealed, header[:])
	return current.aead.Seal(sealed, nil, plain, additionalData(header, purpose))
}

// Open returns the value that was sealed for this purpose under the current secret
// or one before it, or [ErrOpen].
func (s *Secrets) Open(purpose string, sealed []byte) ([]byte, error) {
	if len(sealed) < sealOverhead {
		return nil, ErrOpen
	}
	header := [sealHeaderSize]byte(sealed)
	for _, m := range s.masters {
		if m.header() != header {
			continue
		}
		plain, err := m.aead.Open(nil, nil, sealed[sealHeaderSize:], additionalData(header, purpose))
		if err == nil {
			return plain, nil
		}
	}
	return nil, ErrOpen
}

// SealString is [Secrets.Seal] with a result that is safe in an address, a form
// field or a cookie.
func (s *Secrets) SealString(purpose string, plain []byte) string {
	return base64.RawURLEncoding.EncodeToString(s.Seal(purpose, plain))
}

// OpenString opens what [Secrets.SealString] returned, or returns [ErrOpen].
func (s *Secrets) OpenString(purpose, sealed string) ([]byte, error) {
	raw, err := decodeBase64(sealed)
	if err != nil {
		return nil, ErrOpen
	}
	return s.Open(purpose, raw)
}

// sealedByCurrent reports whether a sealed value names the current secret.
func (s *Secrets) sealedByCurrent(sealed []byte) bool {
	header := s.masters[0].header()
	return strings.HasPrefix(string(sealed), string(header[:]))
}

func additionalData(header [sealHeaderSize]byte, purpose string) []byte {
	return append(header[:], purpose...)
}

// decodeBase64 accepts exactly one spelling of each value: the decoder of the
// standard library skips line breaks, and unless strict ignores trailing bits.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return base64.RawURLEncoding.Strict().DecodeString(s)
}
