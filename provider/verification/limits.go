package verification

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// limited is an attempt that is counted.
type limited struct {
	what, key string
	limit     provider.Limit
}

// allow counts attempts, and returns a LimitError for the first that is one too many.
func (s *Service) allow(ctx context.Context, attempts ...limited) error {
	for _, a := range attempts {
		wait, err := s.Provider.Pages().Allow(ctx, a.what, a.key, a.limit)
		if err != nil {
			return err
		}
		if wait > 0 {
			return LimitError{Wait: wait}
		}
	}
	return nil
}

// allowTry counts a try of a person for a group: one that begins a method or, separately, one
// that answers a form, which may be a guess. It counts by the person's own account, so that
// nobody else can use it up.
func (s *Service) allowTry(ctx context.Context, p *Policy, userID, what string) error {
	key := userID + " " + p.Group
	return s.allow(ctx,
		limited{"verification " + what, key, provider.Limit{Burst: p.Tries.Short, Every: p.Tries.ShortPeriod / time.Duration(p.Tries.Short)}},
		limited{"verification " + what + " in the long run", key, provider.Limit{Burst: p.Tries.Long, Every: p.Tries.LongPeriod / time.Duration(p.Tries.Long)}})
}
