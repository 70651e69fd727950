package keyring

import (
	"context"
	"fmt"
	"time"
)

// Turn is a key with its turn to sign. The times are zero for a key of the host.
type Turn struct {
	ID                     string
	CreatedAt, From, Until time.Time

	// PublishedUntil is when the key leaves the key set.
	PublishedUntil time.Time
}

// Turns reads the keys, and returns those that are published, in their order, with that which
// signs. The last one signs until the next is made, which Until foretells.
func (s *KeySet) Turns(ctx context.Context) (turns []Turn, signing string, err error) {
	if s.store == nil {
		for _, k := range s.current.Load().published {
			turns = append(turns, Turn{ID: k.id})
		}
		return turns, s.KeyID(), nil
	}
	stored, err := s.store.Keys(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("read signing keys: %w", err)
	}
	now := s.options.Clock()
	for i, k := range stored {
		t := Turn{ID: k.ID, CreatedAt: k.CreatedAt, From: k.UseFrom, Until: k.UseFrom.Add(s.options.RotateEvery)}
		if i+1 < len(stored) {
			t.Until = stored[i+1].UseFrom
		}
		if t.PublishedUntil = t.Until.Add(s.options.KeepFor); now.Before(t.PublishedUntil) || i == len(stored)-1 {
			turns = append(turns, t)
		}
		if signing == "" || !k.UseFrom.After(now) {
			signing = k.ID
		}
	}
	return turns, signing, nil
}
