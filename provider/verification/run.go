package verification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

const (
	// round is the interval at which run looks for what is due. What this process has made
	// due itself is not kept waiting.
	round = 30 * time.Second

	// dueLease is how long a case that is due belongs to one process: what fails is tried
	// again after that.
	dueLease = 2 * time.Minute

	// maxRest is how long something rests at most that has failed, or cannot be done.
	maxRest = 6 * time.Hour

	dueBatch   = 50
	dueWorkers = 8 // one that waits for another side holds up no decision
	sweepBatch = 250
)

// run does the background work, as long as the provider's Run.
func (s *Service) run(ctx context.Context) {
	tick := time.NewTicker(round)
	defer tick.Stop()
	s.sweep(ctx)
	for {
		s.carryOn(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.sweep(ctx)
		case <-s.wake:
		}
	}
}

// sweep ends what is over beside the cases.
func (s *Service) sweep(ctx context.Context) {
	if s.endings.due(time.Now()) {
		s.endPolicies(ctx)
	}
	s.evidenceFiles.sweepEvidence(ctx)
	s.failed(ctx, s.rosterLists.sweepRosters(ctx))
	s.failed(ctx, s.caseReviews.forgetLeft(ctx))
}

// carryOn does what is due.
func (s *Service) carryOn(ctx context.Context) {
	for ctx.Err() == nil {
		cases, err := s.Store.DueCases(ctx, s.Clock(), dueLease, dueBatch)
		if err != nil {
			s.failed(ctx, err)
			return
		}
		var working sync.WaitGroup
		places := make(chan struct{}, dueWorkers)
		for _, c := range cases {
			places <- struct{}{}
			working.Go(func() {
				defer func() { <-places }()
				if err := s.carryOnWith(ctx, c); err != nil {
					s.failed(ctx, fmt.Errorf("case %s: %w", c.ID, err))
				}
			})
		}
		working.Wait()
		if len(cases) < dueBatch {
			return
		}
	}
}

// failed logs an error; nil is none.
func (s *core) failed(ctx context.Context, err error) {
	if batch.IsFailure(ctx, err) {
		s.Logger.ErrorContext(ctx, "what was due in a verification could not be done; will retry", slog.Any("error", err))
	}
}

// carryOnWith does what is due in a case. Its NextAt has been moved for a while: whatever ends
// in between is done again then.
func (s *Service) carryOnWith(ctx context.Context, due storage.Case) error {
	ended, err := s.doDue(ctx, due)
	return errors.Join(err, s.settle(ctx, due.ID, ended))
}

