package keyring

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v3"
)

// keySet is an immutable set of keys in order of generation; it is never empty.
type keySet struct {
	keys []*key
	jwks []byte
}

func newKeySet(keys []*key) (*keySet, error) {
	var published jose.JSONWebKeySet
	for _, k := range keys {
		published.Keys = append(published.Keys, jose.JSONWebKey{
			Key:       k.public,
			KeyID:     k.id,
			Algorithm: string(jose.RS256),
			Use:       "sig",
		})
	}
	jwks, err := json.Marshal(published)
	if err != nil {
		return nil, fmt.Errorf("encode key set: %w", err)
	}
	return &keySet{keys: keys, jwks: jwks}, nil
}

func (s *keySet) newest() *key { return s.keys[len(s.keys)-1] }

// signing returns the key that signs at a moment. A clock that is behind that of
// the process which made the first key sees none in use yet: then it is the first.
func (s *keySet) signing(now time.Time) *key {
	for i := len(s.keys) - 1; i > 0; i-- {
		if !s.keys[i].useFrom.After(now) {
			return s.keys[i]
		}
	}
	return s.keys[0]
}

// byID returns the key with this identifier, or nil. The set may be nil.
func (s *keySet) byID(id string) *key {
	if s == nil {
		return nil
	}
	for _, k := range s.keys {
		if k.id == id {
			return k
		}
	}
	return nil
}

// JWKS returns the key set (RFC 7517 section 5) as JSON: the public members of every
// key that signs, will sign next, or has signed what may still be valid. The bytes
// must not be changed. They stay available while the store is not.
func (r *Ring) JWKS() []byte { return r.current.Load().jwks }

// KeyID returns the identifier (RFC 7517 section 4.5) of the key whose turn it is to
// sign: its thumbprint (RFC 7638).
func (r *Ring) KeyID() string { return r.signing().id }

func (r *Ring) signing() *key { return r.current.Load().signing(r.options.Clock()) }
