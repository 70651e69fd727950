package credential

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// checkBases is the time between two looks at what credentials rest on (see checkLists).
	checkBases = 20 * time.Second

	// askHost is how often a host is asked about a status that is recorded nowhere, and askAgain how
	// soon again if it fails.
	askHost  = 24 * time.Hour
	askAgain = time.Hour
)

// run ends what no longer rests on anything, as long as the provider's Run.
func (s *Service) run(ctx context.Context) {
	tick := time.NewTicker(checkBases)
	defer tick.Stop()
	for {
		if err := s.sweep(ctx); batch.IsFailure(ctx, err) {
			s.cfg.Logger.ErrorContext(ctx, "credentials that may have to end could not be checked; will retry", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep looks at all credentials that may have to end. One that fails holds up no other. Any number of
// processes may do so at once: each end is one step.
func (s *Service) sweep(ctx context.Context) error {
	now, after, failed := s.cfg.Clock(), "", new(batch.Failed)
	for {
		begin := time.Now()
		lapsed, last, err := s.cfg.Store.LapsedCredentials(ctx, now, now.Add(-askHost), after, batch.Size)
		if err != nil {
			return failed.And(fmt.Errorf("look for lapsed credentials: %w", err))
		}
		for _, c := range lapsed {
			if err := s.settle(ctx, c); err != nil {
				failed.Add(fmt.Errorf("credential %s: %w", c.ID, err))
			}
			if ctx.Err() != nil {
				return failed.Or(ctx.Err())
			}
		}
		if last == "" {
			return failed.Or(nil)
		}
		after = last
		if err := batch.Rest(ctx, time.Since(begin)); err != nil {
			return failed.Or(err)
		}
	}
}

// settle ends a credential, or keeps it if the status still says the same.
func (s *Service) settle(ctx context.Context, c storage.LapsedCredential) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	if c.By != "" {
		_, err := s.end(ctx, c.Credential, c.By)
		return err
	}
	s.cfg.Provider.Rooms().People.Refresh(c.Subject) // another process may have changed it
	now := s.cfg.Clock()
	statuses, err := s.cfg.Provider.People().Statuses(ctx, c.Subject, c.Group)
	switch {
	case errors.Is(err, provider.ErrNoUser):
		_, err := s.end(ctx, c.Credential, storage.EndedByAccount)
		return err
	case err != nil && c.StatusRevision == 0:
		return errors.Join(err, s.cfg.Store.KeepCredential(ctx, c.ID, 0, now.Add(askAgain-askHost)))
	case err != nil:
		return err
	}
	if k, ok := s.cfg.Kinds.of(c.Group); ok && statuses[0].Verified && s.content(k, statuses[0]) == c.Content {
		return s.cfg.Store.KeepCredential(ctx, c.ID, statuses[0].Revision, now)
	}
	_, err = s.end(ctx, c.Credential, storage.EndedByStatus)
	return err
}

// end ends a credential before its time, and reports whether it was in force.
func (s *Service) end(ctx context.Context, c storage.Credential, why storage.CredentialEnd) (bool, error) {
	return s.cfg.Provider.Rooms().Events.WriteIf(ctx, s.cfg.Store, func(ctx context.Context) (bool, error) {
		ended, err := s.cfg.Store.EndCredentials(ctx, storage.CredentialFilter{ID: c.ID, Subject: c.Subject}, why, s.cfg.Clock())
		return ended > 0, err
	}, provider.Event{Name: event.CredentialEnded, UserID: c.Subject, ClientID: c.ClientID, Detail: c.Group + " " + string(why)})
}

// End ends a credential of a user for the staff of the host, who are named by the context
// (provider.By). It returns nil if there is no such credential in force.
func (s *Service) End(ctx context.Context, userID, id string) error {
	c, err := storage.One(s.cfg.Store.Credentials(ctx, storage.CredentialFilter{Subject: userID, ID: id}))
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = s.end(ctx, c, storage.EndedByStaff)
	}
	if err != nil {
		return fmt.Errorf("credential: end: %w", err)
	}
	return nil
}
