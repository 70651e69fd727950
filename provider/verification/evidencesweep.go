package verification

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// evidenceBatch is how much evidence one step shreds or deletes.
	evidenceBatch = 100

	// orphanAge is how old content without a row is when it is deleted: that of an upload
	// gets its row within minutes.
	orphanAge = time.Hour
)

// hourly is when this process does next what it does once an hour.
type hourly struct {
	mu   sync.Mutex
	next time.Time
}

// due reports whether it is time, by the clock of the machine.
func (h *hourly) due(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.next) {
		return false
	}
	h.next = now.Add(time.Hour)
	return true
}

// sweepEvidence shreds evidence whose time has come, and deletes what is left of it. What
// fails is tried again with the next call.
func (s *evidenceFiles) sweepEvidence(ctx context.Context) {
	if s.Blobs == nil {
		return
	}
	s.shredDue(ctx)
	s.deleteLeftovers(ctx)
	if s.orphans.due(time.Now()) {
		s.sweepOrphans(ctx)
		s.seekEvidence(ctx)
	}
}

// seekEvidence tells when evidence of one of the next cases is not where this process keeps it:
// on another machine, most likely. Its reviewers here could not see it.
func (s *evidenceFiles) seekEvidence(ctx context.Context) {
	waiting, err := s.Store.Cases(ctx, storage.CaseFilter{Reviewer: &storage.Reviewer{Senior: true}, Limit: takeBatch})
	for _, c := range waiting {
		files, unread := s.Store.Evidence(ctx, storage.EvidenceID{CaseID: c.ID})
		err = errors.Join(err, unread)
		for _, e := range files {
			file, opening := s.Blobs.Open(ctx, e.ID)
			if opening == nil {
				_ = file.Close()
			} else if e.Key != nil {
				s.evidenceFailed(ctx, "find what processes of all machines share", opening)
				return
			}
		}
	}
	s.evidenceFailed(ctx, "list what waits", err)
}

func (s *evidenceFiles) shredDue(ctx context.Context) {
	for ctx.Err() == nil {
		now, err := s.Provider.Rooms().People.CertainTime(ctx)
		shredded := 0
		if err == nil {
			shredded, err = s.Store.ShredEvidence(ctx, now, evidenceBatch)
		}
		if err != nil {
			s.evidenceFailed(ctx, "shred", err)
		}
		if err != nil || shredded < evidenceBatch {
			return
		}
	}
}

// deleteLeftovers deletes the content of shredded evidence. Without the key it opens no
// more: that it is there a while longer reveals its size. What cannot be deleted holds up
// nothing else; after many such the next call goes on, for all of the storage may be away.
func (s *evidenceFiles) deleteLeftovers(ctx context.Context) {
	failed := 0
	_, err := batch.Over(ctx, &s.leftovers, evidenceBatch, s.Store.LeftoverEvidence, func(id string) string { return id },
		func(ctx context.Context, id string) error {
			if err := s.Blobs.Delete(ctx, id); err != nil {
				if failed++; failed == evidenceBatch {
					return batch.ErrEnough
				}
				return err
			}
			return s.Store.DeletedEvidence(ctx, []string{id})
		})
	s.evidenceFailed(ctx, "delete shredded", err)
}

// sweepOrphans deletes content that no evidence has: a process has ended between storing the
// one and recording the other, or a backup of the database was restored. The age of a file
// is by the clock of its disk, whatever Config.Clock says.
func (s *evidenceFiles) sweepOrphans(ctx context.Context) {
	before := time.Now().Add(-orphanAge)
	_, err := batch.Over(ctx, nil, evidenceBatch,
		func(ctx context.Context, after string, limit int) ([]string, error) {
			return s.Blobs.Names(ctx, before, after, limit)
		},
		func(name string) string { return name }, s.deleteOrphan)
	s.evidenceFailed(ctx, "delete orphans", err)
}

func (s *evidenceFiles) deleteOrphan(ctx context.Context, name string) error {
	e, err := storage.One(s.Store.Evidence(ctx, storage.EvidenceID{ID: name}))
	if err != nil && !errors.Is(err, storage.ErrNotFound) || err == nil && e.Key != nil {
		return err
	}
	return s.Blobs.Delete(ctx, name)
}

// evidenceFailed logs an error; nil is none.
func (s *evidenceFiles) evidenceFailed(ctx context.Context, what string, err error) {
	if batch.IsFailure(ctx, err) {
		s.Logger.ErrorContext(ctx, "evidence could not be swept; will retry", slog.String("step", what), slog.Any("error", err))
	}
}
