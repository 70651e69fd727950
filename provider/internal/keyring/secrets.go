package keyring

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// MinSecretSize is the minimum length of a secret in bytes: random ones then have the
// strength of AES-256.
const MinSecretSize = 32

// Secrets encrypts and authenticates under keys derived from the host's secrets. It is safe
// for concurrent use. Formatted or logged, it shows nothing.
type Secrets struct {
	// masters has one entry for each secret, the current one first.
	masters []*master

	// macs are the authentication keys by purpose. The map is replaced, never changed, so
	// that readers need no lock.
	macs   atomic.Pointer[map[string][]*macKey]
	adding sync.Mutex
}

// master is the derived keys of one secret.
type master struct {
	// id names the secret in sealed values. It is derived, and reveals nothing about the
	// secret.
	id   [4]byte
	prk  []byte
	aead cipher.AEAD // seals
	gcm  cipher.AEAD // opens what earlier versions of this module sealed
}

// NewSecrets derives keys from the current secret and the former ones. It does not keep the
// slices. A secret that is shorter than [MinSecretSize] or plainly not random is an error,
// which says which and why, and never shows the value.
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

// Format writes a placeholder for every verb, so that no log line and no error can show key
// material.
func (s *Secrets) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "keyring.Secrets") }

// minSteps is the minimum number of different steps from one byte of a secret to the next.
// Zeros, counting, an alphabet, a repeated word and a handful of letters have fewer. Of 128
// random bits in 32 hexadecimal digits, one in 10^8 has fewer; of longer and denser
// spellings, none.
const minSteps = 10

// checkSecret returns why a secret is plainly not random, in words that follow "secret". It
// finds values left from development, not phrases: no check distinguishes a long phrase
// from random text, and a list of known placeholders is never complete.
func checkSecret(secret []byte) error {
	if len(secret) < MinSecretSize {
		return fmt.Errorf("has %d bytes: at least %d random bytes are needed", len(secret), MinSecretSize)
	}
	steps := make(map[byte]bool)
	for i, b := range secret[1:] {
		steps[b-secret[i]] = true
	}
	if len(steps) < minSteps {
		return errors.New("repeats itself or counts: random bytes are needed")
	}
	return nil
}

// newMaster extracts a pseudorandom key from the secret, and expands it to the keys that
// every secret needs.
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
	if err := m.newAEADs(); err != nil {
		return nil, err
	}
	return m, nil
}

// derive returns a key for one use. The label names the use; no two uses share one.
func (m *master) derive(label string, size int) ([]byte, error) {
	return hkdf.Expand(sha256.New, m.prk, "bonafide v1 "+label, size)
}
