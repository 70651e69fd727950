package keyring

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v3"
)

// snapshot is the immutable content of a [KeySet] at one moment.
type snapshot struct {
	chains map[string]chain // by algorithm

	// headers are the headers, with the dot after them, of all tokens that verify.
	headers map[string]header

	// last is the latest generation of all rows.
	last int64
	jwks []byte
}

// chain is the keys of one algorithm, in order of generation. It does not sign if the
// algorithm is switched off.
type chain struct {
	published []*key
	former    []*key // only verify
	signs     bool
}

// header is what a header says: whose tokens of which type have it.
type header struct {
	key *key
	typ string
}

func newSnapshot(chains map[string]chain, last int64) (*snapshot, error) {
	s := &snapshot{chains: chains, last: last, headers: map[string]header{}}
	public := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, alg := range Algorithms() {
		for _, k := range chains[alg].published {
			public.Keys = append(public.Keys, jose.JSONWebKey{Key: k.public, KeyID: k.id, Algorithm: alg, Use: "sig"})
		}
		for _, k := range slices.Concat(chains[alg].former, chains[alg].published) {
			for typ, text := range k.headers {
				s.headers[text] = header{k, typ}
			}
		}
	}
	var err error
	if s.jwks, err = json.Marshal(public); err != nil {
		return nil, fmt.Errorf("encode key set: %w", err)
	}
	return s, nil
}

// newest returns the latest key of the chain, or nil.
func (c chain) newest() *key {
	if len(c.published) == 0 {
		return nil
	}
	return c.published[len(c.published)-1]
}

// signing returns the key that signs at a moment; nil for a chain that does not sign. If a
// clock is behind that of the process that made the first key, none is in use yet: then it is
// the first.
func (c chain) signing(now time.Time) *key {
	if !c.signs || len(c.published) == 0 {
		return nil
	}
	for i := len(c.published) - 1; i > 0; i-- {
		if !c.published[i].useFrom.After(now) {
			return c.published[i]
		}
	}
	return c.published[0]
}

// byID returns the key of an algorithm with this identifier, or nil. The snapshot may be nil.
func (s *snapshot) byID(alg, id string) *key {
	if s == nil {
		return nil
	}
	c := s.chains[alg]
	for _, keys := range [][]*key{c.published, c.former} {
		if i := slices.IndexFunc(keys, func(k *key) bool { return k.id == id }); i >= 0 {
			return keys[i]
		}
	}
	return nil
}

// byHeader returns the key whose tokens of a type have this header, with the dot after it, or
// nil.
func (s *snapshot) byHeader(typ, text string) *key {
	if found := s.headers[text]; found.typ == typ {
		return found.key
	}
	return nil
}
