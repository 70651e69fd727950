package keyring

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Turn is a key with its turn to sign. The times are zero for a key of the host.
type Turn struct {
	Alg, ID                string
	CreatedAt, From, Until time.Time

	// Signs marks the key that signs now with its algorithm.
	Signs bool

	// PublishedUntil is when the key leaves the key set.
	PublishedUntil time.Time
}

// Turns reads the keys, and returns those that are published, by algorithm and in their order.
// The last one of an algorithm signs until the next is made, which Until foretells.
func (s *KeySet) Turns(ctx context.Context) (turns []Turn, err error) {
	if s.store == nil {
		for _, alg := range Algorithms() {
			for _, k := range s.chain(alg).published {
				turns = append(turns, Turn{Alg: alg, ID: k.id, Signs: k.id == s.KeyID(alg)})
			}
		}
		return turns, nil
	}
	stored, err := s.store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("read signing keys: %w", err)
	}
	rows, now := s.byAlgorithm(stored), s.options.Clock()
	for _, alg := range Algorithms() {
		if len(rows[alg]) > 0 {
			turns = append(turns, s.turnsOf(rows[alg], now)...)
		}
	}
	return turns, nil
}

// turnsOf returns the turns of the published keys of one algorithm.
func (s *KeySet) turnsOf(rows []storage.Key, now time.Time) []Turn {
	_, published := s.standing(rows, now)
	turns, off := make([]Turn, len(published)), s.isOff(algorithmOf(rows[0].Alg))
	signing := 0
	for i, k := range published {
		t := Turn{Alg: algorithmOf(k.Alg), ID: k.ID, CreatedAt: k.CreatedAt, From: k.UseFrom, Until: k.UseFrom.Add(s.options.RotateEvery)}
		switch {
		case i+1 < len(published):
			t.Until = published[i+1].UseFrom
		case off:
			t.Until = s.offSince(k)
		}
		t.PublishedUntil = t.Until.Add(s.options.KeepFor)
		if turns[i] = t; !k.UseFrom.After(now) {
			signing = i
		}
	}
	if len(turns) > 0 {
		turns[signing].Signs = !off
	}
	return turns
}
