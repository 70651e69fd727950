package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// replaceAttempts is how often [KeySet.Replace] tries another generation after another
// process has added a key. Processes add one a day at most, or replace keys, too.
const replaceAttempts = 100

// Step runs the write that makes a difference, so that its caller records something with it.
type Step func(ctx context.Context, write func(context.Context) error) error

// RotateIfDue reloads the keys, adds the next one if it is due, and removes unneeded ones
// from the store. It reports whether this call added a key. After an error the set keeps
// its keys. Call it every few minutes. On a static set it does nothing. A step runs the write
// that adds a key.
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
	if now := s.options.Clock(); s.due(now) {
		if added, err = s.addNext(ctx, now, in...); err != nil {
			return added, err
		}
	}
	if needed > 0 {
		if err := s.removeBefore(ctx, needed); err != nil {
			return added, err
		}
	}
	return added, nil
}

// Rotate adds the next key before it is due. It is published now and signs PublishAhead
// from now, as if it had been due. It does nothing, and reports false, while a published
// key waits to sign. A step runs the write that adds a key.
func (s *KeySet) Rotate(ctx context.Context, in ...Step) (added bool, err error) {
	if s.store == nil {
		return false, ErrStatic
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	if _, err := s.reload(ctx); err != nil {
		return false, err
	}
	now := s.options.Clock()
	if last := s.lastTimely(now); last != nil && last.useFrom.After(now) {
		return false, nil
	}
	return s.addNext(ctx, now, in...)
}

// Replace adds a key that signs at once, and removes all others: they neither sign nor
// verify, and are not published, here when it returns and in other processes at their next
// [KeySet.Refresh]. It is for a leaked key. After an error the leaked key may still be in
// use; call it again. A step runs the write that removes the others.
func (s *KeySet) Replace(ctx context.Context, in ...Step) error {
	if s.store == nil {
		return ErrStatic
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	now := s.options.Clock()
	next, err := s.generate(0, now, now)
	if err != nil {
		return err
	}
	for range replaceAttempts {
		if _, err := s.reload(ctx); err != nil {
			return err
		}
		next.Generation = s.current.Load().newest().generation + 1
		added, err := s.save(ctx, next)
		if err != nil {
			return err
		}
		if !added {
			continue
		}
		if err := s.removeBefore(ctx, next.Generation, in...); err != nil {
			return err
		}
		_, err = s.reload(ctx)
		return err
	}
	return errors.New("replace signing key: other processes add keys all the time")
}

// due reports whether a next key is needed, which signs PublishAhead from now. None is
// needed while a published key waits to sign: processes that disagree about the current
// secret would otherwise add keys without end.
func (s *KeySet) due(now time.Time) bool {
	last := s.lastTimely(now)
	switch {
	case last == nil:
		return true
	case last.useFrom.After(now):
		return false
	case last == s.current.Load().newest() && last.outdated:
		return true
	}
	end := last.useFrom.Add(s.options.RotateEvery)
	return !end.After(now.Add(s.options.PublishAhead))
}

// lastTimely returns the newest key that no process with a wrong clock has made, whose
// UseFrom is later than that of any key made now; nil if there is none. Keys of such a
// process must neither keep another in use for longer nor be its only successors: see the
// package comment.
func (s *KeySet) lastTimely(now time.Time) *key {
	keys := s.current.Load().published
	for i := len(keys) - 1; i >= 0; i-- {
		if !clock.Ahead(now.Add(s.options.PublishAhead), keys[i].useFrom) {
			return keys[i]
		}
	}
	return nil
}

// addNext adds the successor of the newest key, which signs PublishAhead from now.
func (s *KeySet) addNext(ctx context.Context, now time.Time, in ...Step) (bool, error) {
	added, err := s.add(ctx, s.current.Load().newest().generation+1, now, now.Add(s.options.PublishAhead), in...)
	if err != nil {
		return false, err
	}
	_, err = s.reload(ctx)
	return added, err
}

// add makes and stores a new key. It reports false if another process has added this
// generation.
func (s *KeySet) add(ctx context.Context, generation int64, now, useFrom time.Time, in ...Step) (bool, error) {
	k, err := s.generate(generation, now, useFrom)
	if err != nil {
		return false, err
	}
	return s.save(ctx, k, in...)
}

// generate makes a key and tries it: the others do not get a key with which this process
// cannot sign.
func (s *KeySet) generate(generation int64, now, useFrom time.Time) (storage.Key, error) {
	k, err := generateKey(s.secrets, generation, now, useFrom)
	if err != nil {
		return storage.Key{}, fmt.Errorf("make signing key: %w", err)
	}
	_, err = openKey(s.secrets, s.options, k)
	return k, err
}

// save stores a key. It reports false if this generation has one.
func (s *KeySet) save(ctx context.Context, k storage.Key, in ...Step) (bool, error) {
	err := run(ctx, in, func(ctx context.Context) error { return s.store.AddKey(ctx, k) })
	if errors.Is(err, storage.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("add signing key: %w", err)
	}
	return true, nil
}

func (s *KeySet) removeBefore(ctx context.Context, generation int64, in ...Step) error {
	err := run(ctx, in, func(ctx context.Context) error { return s.store.RemoveKeys(ctx, generation) })
	if err != nil {
		return fmt.Errorf("remove signing keys: %w", err)
	}
	return nil
}

// run runs a write in each step around the next, or alone.
func run(ctx context.Context, in []Step, write func(context.Context) error) error {
	if len(in) == 0 {
		return write(ctx)
	}
	return in[0](ctx, func(ctx context.Context) error { return run(ctx, in[1:], write) })
}
