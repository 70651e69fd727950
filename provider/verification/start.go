package verification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// startLimit limits the cases that one person begins.
var startLimit = provider.Limit{Burst: 20, Every: time.Hour}

// Start begins a case, or returns the one that the person has open for the group: then it
// reports false, and the way back is that of the request. ErrNoPolicy; provider.ErrNoUser;
// ErrNotNow if the person is a member and cannot renew that yet, or the case of Appeals cannot
// be appealed against; a LimitError if a declined case does not allow another one yet.
func (s *caseSteps) Start(ctx context.Context, r Request) (started RecordedCase, created bool, err error) {
	p := s.policies[r.Group]
	if p == nil || p.Ended {
		return RecordedCase{}, false, ErrNoPolicy
	}
	for range maxRounds {
		if started, created, err = s.start(ctx, p, r); !errors.Is(err, storage.ErrChanged) {
			break
		}
	}
	return started, created, err
}

// start is Start. ErrChanged if the person has begun another case since theirs were read.
func (s *caseSteps) start(ctx context.Context, p *Policy, r Request) (started RecordedCase, created bool, err error) {
	h, err := s.history(ctx, r.UserID, r.Group)
	if err != nil {
		return RecordedCase{}, false, err
	}
	if i := h.inProgress(); i >= 0 {
		c, _, err := s.engine.read(ctx, h[i].ID) // a decision may be due
		if err != nil {
			return RecordedCase{}, false, err
		}
		if !c.State.IsFinal() {
			started, err := s.resume(ctx, c.ID, r)
			return started, false, err
		}
		h[i] = c
	}
	c, content, err := s.newCase(ctx, p, r, h)
	if err != nil {
		return RecordedCase{}, false, err
	}
	if c.Content, err = s.seal(c, content); err != nil {
		return RecordedCase{}, false, err
	}
	var recorded storage.Case
	err = s.counting(ctx, r.UserID, func(ctx context.Context) error {
		if err := s.allow(ctx, limited{"verification start", r.UserID, startLimit}); err != nil {
			return err
		}
		created, err = s.Provider.Rooms().Events.WriteIf(ctx, s.Store, func(ctx context.Context) (bool, error) {
			recorded, created, err = s.Store.StartCase(ctx, c, h.latest(), storage.PersonBasis{HasAccount: s.accounts})
			return created, err
		}, begun(r)...)
		return err
	})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return RecordedCase{}, false, provider.ErrNoUser
	case err != nil:
		return RecordedCase{}, false, fmt.Errorf("start case: %w", err)
	case !created:
		started, err := s.resume(ctx, recorded.ID, r)
		return started, false, err
	}
	s.tell(context.WithoutCancel(ctx), recorded, ui.MailView{Kind: ui.MailVerificationStarted})
	started, err = s.engine.recorded(ctx, recorded, content)
	return started, true, err
}

// begun is the event of a case that begins here: the provider records those that it begins.
func begun(r Request) []provider.Event {
	if r.ReturnTo != "" {
		return nil
	}
	return []provider.Event{{Name: event.VerificationStarted, UserID: r.UserID, ClientID: r.ClientID, Detail: r.Group}}
}

// newCase returns the case that a person may begin.
func (s *caseSteps) newCase(ctx context.Context, p *Policy, r Request, h history) (storage.Case, content, error) {
	now := s.Clock().Truncate(time.Microsecond) // as the store has it
	if r.Appeals != "" {
		if !h.canAppeal(r.Appeals, now) {
			return storage.Case{}, content{}, ErrNotNow
		}
	} else if until := s.barredUntil(ctx, h, now); now.Before(until) {
		return storage.Case{}, content{}, LimitError{Wait: until.Sub(now)}
	}
	who, err := s.person(ctx, r.UserID)
	if err != nil {
		return storage.Case{}, content{}, err
	}
	k := content{
		Terms:   terms{Rule: p.Rule.shape(), Reviewers: p.Reviewers, Finish: p.Finish, Promise: p.Promise, Keep: p.Keep},
		Created: now, Since: now, ClientID: r.ClientID, ReturnTo: r.ReturnTo, Language: r.Language,
	}
	status := who.status(r.Group)
	c := storage.Case{
		ID: random.SortedUUID(h.next(now)), Subject: r.UserID, Group: r.Group, State: storage.CaseOpen, Appeals: r.Appeals, CreatedAt: now,
		Renewal: status.Verified && (status.ExpiresAt.IsZero() || now.Before(status.ExpiresAt)),
	}
	if c.Renewal {
		if status.ExpiresAt.IsZero() || now.Before(status.ExpiresAt.Add(-p.RenewFrom)) {
			return storage.Case{}, content{}, ErrNotNow
		}
		k.Held, k.Replaces = status.ExpiresAt, status.Origin
	}
	c.NextAt = due(c, k)
	return c, k, nil
}

// resume gives an open case the way back of another request.
func (s *caseSteps) resume(ctx context.Context, id string, r Request) (RecordedCase, error) {
	c, k, err := s.memberships.rewrite(ctx, id, func(k *content) bool {
		if r.ClientID == k.ClientID && r.ReturnTo == k.ReturnTo || r.ClientID == "" && r.ReturnTo == "" {
			return false
		}
		k.ClientID, k.ReturnTo = r.ClientID, r.ReturnTo
		return true
	})
	if err != nil {
		return RecordedCase{}, err
	}
	return s.engine.recorded(ctx, c, k)
}

