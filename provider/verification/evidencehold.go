package verification

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// maxHold is how long evidence can be held at a time.
const maxHold = 400 * day

// hold is why evidence is kept longer.
type hold struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Hold is a case whose evidence is kept longer.
type Hold struct {
	CaseID, Group string

	// Until is its end; By is who held it, and Reason why.
	Until      time.Time
	By, Reason string
}

// HoldEvidence keeps the evidence of a case that is not yet shredded until a time, at most
// 400 days ahead, whatever its policy says; the zero time ends that, and what is overdue is
// then shredded. A person who deletes the account ends it, too. The reason has at most 200
// characters. ErrNoCase; ErrNotNow if the case moves on all the while; a provider.FieldError
// for an invalid argument.
func (s *evidenceFiles) HoldEvidence(ctx context.Context, by storage.Reviewer, caseID string, until time.Time, reason string) error {
	now := s.Clock()
	switch n := utf8.RuneCountInString(reason); {
	case !until.IsZero() && (!until.After(now) || until.After(now.Add(maxHold))):
		return wrongField("until", "%v is not from now to 400 days ahead", until)
	case n == 0 && !until.IsZero():
		return wrongField("reason", "is missing")
	case n > 200:
		return wrongField("reason", "has more than 200 characters")
	}
	// The reason comes first: what is held always has one.
	c, err := s.noteHold(ctx, caseID, hold{by.ID, reason})
	if err != nil {
		return err
	}
	err = s.inStep(reviewing(ctx, by, caseID), func(ctx context.Context) error {
		return s.Store.HoldEvidence(ctx, caseID, until)
	}, provider.Event{Name: event.EvidenceHeld, UserID: c.Subject, Detail: c.Group})
	if err != nil {
		return fmt.Errorf("hold evidence: %w", err)
	}
	return nil
}

// noteHold records who holds the evidence of a case, and why.
func (s *evidenceFiles) noteHold(ctx context.Context, caseID string, h hold) (storage.Case, error) {
	for range 8 {
		c, err := s.Store.Case(ctx, caseID)
		if errors.Is(err, storage.ErrNotFound) {
			return c, ErrNoCase
		}
		if err != nil {
			return c, fmt.Errorf("read case: %w", err)
		}
		k, err := s.open(c)
		if err != nil {
			return c, err
		}
		k.Hold = &h
		sealed, err := s.seal(c, k)
		if err == nil {
			err = s.Store.PostponeCase(ctx, c.ID, c.Version, c.NextAt, sealed)
		}
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if err != nil {
			return c, fmt.Errorf("hold evidence: %w", err)
		}
		return c, nil
	}
	return storage.Case{}, ErrNotNow
}

// Holds returns up to limit cases whose evidence is held, after the given case, in the order
// of their IDs.
func (s *evidenceFiles) Holds(ctx context.Context, afterCaseID string, limit int) ([]Hold, error) {
	held, err := s.Store.HeldEvidence(ctx, afterCaseID, limit)
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", err)
	}
	var all []Hold
	for _, one := range held {
		h := Hold{CaseID: one.CaseID, Until: one.Until}
		c, err := s.Store.Case(ctx, one.CaseID)
		if errors.Is(err, storage.ErrNotFound) { // its person is gone, since
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list holds: %w", err)
		}
		k, err := s.open(c)
		if err != nil { // nobody knows who holds it, and why
			s.unreadable(ctx, c, err)
		}
		if h.Group = c.Group; k.Hold != nil {
			h.By, h.Reason = k.Hold.By, k.Hold.Reason
		}
		all = append(all, h)
	}
	return all, nil
}