// doDue does what is due in a case, and reports whether it had ended before.
func (s *Service) doDue(ctx context.Context, due storage.Case) (ended bool, err error) {
	defer func() {
		if cause := recover(); cause != nil { // one case holds up no other
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	c, k, err := s.engine.read(ctx, due.ID)
	if err != nil {
		return due.State.IsFinal(), unlessOver(err)
	}
	if c.State.IsFinal() {
		return true, s.carryOnAfter(ctx, c, k)
	}
	now := s.Clock()
	if !now.Before(k.finishBy()) && c.State != storage.CaseReview && k.Waiting == nil {
		if is, err := s.isPast(ctx, k.finishBy()); err != nil || !is {
			return false, err
		}
		return false, unlessOver(s.runOut(ctx, c.ID))
	}
	if at := k.nudgeAt(); c.State == storage.CaseOpen && !at.IsZero() && !now.Before(at) {
		err = s.nudge(ctx, c.ID)
	}
	return false, errors.Join(err, s.askElsewhere(ctx, c, k, now))
}

// askElsewhere asks the other sides whose time has come. For a locked account nothing that
// they say could be recorded.
func (s *Service) askElsewhere(ctx context.Context, c storage.Case, k content, now time.Time) error {
	var failed error
	for _, of := range k.Checks {
		isDue := of.State == checkWaiting && of.Step != nil && of.Step.Wait != nil &&
			!of.Step.Wait.Again.IsZero() && !now.Before(of.Step.Wait.Again)
		called := k.Unasked && of.isElsewhere()
		if !isDue && !called {
			continue
		}
		who, err := s.person(ctx, c.Subject)
		switch {
		case err != nil || who.locked:
		case called:
			err = s.engine.told(ctx, c.ID, storage.CaseReference{Method: of.Method, Reference: of.Reference}, "")
		default:
			err = s.due(ctx, c, of)
		}
		failed = errors.Join(failed, unlessOver(err))
	}
	return failed
}

// isPast reports whether a time is past for certain: a clock that is ahead must end nothing for
// good.
func (s *core) isPast(ctx context.Context, at time.Time) (bool, error) {
	now, err := s.Provider.Rooms().People.CertainTime(ctx)
	return !now.Before(at), err
}

// unless drops an error that means that there is nothing to do.
func unless(err, nothing error) error {
	if errors.Is(err, nothing) {
		return nil
	}
	return err
}

// settle sets the time at which something is due next in a case. What is due still has failed,
// or cannot be done at present: it is tried again, less and less often. What follows the end
// of a case that has just ended is due at once.
func (s *Service) settle(ctx context.Context, id string, ended bool) error {
	c, err := s.Store.Case(ctx, id)
	if err != nil || c.State.IsFinal() && !ended {
		return unless(err, storage.ErrNotFound)
	}
	now, since, next := s.Clock(), c.CreatedAt, time.Time{}
	k, unreadable := s.open(c)
	if unreadable == nil {
		since, next = k.Since, due(c, k)
	}
	if ended {
		since = c.EndedAt
	}
	if unreadable != nil || !next.IsZero() && !now.Before(next) {
		next = now.Add(min(max(now.Sub(since)/8, dueLease), maxRest))
		if by := k.finishBy(); !ended && now.Before(by) {
			next = earlier(next, by)
		}
	}
	if next.Equal(c.NextAt) {
		return nil
	}
	return unless(s.Store.PostponeCase(ctx, c.ID, c.Version, next, nil), storage.ErrChanged)
}

func (s *Service) runOut(ctx context.Context, id string) error {
	_, _, err := s.engine.act(ctx, id, action{
		fits: func(storage.Case, content) error { return nil },
		input: func(context.Context, storage.Case, content) (input, string, error) {
			return ranOut{}, "", nil
		},
	})
	return err
}

// nudge reminds the person of an unfinished case, once.
func (s *Service) nudge(ctx context.Context, id string) error {
	first := false
	c, k, err := s.memberships.rewrite(ctx, id, func(k *content) bool {
		first, k.Nudged = !k.Nudged, true
		return first
	})
	if err == nil && first && c.State == storage.CaseOpen {
		s.tell(ctx, c, ui.MailView{Kind: ui.MailVerificationUnfinished, On: k.finishBy()})
	}
	return unless(err, ErrNoCase)
}

// due tells a verifier that the time of its Wait is over.
func (s *Service) due(ctx context.Context, c storage.Case, of check) error {
	_, _, err := s.engine.act(ctx, c.ID, action{
		fits: func(c storage.Case, k content) error {
			now := k.check(of.Method)
			if c.State.IsFinal() || k.Waiting != nil || now == nil || now.State != checkWaiting {
				return ErrNotNow
			}
			return nil
		},
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, err := s.verifierOf(c, of.Method)
			if err != nil {
				return nil, "", err
			}
			e := Event{Kind: Due, Reference: k.check(of.Method).Reference}
			if e.Data, err = s.engine.fetch(ctx, v, e.Reference); err != nil {
				return nil, "", err
			}
			return s.engine.asked(ctx, v, c, k, e, false)
		},
	})
	return err
}

// carryOnAfter does what is due in a case that has ended.
func (s *Service) carryOnAfter(ctx context.Context, c storage.Case, k content) error {
	err := s.forgetElsewhere(ctx, c, k)
	s.memberships.recordAtHost(ctx, c, k)
	if c.State == storage.CaseApproved && !k.Ended && k.Member != nil {
		if k.Ending != nil {
			_, ended := s.memberships.carryOutEnd(ctx, c, k.Ending.Reason)
			return errors.Join(err, ended)
		}
		err = errors.Join(err, s.remind(ctx, c, k))
	}
	return err
}

// remind reminds the person that a membership ends, and ends it when its time has come. One
// that another case or the host has replaced is no longer that of this case.
func (s *Service) remind(ctx context.Context, c storage.Case, k content) error {
	now := s.Clock()
	if k.Member.Until.IsZero() {
		return nil
	}
	who, err := s.person(ctx, c.Subject)
	if errors.Is(err, provider.ErrNoUser) {
		return nil
	}
	if err != nil {
		return err
	}
	if who.status(c.Group).Origin != c.ID {
		_, err := s.markEndedQuietly(ctx, c.ID)
		return err
	}
	if !now.Before(k.Member.Until) {
		if is, err := s.isPast(ctx, k.Member.Until); err != nil || !is {
			return err
		}
		if _, err := s.memberships.endWith(ctx, c, "expired", k.Member.Until); err != nil {
			return err
		}
		_, err := s.memberships.markEnded(ctx, c.ID)
		return err
	}
	first := false
	_, k, err = s.memberships.rewrite(ctx, c.ID, func(k *content) bool {
		n := reminders(k.Member.Until, now)
		first = n > k.Reminded
		k.Reminded = max(n, k.Reminded)
		return true
	})
	if err == nil && first {
		s.tell(ctx, c, ui.MailView{Kind: ui.MailVerificationEnding, On: k.Member.Until})
	}
	return err
}

// markEndedQuietly records that a case has nothing more to say about a membership.
func (s *Service) markEndedQuietly(ctx context.Context, id string) (content, error) {
	_, k, err := s.memberships.rewrite(ctx, id, func(k *content) bool {
		k.Ended, k.Unrecorded = true, false
		return true
	})
	return k, err
}

// forgetElsewhere has the other sides of an ended case delete what they keep. Each is called
// until it succeeds.
func (s *Service) forgetElsewhere(ctx context.Context, c storage.Case, k content) error {
	var failed error
	done := map[storage.CaseReference]bool{}
	for _, ref := range k.Forget {
		_, v, err := s.verifierOf(c, ref.Method)
		if err == nil && v.Forget != nil {
			_, err = call(ctx, s.places(v), func(ctx context.Context) (struct{}, error) { return struct{}{}, v.Forget(ctx, ref.Reference) })
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("method %q: forget: %w", v.Name, err))
				continue
			}
		}
		done[ref] = true
	}
	if len(done) == 0 {
		return failed
	}
	_, _, err := s.memberships.rewrite(ctx, c.ID, func(k *content) bool {
		var left []storage.CaseReference
		for _, ref := range k.Forget {
			if !done[ref] {
				left = append(left, ref)
			}
		}
		k.Forget = left
		return true
	})
	return errors.Join(failed, err)
}

// endPolicies ends the open cases of policies that have ended.
func (s *Service) endPolicies(ctx context.Context) {
	for _, p := range s.Policies {
		if !p.Ended {
			continue
		}
		for _, state := range []storage.CaseState{storage.CaseOpen, storage.CasePending, storage.CaseReview} {
			s.failed(ctx, s.endCases(ctx, storage.CaseFilter{Group: p.Group, State: state}))
		}
	}
}

// endCases reads the cases, which ends them.
func (s *Service) endCases(ctx context.Context, f storage.CaseFilter) error {
	_, err := batch.Over(ctx, nil, sweepBatch,
		func(ctx context.Context, before string, limit int) ([]storage.Case, error) {
			f.BeforeID, f.Limit = before, limit
			return s.Store.Cases(ctx, f)
		},
		func(c storage.Case) string { return c.ID },
		func(ctx context.Context, c storage.Case) error {
			if _, _, err := s.engine.read(ctx, c.ID); err != nil && !errors.Is(err, ErrNoCase) {
				return fmt.Errorf("case %s: %w", c.ID, err)
			}
			return nil
		})
	return err
}
