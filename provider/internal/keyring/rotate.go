package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// addAttempts is how often a write tries another generation after another process has added a
// key. Processes add one a day at most, or replace keys, too.
const addAttempts = 100

// Step runs the write that makes a difference to the keys of an algorithm, or of all for "", so
// that its caller records something with it.
type Step func(ctx context.Context, alg string, write func(context.Context) error) error

// RotateIfDue reloads the keys, adds the next one of each algorithm that is due, and removes
// unneeded ones from the store. It reports whether this call added a key. After an error the
// set keeps its keys. Call it every few minutes. On a static set it does nothing. A step runs
// each write that adds a key.
func (s *KeySet) RotateIfDue(ctx context.Context, in ...Step) (added bool, err error) {
	if s.store == nil {
		return false, nil
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	needed, err := s.reload(ctx)
	if err != nil {
		return false, err
	}
	for _, alg := range s.options.Algorithms {
		due := func(now time.Time) bool { return s.due(alg, now) }
		one, err := s.addIf(ctx, alg, due, in...)
		added = added || one
		if err != nil {
			return added, err
		}
	}
	for alg, generation := range needed {
		if err := s.removeBefore(ctx, alg, generation); err != nil {
			return added, err
		}
	}
	return added, nil
}

// Rotate adds the next key of each algorithm before it is due. It is published now and signs
// PublishAhead from now, as if it had been due. It does nothing for an algorithm of which a
// published key waits to sign, and reports false if none was added. A step runs each write
// that adds a key.
func (s *KeySet) Rotate(ctx context.Context, in ...Step) (added bool, err error) {
	if s.store == nil {
		return false, ErrStatic
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	if _, err := s.reload(ctx); err != nil {
		return false, err
	}
	for _, alg := range s.options.Algorithms {
		none := func(now time.Time) bool {
			last := s.lastTimely(alg, now)
			return last == nil || !last.useFrom.After(now)
		}
		one, err := s.addIf(ctx, alg, none, in...)
		added = added || one
		if err != nil {
			return added, err
		}
	}
	return added, nil
}

// Replace adds a key of each algorithm that signs at once, and removes all others: they neither
// sign nor verify, and are not published, here when it returns and in other processes at their
// next [KeySet.Refresh]. It is for a leaked key. After an error the leaked key may still be in
// use; call it again. A step runs the write that removes the others, of all algorithms at once,
// and of all purposes unless the set has one: who could read a key of tokens could read theirs.
func (s *KeySet) Replace(ctx context.Context, in ...Step) error {
	if s.store == nil {
		return ErrStatic
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	now, first := s.options.Clock(), int64(0)
	for _, alg := range s.options.Algorithms {
		next, err := s.generate(alg, 0, now, now)
		if err != nil {
			return err
		}
		if err := s.saveLast(ctx, &next); err != nil {
			return err
		}
		if first == 0 {
			first = next.Generation
		}
	}
	others := []string{""}
	if s.options.Purpose != "" {
		others = s.options.Algorithms
	}
	for _, alg := range others {
		if err := s.removeBefore(ctx, alg, first, in...); err != nil {
			return err
		}
	}
	_, err := s.reload(ctx)
	return err
}

// saveLast stores a key as the latest generation of all.
func (s *KeySet) saveLast(ctx context.Context, next *storage.Key) error {
	for range addAttempts {
		if _, err := s.reload(ctx); err != nil {
			return err
		}
		next.Generation = s.current.Load().last + 1
		if added, err := s.save(ctx, *next); added || err != nil {
			return err
		}
	}
	return errBusy
}

// errBusy is no fault of this process.
var errBusy = errors.New("add signing key: other processes add keys all the time")

// due reports whether a next key of an algorithm is needed, which signs PublishAhead from now.
// None is needed while a published key waits to sign: processes that disagree about the current
// secret would otherwise add keys without end.
func (s *KeySet) due(alg string, now time.Time) bool {
	last := s.lastTimely(alg, now)
	switch {
	case last == nil:
		return true
	case last.useFrom.After(now):
		return false
	case last == s.chain(alg).newest() && last.outdated:
		return true
	}
	end := last.useFrom.Add(s.options.RotateEvery)
	return !end.After(now.Add(s.options.PublishAhead))
}

// lastTimely returns the newest key of an algorithm that no process with a wrong clock has
// made, whose UseFrom is later than that of any key made now; nil if there is none. Keys of
// such a process must neither keep another in use for longer nor be its only successors: see
// the package comment.
func (s *KeySet) lastTimely(alg string, now time.Time) *key {
	keys := s.chain(alg).published
	for i := len(keys) - 1; i >= 0; i-- {
		if !clock.Ahead(now.Add(s.options.PublishAhead), keys[i].useFrom) {
			return keys[i]
		}
	}
	return nil
}

// addIf adds the successor of the newest key of an algorithm while the keys of the store have a
// need for one. It signs PublishAhead from now; the first of an algorithm, which has signed
// nothing before, at once.
func (s *KeySet) addIf(ctx context.Context, alg string, need func(now time.Time) bool, in ...Step) (added bool, err error) {
	for range addAttempts {
		now := s.options.Clock()
		if !need(now) {
			return false, nil
		}
		useFrom := now.Add(s.options.PublishAhead)
		if s.chain(alg).newest() == nil {
			useFrom = now
		}
		if added, err = s.add(ctx, alg, s.current.Load().last+1, now, useFrom, in...); err != nil {
			return false, err
		}
		if _, err := s.reload(ctx); added || err != nil {
			return added, err
		}
	}
	return false, errBusy
}

// add makes and stores a new key. It reports false if another process has added this
// generation.
func (s *KeySet) add(ctx context.Context, alg string, generation int64, now, useFrom time.Time, in ...Step) (bool, error) {
	k, err := s.generate(alg, generation, now, useFrom)
	if err != nil {
		return false, err
	}
	return s.save(ctx, k, in...)
}

// generate makes a key and tries it: the others do not get a key with which this process
// cannot sign.
func (s *KeySet) generate(alg string, generation int64, now, useFrom time.Time) (storage.Key, error) {
	k, err := generateKey(s.secrets, s.options.inStore(alg), generation, now, useFrom)
	if err != nil {
		return storage.Key{}, fmt.Errorf("make signing key: %w", err)
	}
	_, err = openKey(s.secrets, s.options, k)
	return k, err
}

// save stores a key. It reports false if this generation has one.
func (s *KeySet) save(ctx context.Context, k storage.Key, in ...Step) (bool, error) {
	err := run(ctx, in, k.Alg, func(ctx context.Context) error { return s.store.AddKey(ctx, k) })
	if errors.Is(err, storage.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("add signing key: %w", err)
	}
	return true, nil
}

func (s *KeySet) removeBefore(ctx context.Context, alg string, generation int64, in ...Step) error {
	if alg != "" {
		alg = s.options.inStore(alg)
	}
	err := run(ctx, in, alg, func(ctx context.Context) error { return s.store.RemoveKeys(ctx, alg, generation) })
	if err != nil {
		return fmt.Errorf("remove signing keys: %w", err)
	}
	return nil
}

// run runs a write in each step around the next, or alone.
func run(ctx context.Context, in []Step, alg string, write func(context.Context) error) error {
	if len(in) == 0 {
		return write(ctx)
	}
	return in[0](ctx, alg, func(ctx context.Context) error { return run(ctx, in[1:], alg, write) })
}
