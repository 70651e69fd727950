package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// ErrOpen means that an encrypted value does not open: it is damaged, or encrypted for
// another purpose or under an unknown secret. The error does not say which, because that
// would help to forge one.
var ErrOpen = errors.New("keyring: cannot open sealed value")

// A sealed value is a version, the identifier of the secret, a random nonce, the ciphertext
// and its tag. The version names the cipher.
const (
	// sealGCM is AES-256-GCM with a nonce of 96 bits; it still opens. Random nonces of
	// that size bear 2^32 values under one key (NIST SP 800-38D section 8.3). A busy
	// provider makes as many in some months: each page of a sign-in seals one.
	sealGCM = 1

	// sealXChaCha is XChaCha20-Poly1305 with a nonce of 192 bits, which bears any
	// number.
	sealXChaCha = 2

	sealHeaderSize = 1 + len(master{}.id)
	sealOverhead   = sealHeaderSize + chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead
)

// newAEADs makes a cipher for each version, each under a key of its own.
func (m *master) newAEADs() error {
	key, err := m.derive("seal", 32)
	if err != nil {
		return err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	if m.gcm, err = cipher.NewGCMWithRandomNonce(block); err != nil {
		return err
	}
	if key, err = m.derive("seal XChaCha20-Poly1305", chacha20poly1305.KeySize); err != nil {
		return err
	}
	m.aead, err = chacha20poly1305.NewX(key)
	return err
}

// header returns the first bytes of a sealed value.
func (m *master) header(version byte) [sealHeaderSize]byte {
	h := [sealHeaderSize]byte{version}
	copy(h[1:], m.id[:])
	return h
}

// Seal encrypts a value with XChaCha20-Poly1305 under the current secret. It opens for the
// same purpose only. A purpose may name the record of the value ("client secret of c42"),
// so that values cannot move between records. The result is 45 bytes longer than the value.
func (s *Secrets) Seal(purpose string, plain []byte) []byte {
	current := s.masters[0]
	header := current.header(sealXChaCha)
	const start = sealHeaderSize + chacha20poly1305.NonceSizeX
	sealed := make([]byte, start, sealOverhead+len(plain))
	copy(sealed, header[:])
	nonce := sealed[sealHeaderSize:start]
	random.Fill(nonce)
	return current.aead.Seal(sealed, nonce, plain, additionalData(header, purpose))
}

// Open returns the value that was sealed for this purpose under the current secret or a
// former one, or [ErrOpen].
func (s *Secrets) Open(purpose string, sealed []byte) ([]byte, error) {
	if len(sealed) < sealHeaderSize {
		return nil, ErrOpen
	}
	header := [sealHeaderSize]byte(sealed)
	for _, m := range s.masters {
		if m.header(header[0]) != header {
			continue
		}
		if plain, err := m.open(sealed, additionalData(header, purpose)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrOpen
}

func (m *master) open(sealed, additional []byte) ([]byte, error) {
	switch body := sealed[sealHeaderSize:]; {
	case sealed[0] == sealXChaCha && len(sealed) >= sealOverhead:
		const size = chacha20poly1305.NonceSizeX
		return m.aead.Open(nil, body[:size], body[size:], additional)
	case sealed[0] == sealGCM && len(body) >= m.gcm.Overhead():
		return m.gcm.Open(nil, nil, body, additional)
	}
	return nil, ErrOpen
}

// SealString is [Secrets.Seal] with a result for addresses, form fields and cookies.
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

// SealedBy returns the secret that a sealed value names: 0 for the current one, 1 for the
// first former one and so on, and -1 for an unknown one.
func (s *Secrets) SealedBy(sealed []byte) int {
	if len(sealed) < sealHeaderSize {
		return -1
	}
	id := [len(master{}.id)]byte(sealed[1:])
	return slices.IndexFunc(s.masters, func(m *master) bool { return m.id == id })
}

// Reseal encrypts under the current secret a value that a former one has sealed for a
// purpose. It returns the same bytes, and false, if the current one has sealed it;
// [ErrOpen] if it does not open.
func (s *Secrets) Reseal(purpose string, sealed []byte) (anew []byte, changed bool, err error) {
	if s.SealedBy(sealed) == 0 {
		return sealed, false, nil
	}
	plain, err := s.Open(purpose, sealed)
	if err != nil {
		return sealed, false, err
	}
	return s.Seal(purpose, plain), true, nil
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
