package trail

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/mod/sumdb/note"

	"github.com/bonafide-id/bonafide/storage"
)

// KeySize is the size in bytes of the keys that Derive gives.
const KeySize = 32

// Keys are the keys of one log.
type Keys struct {
	origin string
	mac    []byte
	seed   []byte

	// signer is made once it is needed: to start with Ed25519 takes a program a millisecond.
	signer func() (note.Signer, error)
}

// NewKeys returns the keys of the log of an issuer. derive returns a key for a purpose, always the
// same.
func NewKeys(issuer string, derive func(purpose string) ([]byte, error)) (*Keys, error) {
	mac, err := derive("trail digest")
	if err != nil {
		return nil, err
	}
	seed, err := derive("trail checkpoint")
	if err != nil {
		return nil, err
	}
	k := &Keys{origin: originOf(issuer), mac: mac, seed: seed}
	k.signer = sync.OnceValues(func() (note.Signer, error) {
		return note.NewSigner(fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", k.origin, keyID(k.origin, k.public()),
			base64.StdEncoding.EncodeToString(append([]byte{algorithm}, seed...))))
	})
	return k, nil
}

func (k *Keys) public() ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(k.seed).Public().(ed25519.PublicKey)
}

// Format writes a placeholder for every verb, so that nothing shows key material.
func (k *Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "trail.Keys") }

// Origin returns the name of the log, in its checkpoints.
func (k *Keys) Origin() string { return k.origin }

// VerifierKey returns the public key of checkpoints, as verifiers of signed notes take it.
func (k *Keys) VerifierKey() string { return k.verifierKey(k.origin) }

// verifierKey returns the public key for a log of this name: that of the log before its provider
// moved has another.
func (k *Keys) verifierKey(origin string) string {
	public := k.public()
	return fmt.Sprintf("%s+%08x+%s", origin, keyID(origin, public),
		base64.StdEncoding.EncodeToString(append([]byte{algorithm}, public...)))
}

// algorithm is Ed25519, as signed notes number it.
const algorithm = 1

// keyID returns the short name of a key (C2SP signed-note).
func keyID(name string, public ed25519.PublicKey) uint32 {
	h := sha256.New()
	_, _ = io.WriteString(h, name+"\n")
	_, _ = h.Write(append([]byte{algorithm}, public...))
	return binary.BigEndian.Uint32(h.Sum(nil))
}

// originOf returns the name of the log of an issuer: its address without the scheme, with what no
// name of a key may have replaced.
func originOf(issuer string) string {
	_, name, found := strings.Cut(issuer, "://")
	if !found {
		name = issuer
	}
	return strings.Map(func(r rune) rune {
		if r == '+' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, name) + "/trail"
}

// Erase returns the digests of a line's person and network, which stay when the person is deleted.
// It is a storage.Erase.
func (k *Keys) Erase(e storage.Event) storage.Erasure {
	return storage.Erasure{EventID: e.ID, Subject: k.digest(e.ID, "subject", e.Subject), Address: k.digest(e.ID, "network", e.Address)}
}

// digest returns the keyed digest of a part of one line, so that equal parts of two lines cannot be
// told to be equal.
func (k *Keys) digest(id int64, part, value string) []byte {
	h := hmac.New(sha256.New, k.mac)
	_, _ = h.Write(appendParts(nil, int64Bytes(id), []byte(part), []byte(value)))
	return h.Sum(nil)
}
