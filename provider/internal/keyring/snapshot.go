package keyring

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v3"
)

// snapshot is the immutable content of a [KeySet] at one moment, in order of generation.
type snapshot struct {
	published []*key // never empty
	former    []*key // only verify
	jwks      []byte
}

func newSnapshot(published, former []*key) (*snapshot, error) {
	var public jose.JSONWebKeySet
	for _, k := range published {
		public.Keys = append(public.Keys, jose.JSONWebKey{
			Key:       k.public,
			KeyID:     k.id,
			Algorithm: string(jose.RS256),
			Use:       "sig",
		})
	}
	jwks, err := json.Marshal(public)
	if err != nil {
		return nil, fmt.Errorf("encode key set: %w", err)
	}
	return &snapshot{published: published, former: former, jwks: jwks}, nil
}

func (s *snapshot) newest() *key { return s.published[len(s.published)-1] }

// signing returns the key that signs at a moment. If a clock is behind that of the process
// that made the first key, none is in use yet: then it is the first.
func (s *snapshot) signing(now time.Time) *key {
	for i := len(s.published) - 1; i > 0; i-- {
		if !s.published[i].useFrom.After(now) {
			return s.published[i]
		}
	}
	return s.published[0]
}

// byID returns the key with this identifier, or nil. The snapshot may be nil.
func (s *snapshot) byID(id string) *key {
	if s == nil {
		return nil
	}
	return s.find(func(k *key) bool { return k.id == id })
}

// byHeader returns the key whose header for a type the token starts with, or nil.
func (s *snapshot) byHeader(typ, token string) *key {
	return s.find(func(k *key) bool { return strings.HasPrefix(token, k.headerAs(typ)) })
}

// find returns the first key that matches, or nil. Published keys come first.
func (s *snapshot) find(matches func(*key) bool) *key {
	for _, keys := range [][]*key{s.published, s.former} {
		if i := slices.IndexFunc(keys, matches); i >= 0 {
			return keys[i]
		}
	}
	return nil
}
