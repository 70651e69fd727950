package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// refreshEvery is how soon a key that another process has made or removed is known here, as
// cache.Age is for all else; refreshWait is how long that may delay a request.
const (
	refreshEvery = time.Second
	refreshWait  = 250 * time.Millisecond
)

// successors is the number of later keys that must have been in use for VerifyFor before a
// row is removed, because a process with a wrong clock may misjudge some.
const successors = 8

// Refresh reloads the keys from the store if the last reload is a second old: a key that
// another process has removed must not sign here. Call it before a request uses the set. If
// the store does not answer, the set keeps its keys. On a static set it does nothing.
func (s *KeySet) Refresh(ctx context.Context) {
	if s.store == nil {
		return
	}
	now := s.options.Clock().UnixNano()
	if s.isFresh(now) || !s.updating.TryLock() {
		return
	}
	defer s.updating.Unlock()
	s.loadedAt.Store(now) // also when it fails: not every request may wait for a store that hangs
	ctx, cancel := context.WithTimeout(ctx, refreshWait)
	defer cancel()
	_, _ = s.reload(ctx)
}

// IsFresh reports whether the keys are so recent that Refresh would do nothing.
func (s *KeySet) IsFresh() bool { return s.store == nil || s.isFresh(s.options.Clock().UnixNano()) }

func (s *KeySet) isFresh(now int64) bool {
	age := time.Duration(now - s.loadedAt.Load())
	return age >= 0 && age < refreshEvery
}

// reload replaces the current snapshot by the keys of the store that have not ended. It
// returns the first generation that any process still needs; zero if all are needed.
func (s *KeySet) reload(ctx context.Context) (needed int64, err error) {
	stored, err := s.store.Keys(ctx)
	if err != nil {
		return 0, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		return 0, errors.New("load signing keys: the store has lost them")
	}
	now := s.options.Clock()
	s.loadedAt.Store(now.UnixNano())
	loaded, err := s.open(stored, now)
	if err != nil {
		return 0, err
	}
	s.current.Store(loaded)
	if over := replaced(stored, now.Add(-s.options.VerifyFor), successors); over > 0 {
		needed = stored[over].Generation
	}
	return needed, nil
}

// open returns the snapshot of rows at a moment. It does not decrypt keys again that are in
// memory.
func (s *KeySet) open(stored []storage.Key, now time.Time) (*snapshot, error) {
	current := s.current.Load()
	firstPublished := replaced(stored, now.Add(-s.options.KeepFor), 1)
	firstFormer := replaced(stored, now.Add(-s.options.VerifyFor), 1)
	var published, former []*key
	for _, row := range stored[firstPublished:] {
		k, err := s.openSigning(current, row)
		if err != nil {
			return nil, err
		}
		published = append(published, k)
	}
	for _, row := range stored[firstFormer:firstPublished] {
		k, err := s.openFormer(current, row)
		if err != nil {
			return nil, err
		}
		former = append(former, k)
	}
	return newSnapshot(published, former)
}

// openSigning returns a key that signs or may sign.
func (s *KeySet) openSigning(current *snapshot, row storage.Key) (*key, error) {
	if k := current.byID(row.ID); k != nil && k.signer != nil && k.generation == row.Generation {
		updated := *k
		updated.outdated = s.secrets.SealedBy(row.Sealed) != 0 // another process may have resealed it
		return &updated, nil
	}
	return openKey(s.secrets, s.options, row)
}

// openFormer returns the public part of a key that has made its last signature.
func (s *KeySet) openFormer(current *snapshot, row storage.Key) (*key, error) {
	k := current.byID(row.ID)
	if k == nil || k.generation != row.Generation {
		private, err := unsealKey(s.secrets, row)
		if err != nil {
			return nil, err
		}
		k = &key{generation: row.Generation, id: row.ID, useFrom: row.UseFrom, public: &private.PublicKey, header: encodeHeader(row.ID, TypeJWT)}
	}
	public := *k
	public.signer = nil
	return &public, nil
}

// replaced returns the number of keys that so many later ones had replaced at this moment.
func replaced(stored []storage.Key, at time.Time, later int) int {
	for i := len(stored) - 1; i >= 0; i-- {
		if stored[i].UseFrom.After(at) {
			continue
		}
		if later--; later == 0 {
			return i
		}
	}
	return 0
}
