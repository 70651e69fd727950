package keyring

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// returns by algorithm the first generation that any process still needs; none where all are
// needed.
func (s *KeySet) reload(ctx context.Context) (needed map[string]int64, err error) {
	stored, err := s.store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("load signing keys: %w", err)
	}
	if len(stored) == 0 {
		return nil, errors.New("load signing keys: the store has lost them")
	}
	now := s.options.Clock()
	s.loadedAt.Store(now.UnixNano())
	rows := s.byAlgorithm(stored)
	chains, current := make(map[string]chain, len(rows)), s.current.Load()
	needed = map[string]int64{}
	for alg, rows := range rows {
		if chains[alg], err = s.open(current, alg, rows, now); err != nil {
			return nil, err
		}
		if over := replaced(rows, now.Add(-s.options.VerifyFor), successors); over > 0 {
			needed[alg] = rows[over].Generation
		}
	}
	loaded, err := newSnapshot(chains, stored[len(stored)-1].Generation)
	if err != nil {
		return nil, err
	}
	s.current.Store(loaded)
	return needed, nil
}

// byAlgorithm returns the rows of each chain. Those of an algorithm that only a later version
// of this module knows are left out, as are those of another purpose.
func (s *KeySet) byAlgorithm(stored []storage.Key) map[string][]storage.Key {
	rows := map[string][]storage.Key{}
	for _, row := range stored {
		if alg := algorithmOf(row.Alg); algorithms[alg] != nil && row.Alg == s.options.inStore(alg) {
			rows[alg] = append(rows[alg], row)
		}
	}
	return rows
}

// open returns the chain of rows at a moment. It does not decrypt keys again that are in
// memory.
func (s *KeySet) open(current *snapshot, alg string, rows []storage.Key, now time.Time) (chain, error) {
	c := chain{signs: !s.isOff(alg)}
	former, published := s.standing(rows, now)
	for _, row := range published {
		open := s.openSigning
		if !c.signs {
			open = s.openFormer
		}
		k, err := open(current, row)
		if err != nil {
			return c, err
		}
		c.published = append(c.published, k)
	}
	for _, row := range former {
		k, err := s.openFormer(current, row)
		if err != nil {
			return c, err
		}
		c.former = append(c.former, k)
	}
	return c, nil
}

// standing returns the rows of a chain that only verify, and those that are published, at a
// moment.
func (s *KeySet) standing(rows []storage.Key, now time.Time) (former, published []storage.Key) {
	from := func(keep time.Duration) int {
		if s.isOff(algorithmOf(rows[0].Alg)) && !now.Before(s.offSince(rows[len(rows)-1]).Add(keep)) {
			return len(rows)
		}
		return replaced(rows, now.Add(-keep), 1)
	}
	first := from(s.options.KeepFor)
	return rows[from(s.options.VerifyFor):first], rows[first:]
}

// isOff reports whether this set does not sign with an algorithm.
func (s *KeySet) isOff(alg string) bool { return !slices.Contains(s.options.Algorithms, alg) }

// offSince returns the latest moment at which the last key of an algorithm that is switched
// off can have signed: its turn has an end, and all processes are opened anew when the
// algorithms change.
func (s *KeySet) offSince(last storage.Key) time.Time {
	end := last.UseFrom.Add(s.options.RotateEvery)
	if s.openedAt.Before(end) {
		return s.openedAt
	}
	return end
}

// openSigning returns a key that signs or may sign.
func (s *KeySet) openSigning(current *snapshot, row storage.Key) (*key, error) {
	if k := current.byID(algorithmOf(row.Alg), row.ID); k != nil && k.signer != nil && k.generation == row.Generation {
		updated := *k
		updated.outdated = s.secrets.SealedBy(row.Sealed) != 0 // another process may have resealed it
		return &updated, nil
	}
	return openKey(s.secrets, s.options, row)
}

// openFormer returns the public part of a key that has made its last signature.
func (s *KeySet) openFormer(current *snapshot, row storage.Key) (*key, error) {
	k := current.byID(algorithmOf(row.Alg), row.ID)
	if k == nil || k.generation != row.Generation {
		private, err := unsealKey(s.secrets, row)
		if err != nil {
			return nil, err
		}
		if k, err = newPublic(algorithmOf(row.Alg), private.Public(), s.options.Types); err != nil {
			return nil, err
		}
		k.generation, k.useFrom = row.Generation, row.UseFrom
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
