package verification

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// evidenceBatch is how much evidence one step shreds or deletes.
	evidenceBatch = 100

	// orphanAge is how old content without a row is when it is deleted: that of an upload
	// gets its row within minutes. orphanPeriod is how often it is looked for.
	orphanAge    = time.Hour
	orphanPeriod = time.Hour
)

// orphanage is when content without a row is looked for next.
type orphanage struct {
	mu   sync.Mutex
	next time.Time
}

// due reports whether it is time, by the clock of the machine.
func (o *orphanage) due(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Before(o.next) {
		return false
	}
	o.next = now.Add(orphanPeriod)
	return true
}

// sweepEvidence shreds evidence whose time has come, and deletes what is left of it. What
// fails is tried again with the next call.
func (s *Service) sweepEvidence(ctx context.Context) {
	if s.Blobs == nil {
		return
	}
	s.shredDue(ctx)
	s.deleteLeftovers(ctx)
	if s.orphans.due(time.Now()) {
		s.sweepOrphans(ctx)
	}
}

func (s *Service) shredDue(ctx context.Context) {
	for ctx.Err() == nil {
		shredded, err := s.Store.ShredEvidence(ctx, s.Clock(), evidenceBatch)
		if err != nil {
			s.evidenceFailed(ctx, "shred", err)
		}
		if err != nil || shredded < evidenceBatch {
			return
		}
	}
}

// deleteLeftovers deletes the content of shredded evidence. Without the key it opens no
// more: that it is there a while longer reveals its size.
func (s *Service) deleteLeftovers(ctx context.Context) {
	for ctx.Err() == nil {
		ids, err := s.Store.LeftoverEvidence(ctx, evidenceBatch)
		if err != nil || len(ids) == 0 {
			s.evidenceFailed(ctx, "list shredded", err)
			return
		}
		var deleted []string
		var failed error
		for _, id := range ids {
			if err := s.Blobs.Delete(ctx, id); err != nil {
				failed = err
				continue
			}
			deleted = append(deleted, id)
		}
		err = errors.Join(failed, s.Store.DeletedEvidence(ctx, deleted))
		s.evidenceFailed(ctx, "delete shredded", err)
		if err != nil || len(ids) < evidenceBatch {
			return
		}
	}
}

// sweepOrphans deletes content that no evidence has: a process has ended between storing the
// one and recording the other, or a backup of the database was restored. The age of a file
// is by the clock of its disk, whatever Config.Clock says.
func (s *Service) sweepOrphans(ctx context.Context) {
	before := time.Now().Add(-orphanAge)
	for after := ""; ctx.Err() == nil; {
		names, err := s.Blobs.Names(ctx, before, after, evidenceBatch)
		if err == nil {
			err = s.deleteOrphans(ctx, names)
		}
		s.evidenceFailed(ctx, "delete orphans", err)
		if err != nil || len(names) < evidenceBatch {
			return
		}
		after = names[len(names)-1]
	}
}

func (s *Service) deleteOrphans(ctx context.Context, names []string) error {
	for _, name := range names {
		e, err := s.Store.Evidence(ctx, name)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return err
		case e.Key != nil:
			continue
		}
		if err := s.Blobs.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// evidenceFailed logs an error; nil is none.
func (s *Service) evidenceFailed(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Logger.ErrorContext(ctx, "evidence could not be swept; will retry", slog.String("step", what), slog.Any("error", err))
	}
}
