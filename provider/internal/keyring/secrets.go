package keyring

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// MinSecretSize is the least number of bytes that a secret must have. Random bytes
// have the strength of AES-256 at this length.
const MinSecretSize = 32

// Secrets seals and authenticates under keys derived from the host's secrets. It is
// safe for concurrent use. Formatting or logging it shows nothing.
type Secrets struct {
	// masters has one entry for each secret, the current one first.
	masters []*master

	// macs holds the authentication keys by purpose. The map is replaced, never
	// changed, so that reading it takes no lock.
	macs   atomic.Pointer[map[string][]*macKey]
	adding sync.Mutex
}

// master is what is kept of one secret.
type master struct {
	// id names the secret in what it sealed. It is derived, and tells nothing
	// about the secret.
	id   [4]byte
	prk  []byte
	aead cipher.AEAD
}

// NewSecrets derives keys from the current secret and those before it. The slices
// are not kept. It is an error when one is shorter than [MinSecretSize] or plainly
// not random; the error says which and why, and never shows the value.
func NewSecrets(current []byte, previous ...[]byte) (*Secrets, error) {
	s := new(Secrets)
	s.macs.Store(&map[string][]*macKey{})
	for i, secret := range append([][]byte{current}, previous...) {
		if err := checkSecret(secret); err != nil {
			if i == 0 {
				return nil, fmt.Errorf("current secret %w", err)
			}
			return nil, fmt.Errorf("previous secret %d %w", i, err)
		}
		m, err := newMaster(secret)
		if err != nil {
			return nil, fmt.Errorf("derive keys: %w", err)
		}
		s.masters = append(s.masters, m)
	}
	return s, nil
}

// Format writes a placeholder for every verb, so that no log line and no error can
// show key material.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "keyring.Secrets") }

// placeholders are texts that people leave in a configuration. None is so short
// that a random secret written as text would contain it by chance.
var placeholders = []string{
	"secret", "password", "passphrase", "changeme", "change-me", "change_me",
	"change this", "replace", "example", "default", "insecure", "placeholder",
	"bonafide", "0123456789", "1234567890", "abcdefgh", "qwertyui", "deadbeef",
}

// checkSecret reports why a secret is plainly not random, in words that follow
// "secret".
func checkSecret(secret []byte) error {
	if len(secret) < MinSecretSize {
		return fmt.Errorf("has %d bytes: at least %d random bytes are needed", len(secret), MinSecretSize)
	}
	if bytes.Count(secret, []byte{0}) == len(secret) {
		return errors.New("is all zero: random bytes are needed")
	}
	if isRepetition(secret) {
		return errors.New("repeats a shorter value: random bytes are needed")
	}
	if isProgression(secret) {
		return errors.New("counts up or down: random bytes are needed")
	}
	if distinctBytes(secret) < 8 {
		return errors.New("has fewer than 8 different bytes: random bytes are needed")
	}
	lower := bytes.ToLower(secret)
	for _, text := range placeholders {
		if bytes.Contains(lower, []byte(text)) {
			return errors.New("looks like a placeholder or a phrase: random bytes are needed")
		}
	}
	return nil
}

func isRepetition(b []byte) bool {
	for period := 1; period <= len(b)/2; period++ {
		if bytes.Equal(b[period:], b[:len(b)-period]) {
			return true
		}
	}
	return false
}

func isProgression(b []byte) bool {
	step := b[1] - b[0]
	for i := 2; i < len(b); i++ {
		if b[i]-b[i-1] != step {
			return false
		}
	}
	return true
}

func distinctBytes(b []byte) int {
	var seen [256]bool
	n := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// newMaster extracts a pseudorandom key from all bytes of the secret, and expands
// it to what every secret needs.
func newMaster(secret []byte) (*master, error) {
	prk, err := hkdf.Extract(sha256.New, secret, nil)
	if err != nil {
		return nil, err
	}
	m := &master{prk: prk}
	id, err := m.derive("id", len(m.id))
	if err != nil {
		return nil, err
	}
	copy(m.id[:], id)
	m.aead, err = m.newAEAD()
	return m, err
}

// derive returns a key for one use. The label names the use; no two uses share one.
func (m *master) derive(label string, size int) ([]byte, error) {
	return hkdf.Expand(sha256.New, m.prk, "bonafide v1 "+label, size)
}
