package dpop

import (
	"context"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// maxSeen bounds the memory of Seen: some 100 MB. Only who has a live token and its key adds to
// it.
const maxSeen = 1 << 20

// Seen keeps the used proofs of one process in its memory. Two processes accept a proof once
// each. The zero value is ready.
type Seen struct {
	mu    sync.Mutex
	until map[storage.Digest]time.Time
	swept time.Time
}

// UseID records that a proof is used until it expires. ErrConflict if it is already;
// ErrUnavailable while more are kept than fit.
func (s *Seen) UseID(_ context.Context, use storage.Digest, expiresAt, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := now.Sub(s.swept); since >= time.Minute || since < 0 {
		s.sweep(now)
	}
	if known, used := s.until[use]; used && known.After(now) {
		return storage.ErrConflict
	}
	if len(s.until) >= maxSeen {
		return storage.ErrUnavailable
	}
	s.until[use] = expiresAt
	return nil
}

// sweep forgets what nobody accepts any more.
func (s *Seen) sweep(now time.Time) {
	s.swept = now
	kept := make(map[storage.Digest]time.Time, len(s.until))
	for use, until := range s.until {
		if until.After(now) {
			kept[use] = until
		}
	}
	s.until = kept
}
