// Package vault encrypts personal data, so that a database, a copy of it or a lost disk
// does not reveal anybody.
//
// It uses data keys of its own, not the secret of the provider: they are kept encrypted in the
// database, and a change of the secret encrypts only that one value again. The keys have numbers,
// and each value says which one opens it, so that a next one can take over while all are at work.
package vault

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// ErrOpen means that a value cannot be opened: it is not sealed, is damaged, belongs to
// another record, or was sealed under another data key.
var ErrOpen = errors.New("vault: cannot open sealed value")

// prefix is the beginning of a sealed value. It names the method, and cannot begin an
// e-mail address: those have no colon. The number of the data key and another colon follow.
const prefix = "sealed2:"

// A sealed value has the name of its record, a nonce and the ciphertext.
const (
	nameSize = 16
	nonceEnd = nameSize + chacha20poly1305.NonceSizeX
	overhead = nonceEnd + chacha20poly1305.Overhead
)

// Vault seals values, and identifies others by a keyed digest. It is safe for concurrent
// use. Formatting or logging it reveals nothing.
type Vault struct {
	// Rotated has one when this process has made a data key.
	Rotated chan struct{}

	options Options
	keys    atomic.Pointer[openedKeys]
	hashes  sync.Pool
	derive  func(purpose string) ([]byte, error)
}

// newVault returns the vault of some keys, of which only what it derives from the stable one is
// for ever.
func newVault(o Options, r keyRing) (*Vault, error) {
	naming, err := hkdf.Key(sha256.New, r.Stable, nil, "bonafide v1 people digest", sha256.Size)
	if err != nil {
		return nil, err
	}
	deriving, err := hkdf.Key(sha256.New, r.Stable, nil, "bonafide v1 derive", sha256.Size)
	if err != nil {
		return nil, err
	}
	v := &Vault{
		Rotated: make(chan struct{}, 1), options: o,
		hashes: sync.Pool{New: func() any { return hmac.New(sha256.New, naming) }},
		derive: func(purpose string) ([]byte, error) {
			return hkdf.Key(sha256.New, deriving, nil, "bonafide v1 "+purpose, sha256.Size)
		},
	}
	err = v.use(r)
	return v, err
}

// Derive returns a key of 32 bytes for a purpose, always the same: neither a new secret of the
// provider nor a new data key changes it.
func (v *Vault) Derive(purpose string) ([]byte, error) { return v.derive(purpose) }

// Format writes a placeholder for every verb, so that no log line and no error can show
// key material.
func (v *Vault) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "vault.Vault") }

// Record is the record of a value. A value opens only in its own record, so that those of
// two people cannot be exchanged.
type Record struct{ Kind, ID, Field string }

// name returns the digest by which a sealed value knows its record, so that it can be sealed under
// another key by who knows nothing of records. The parts are counted, so that no two records have
// one encoding.
func (r Record) name() (name [nameSize]byte) {
	var buffer [128]byte
	data := buffer[:0]
	for _, part := range [...]string{r.Kind, r.ID, r.Field} {
		data = binary.AppendUvarint(data, uint64(len(part)))
		data = append(data, part...)
	}
	digest := sha256.Sum256(data)
	copy(name[:], digest[:])
	return name
}

// Seal encrypts a value with XChaCha20-Poly1305 under the newest data key, for its record only.
// The result is printable ASCII without quotes and backslashes. It reveals the value's length.
func (v *Vault) Seal(of Record, plain []byte) string {
	return v.keys.Load().seal(of.name(), plain)
}

func (k *openedKeys) seal(name [nameSize]byte, plain []byte) string {
	sealed := make([]byte, nonceEnd, overhead+len(plain))
	copy(sealed, name[:])
	random.Fill(sealed[nameSize:])
	sealed = k.aeads[len(k.aeads)-1].Seal(sealed, sealed[nameSize:], plain, sealed[:nameSize])
	return k.prefix + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns the value that was sealed for a record, or [ErrOpen]. Where the keys cannot be read
// that may open it, it returns storage.ErrUnavailable instead.
func (v *Vault) Open(of Record, sealed []byte) ([]byte, error) {
	name, plain, err := v.open(sealed)
	if err == nil && name != of.name() {
		return nil, ErrOpen
	}
	return plain, err
}

// open returns a value, and the name of the record that it was sealed for.
func (v *Vault) open(sealed []byte) (name [nameSize]byte, plain []byte, err error) {
	number, raw, err := parse(sealed)
	if err != nil {
		return name, nil, err
	}
	key, err := v.key(number)
	if err != nil {
		return name, nil, err
	}
	copy(name[:], raw)
	plain, err = key.Open(raw[nonceEnd:nonceEnd], raw[nameSize:nonceEnd], raw[nonceEnd:], raw[:nameSize])
	if err != nil {
		return name, nil, ErrOpen
	}
	return name, plain, nil
}

// parse returns the number of the data key of a sealed value, and the rest of it.
func parse(sealed []byte) (number int, raw []byte, err error) {
	if !IsSealed(string(sealed)) {
		return 0, nil, ErrOpen
	}
	digits, encoded, _ := bytes.Cut(sealed[len(prefix):], []byte(":"))
	number, err = strconv.Atoi(string(digits))
	if err != nil || number < 1 {
		return 0, nil, ErrOpen
	}
	raw = make([]byte, base64.RawURLEncoding.DecodedLen(len(encoded)))
	if _, err := base64.RawURLEncoding.Decode(raw, encoded); err != nil || len(raw) < overhead {
		return 0, nil, ErrOpen
	}
	return number, raw, nil
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