// Case returns a case, or ErrNoCase. A decision that is due is carried out first.
func (s *caseSteps) Case(ctx context.Context, id string) (RecordedCase, error) {
	c, k, err := s.engine.read(ctx, id)
	if err != nil {
		return RecordedCase{}, err
	}
	return s.engine.recorded(ctx, c, k)
}

// Cases returns the matching cases, the latest first. One whose content cannot be decrypted
// is Unreadable.
func (s *caseSteps) Cases(ctx context.Context, f storage.CaseFilter) ([]RecordedCase, error) {
	found, err := s.Store.Cases(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	return s.engine.recordedAll(ctx, found)
}

// recordedAll returns cases after what is due has been done. One that is gone meanwhile is
// left out, and one that cannot be read is no reason not to list the others.
func (s *engine) recordedAll(ctx context.Context, found []storage.Case) ([]RecordedCase, error) {
	all := make([]RecordedCase, 0, len(found))
	for _, c := range found {
		k, err := s.open(c)
		var in input
		if err == nil {
			if in, err = s.dueNow(ctx, c, k); err != nil {
				return nil, err
			}
		}
		if in != nil {
			moved, after, failed := s.read(ctx, c.ID)
			switch {
			case errors.Is(failed, ErrNoCase):
				continue
			case failed == nil:
				c, k = moved, after
			case errors.Is(failed, storage.ErrUnavailable):
				return nil, failed
			default:
				s.failed(ctx, fmt.Errorf("case %s: %w", c.ID, failed))
			}
		}
		if err != nil {
			s.unreadable(ctx, c, err)
		}
		one, failed := s.recorded(ctx, c, k)
		if failed != nil {
			return nil, failed
		}
		one.Unreadable = err != nil
		all = append(all, one)
	}
	return all, nil
}

// unreadable tells of a case whose content does not open.
func (s *core) unreadable(ctx context.Context, c storage.Case, err error) {
	s.Logger.ErrorContext(ctx, "a case cannot be read", slog.String("case", c.ID), slog.Any("error", err))
}

// recorded returns a case with what is known about it.
func (s *engine) recorded(ctx context.Context, c storage.Case, k content) (RecordedCase, error) {
	r := RecordedCase{
		ID: c.ID, UserID: c.Subject, Group: c.Group, Version: c.Version, State: c.State, Method: c.Method,
		Renewal: c.Renewal, Appeals: c.Appeals, Reasons: k.Reasons, Claimed: k.Claimed,
		CreatedAt: c.CreatedAt, DueAt: c.DueAt, EndedAt: c.EndedAt, RetryFrom: k.Retry,
		Round: c.Round, Escalated: c.Escalated, TakenBy: c.TakenBy, TakenUntil: c.TakenUntil,
		ClientID: k.ClientID, Language: k.Language,
	}
	for _, method := range k.Terms.Rule.methods() {
		state := MethodState{Name: method}
		if of := k.check(method); of != nil {
			state.State, state.Attempts, state.Reasons = string(of.State), of.Attempt, of.Reasons
		}
		r.Methods = append(r.Methods, state)
	}
	if k.Waiting != nil {
		r.State = storage.CaseReview
		r.Waiting = &WaitingDecision{k.Waiting.Kind, k.Waiting.Reviewer, k.Waiting.At.Add(undoTime)}
	}
	if k.Review != nil && r.State == storage.CaseReview {
		r.Facts = k.Review.Facts
		r.WholeCase = k.Review.Method == ""
		if found, ok := k.Terms.Rule.found(k.check); ok {
			r.Member = found.membership()
		}
	}
	if k.Member != nil {
		r.Member = k.Member.membership()
	}
	if r.State == storage.CaseOpen || r.State == storage.CasePending {
		r.FinishBy = k.finishBy()
		r.Choices = slices.DeleteFunc(k.choices(), func(method string) bool { // the host has removed it
			p := s.policies[c.Group]
			return p == nil || p.verifier(method) == nil
		})
	}
	if of := k.check(c.Method); of != nil && of.Step != nil {
		r.Step = of.Step.result()
	}
	if now := s.Clock(); mayAppeal(c, now) {
		h, err := s.history(ctx, c.Subject, c.Group)
		if err != nil {
			return r, err
		}
		r.CanAppeal = h.canAppeal(c.ID, now)
	}
	return r, nil
}

func (f finding) membership() *Membership {
	return &Membership{Subgroups: f.Subgroups, Until: f.Until, Source: f.Source, Method: f.Method}
}

// choices are the methods that the person can begin.
func (k *content) choices() []string {
	return slices.DeleteFunc(k.Terms.Rule.needs(k.state), func(method string) bool {
		state := k.state(method)
		return state == checkReview || state == checkWaiting
	})
}

// result is the step as its verifier has returned it.
func (t *step) result() Result {
	switch {
	case t.Ask != nil:
		return *t.Ask
	case t.Code != nil:
		return SendCode{Address: t.Code.Address}
	case t.Upload != nil:
		return *t.Upload
	case t.GoTo != nil:
		return *t.GoTo
	case t.Wait != nil:
		return *t.Wait
	default:
		return nil
	}
}
