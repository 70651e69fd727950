// Package clientkeys is the public keys of applications: those of a registration, and
// those that an application publishes at an address of its own; and the signatures that
// are made with them, of assertions and request objects (RFC 7515, RFC 7517, RFC 8725).
package clientkeys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v3"
	"github.com/go-jose/go-jose/v3/json"
)

const (
	// MaxRegistered is how many bytes a key set in a registration may have: it is read
	// with every request.
	MaxRegistered = 16 << 10

	// maxKeys bounds how many signatures are tried for a token that names no key.
	maxKeys = 10

	// Sizes of RSA keys: below, they can be broken; above, who registers one would have
	// us compute for long.
	minRSA, maxRSA = 2048, 8192
)

// Set is public keys of an application.
type Set struct{ keys []jose.JSONWebKey }

// members are all that is read of a key. Certificates (x5c) and addresses (x5u) are
// believed by nobody.
var members = []string{"kty", "kid", "use", "alg", "crv", "n", "e", "x", "y"}

// secret are the members of a key that is not public (RFC 7518 section 6).
var secret = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// errSecret says that a key set holds more than public keys: they are known to others
// by now.
var errSecret = errors.New("holds a private or symmetric key; only public keys belong there, and this one needs a successor")

// Registered returns a key set as it is registered: without what is never read. The error
// says what cannot be accepted, in words that follow the name of the field.
func Registered(set []byte) ([]byte, error) {
	if len(set) > MaxRegistered {
		return nil, fmt.Errorf("is longer than %d bytes", MaxRegistered)
	}
	keys, err := split(set)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		if _, err := publicKey(key); err != nil {
			return nil, fmt.Errorf("keys[%d]: %w", i, err)
		}
	}
	return json.Marshal(map[string]any{"keys": keys})
}

// Parse returns the keys of a set that has been fetched. A key of a kind that is not
// supported is left out (RFC 7517 section 5); a set with a private key is refused.
func Parse(set []byte) (*Set, error) {
	keys, err := split(set)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	for _, key := range keys {
		if public, err := publicKey(key); err == nil {
			s.keys = append(s.keys, public)
		}
	}
	if len(s.keys) == 0 {
		return nil, errors.New("has no key that can be used")
	}
	return s, nil
}

// split returns the members of each key that are read.
func split(set []byte) ([]map[string]string, error) {
	var sent struct {
		Keys []map[string]json.RawMessage `json:"keys"`
	}
	// A string in place of the object would be read as none.
	if !bytes.HasPrefix(bytes.TrimSpace(set), []byte("{")) || json.Unmarshal(set, &sent) != nil {
		return nil, errors.New("is not a JSON Web Key Set")
	}
	if len(sent.Keys) == 0 || len(sent.Keys) > maxKeys {
		return nil, fmt.Errorf("must have 1 to %d keys", maxKeys)
	}
	keys := make([]map[string]string, len(sent.Keys))
	for i, key := range sent.Keys {
		for _, name := range secret {
			if _, has := key[name]; has {
				return nil, errSecret
			}
		}
		keys[i] = map[string]string{}
		for _, name := range members {
			var value string
			if raw, has := key[name]; has && json.Unmarshal(raw, &value) == nil {
				keys[i][name] = value
			}
		}
	}
	return keys, nil
}

// publicKey returns a key that may verify signatures.
func publicKey(members map[string]string) (public jose.JSONWebKey, err error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return public, err
	}
	if err := json.Unmarshal(raw, &public); err != nil {
		return public, errors.New("is not a key of the type RSA, EC or OKP")
	}
	switch key := public.Key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSA || bits > maxRSA || key.E < 3 || key.E%2 == 0 {
			return public, fmt.Errorf("is an RSA key of %d bits, not of %d to %d", bits, minRSA, maxRSA)
		}
	case *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		return public, errors.New("is of an unknown type")
	}
	if public.Use != "" && public.Use != "sig" {
		return public, errors.New("is not for signatures: its use is not sig")
	}
	if public.Algorithm != "" && !fits(public.Key, public.Algorithm) {
		return public, errors.New("has an alg that does not belong to its type")
	}
	return public, nil
}
