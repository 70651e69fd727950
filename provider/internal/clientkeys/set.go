// Package clientkeys has the public keys of applications, in a registration or at an address of
// the application, and verifies the signatures of assertions and request objects with them
// (RFC 7515, RFC 7517, RFC 8725).
package clientkeys

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v3"
	"github.com/go-jose/go-jose/v3/json"
)

const (
	// MaxRegistered is the maximum size in bytes of a key set in a registration, which every
	// request reads.
	MaxRegistered = 16 << 10

	// MaxKeys is the maximum number of keys of an application, all of which are tried for a
	// token that names none.
	MaxKeys = 10

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
	sent, err := split(set, MaxKeys)
	if err != nil {
		return nil, err
	}
	keys := make([]map[string]string, len(sent))
	for i, raw := range sent {
		if keys[i], err = read(raw); err == nil {
			_, err = publicKey(keys[i])
		}
		if err != nil {
			return nil, fmt.Errorf("keys[%d]: %w", i, err)
		}
	}
	return json.Marshal(map[string]any{"keys": keys})
}

// Parse returns the keys of a set of at most so many. It passes over keys that cannot be read or
// used (RFC 7517 section 5), and refuses a set with a private key, which others know by now. The
// error names the problem in words that follow the name of the set, and repeats nothing of it.
func Parse(set []byte, most int) (*Set, error) {
	sent, err := split(set, most)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	var first error
	for i, raw := range sent {
		members, err := read(raw)
		if errors.Is(err, errSecret) {
			return nil, err
		}
		var public jose.JSONWebKey
		if err == nil {
			public, err = publicKey(members)
		}
		switch {
		case err == nil:
			s.keys = append(s.keys, public)
		case first == nil:
			first = fmt.Errorf("keys[%d]: %w", i, err)
		}
	}
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("has no key that can be used: %w", first)
	}
	return s, nil
}

// split returns the keys of a set, unread.
func split(set []byte, most int) ([]json.RawMessage, error) {
	var sent struct {
		Keys []json.RawMessage `json:"keys"`
	}
	// A string in place of the object would count as none.
	if !isObject(set) || json.Unmarshal(set, &sent) != nil {
		return nil, errors.New("is not a JSON Web Key Set")
	}
	if len(sent.Keys) == 0 || len(sent.Keys) > most {
		return nil, fmt.Errorf("must have 1 to %d keys", most)
	}
	return sent.Keys, nil
}

// read returns the members of a key that are read.
func read(raw []byte) (map[string]string, error) {
	var key map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &key) != nil {
		return nil, errors.New("is not a JSON object with each name once")
	}
	for _, name := range secret {
		if _, has := key[name]; has {
			return nil, errSecret
		}
	}
	read := map[string]string{}
	for _, name := range members {
		var value string
		if raw, has := key[name]; has && json.Unmarshal(raw, &value) == nil {
			read[name] = value
		}
	}
	return read, nil
}

// publicKey returns a key for verifying signatures.
func publicKey(members map[string]string) (public jose.JSONWebKey, err error) {
	if err := isWhole(members); err != nil {
		return public, err
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return public, err
	}
	if err := json.Unmarshal(raw, &public); err != nil {
		return public, errors.New("has numbers that are no key")
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

// sizes are the bytes of a coordinate by type and curve: none may be left out (RFC 7518 section
// 6.2.1.2), which some libraries do with those that are zero.
var sizes = map[string]map[string]int{
	"EC":  {"P-256": 32, "P-384": 48, "P-521": 66},
	"OKP": {"Ed25519": ed25519.PublicKeySize},
}

// isWhole says what of a key the library would refuse without saying why.
func isWhole(members map[string]string) error {
	kty, crv := members["kty"], members["crv"]
	if kty == "RSA" {
		return nil
	}
	curves, known := sizes[kty]
	if !known {
		return errors.New("is not a key of the type RSA, EC or OKP")
	}
	size, known := curves[crv]
	if !known {
		return errors.New("has a curve other than P-256, P-384, P-521 and Ed25519")
	}
	for _, name := range []string{"x", "y"} {
		if name == "y" && kty == "OKP" {
			continue
		}
		value, err := base64.RawURLEncoding.DecodeString(members[name])
		switch {
		case err != nil:
			return fmt.Errorf("%s is not base64url without padding", name)
		case len(value) != size:
			return fmt.Errorf("%s has %d bytes where %s needs %d", name, len(value), crv, size)
		}
	}
	return nil
}
