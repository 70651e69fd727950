package verification

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// limited is an attempt that is counted.
type limited struct {
	what, key string
	limit     provider.Limit
}

// tab has the attempts that an act of a person has counted.
type tab struct {
	mu      sync.Mutex
	counted []limited
	since   time.Time
}

type tabKey struct{}

// returns is how much of what somebody has tried is given back: who makes a verifier or a mail
// server fail on purpose has it work no longer than that.
var returns = provider.Limit{Burst: 30, Every: 2 * time.Minute}

// counting does what a person has asked for, and gives the attempts that allow has counted
// meanwhile back if the failure is not theirs: of a verifier, a mail server or the database.
// Whoever goes away gets nothing back, or would try as often as they like.
func (s *core) counting(ctx context.Context, userID string, do func(context.Context) error) error {
	t := &tab{since: s.Clock()}
	err := do(context.WithValue(ctx, tabKey{}, t))
	if !isFailure(err) || ctx.Err() != nil {
		return err
	}
	counted := t.counts()
	if len(counted) == 0 || s.allow(ctx, limited{"verification: given back", userID, returns}) != nil {
		return err
	}
	s.giveBack(context.WithValue(ctx, tabKey{}, t), counted...)
	return err
}

// counts returns what is counted.
func (t *tab) counts() []limited {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.counted)
}

// giveBack undoes the count of attempts in the act of ctx.
func (s *core) giveBack(ctx context.Context, attempts ...limited) {
	t := ctx.Value(tabKey{}).(*tab)
	for _, a := range attempts {
		s.Provider.Rooms().Pages.GiveBack(ctx, a.what, a.key, a.limit, t.since)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = slices.DeleteFunc(t.counted, func(a limited) bool { return slices.Contains(attempts, a) })
}

// isFailure reports whether it is nothing that the person has done, and nothing has come of it.
func isFailure(err error) bool {
	return errors.Is(err, errVerifier) && !errors.Is(err, errMaybeSent) && !errors.Is(err, provider.ErrRecipientRefused) || errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrChanged)
}

// allow counts attempts, and returns a LimitError for the first that is one too many.
func (s *core) allow(ctx context.Context, attempts ...limited) error {
	t, _ := ctx.Value(tabKey{}).(*tab)
	for _, a := range attempts {
		wait, err := s.Provider.Rooms().Pages.Allow(ctx, a.what, a.key, a.limit)
		if err != nil {
			return err
		}
		if wait > 0 {
			return LimitError{Wait: wait}
		}
		if t != nil {
			t.mu.Lock()
			t.counted = append(t.counted, a)
			t.mu.Unlock()
		}
	}
	return nil
}

// allowTry counts a try of a person for a group: one that begins a method or, separately, one
// that answers a form, which may be a guess. It counts by the person's own account, so that
// nobody else can use it up.
func (s *core) allowTry(ctx context.Context, p *Policy, userID, what string) error {
	key := userID + " " + p.Group
	return s.allow(ctx,
		limited{"verification " + what, key, provider.Limit{Burst: p.Tries.Short, Every: p.Tries.ShortPeriod / time.Duration(p.Tries.Short)}},
		limited{"verification " + what + " in the long run", key, provider.Limit{Burst: p.Tries.Long, Every: p.Tries.LongPeriod / time.Duration(p.Tries.Long)}})
}
