package verification

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// referencesAtOnce are so few that each can be asked for before the lease of all is over.
const referencesAtOnce = 8

const sealedReference = "left reference"

// leave returns what other sides still have to delete of a case that goes with its person.
func (s *caseReviews) leave(c storage.Case, k content) (left []storage.LeftReference) {
	now := s.Clock()
	for _, ref := range k.Forget {
		if _, v, err := s.verifierOf(c, ref.Method); err != nil || v.Forget == nil {
			continue
		}
		id := random.UUID()
		sealed := s.Provider.Rooms().People.Seal(sealedReference, id, []byte(ref.Reference))
		left = append(left, storage.LeftReference{ID: id, Group: c.Group, Method: ref.Method, Sealed: sealed, LeftAt: now, NextAt: now})
	}
	return left
}

// forgetLeft has other sides delete what they keep about people who are gone. One that cannot is
// asked less and less often, and delays nobody.
func (s *caseReviews) forgetLeft(ctx context.Context) error {
	list := func(ctx context.Context, _ string, limit int) ([]storage.LeftReference, error) {
		return s.Store.DueReferences(ctx, s.Clock(), dueLease, limit)
	}
	_, err := batch.Over(ctx, nil, referencesAtOnce, list, func(r storage.LeftReference) string { return r.ID }, s.forgetReference)
	return err
}

func (s *caseReviews) forgetReference(ctx context.Context, r storage.LeftReference) error {
	reference, err := s.Provider.Rooms().People.Open(sealedReference, r.ID, r.Sealed)
	_, v, gone := s.verifierOf(storage.Case{Group: r.Group}, r.Method)
	if err == nil && gone == nil && v.Forget != nil {
		_, err = call(ctx, s.places(v), func(ctx context.Context) (struct{}, error) { return struct{}{}, v.Forget(ctx, string(reference)) })
	}
	if err == nil {
		return s.Store.SettleReference(ctx, r.ID, time.Time{})
	}
	now := s.Clock()
	postponed := s.Store.SettleReference(ctx, r.ID, now.Add(min(max(now.Sub(r.LeftAt)/8, dueLease), 6*time.Hour)))
	if postponed != nil {
		return postponed
	}
	return fmt.Errorf("method %q: forget a person who is gone: %w", r.Method, err)
}
