// Package clientkeys has the public keys of applications, in a registration or at an address of
// the application, and verifies the signatures of assertions and request objects with them
// (RFC 7515, RFC 7517, RFC 8725).
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
	// MaxRegistered is the maximum size in bytes of a key set in a registration, which every
	// request reads.
	MaxRegistered = 16 << 10

	// maxKeys is the maximum number of keys that are tried for a token that names none.
	maxKeys = 10

	// Sizes of RSA keys: smaller ones can be broken, larger ones take long to verify.
	minRSA, maxRSA = 2048, 8192
)

// Set is a set of public keys of an application.
type Set struct{ keys []jose.JSONWebKey }

// members are the members of a key that are read. Certificates (x5c) and addresses (x5u) are
// ignored.
var members = []string{"kty", "kid", "use", "alg", "crv", "n", "e", "x", "y"}

// secret are the members of a private key (RFC 7518 section 6).
var secret = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// errSecret means that a key set has private keys, which others know by now.
var errSecret = errors.New("holds a private or symmetric key; only public keys belong there, and this one needs a successor")

// Registered returns a key set as it is registered, without members that are never read. The
// error names the problem in words that follow the name of the field.
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

// Parse returns the keys of a fetched set. It drops keys of unsupported kinds (RFC 7517 section
// 5) and refuses a set with a private key.
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
	// A string in place of the object would count as none.
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

// publicKey returns a key for verifying signatures.
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
