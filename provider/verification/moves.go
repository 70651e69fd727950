package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// maxRounds is how often an action on a case is decided anew because the case has changed
// meanwhile.
const maxRounds = 8

// action is an action on a case.
type action struct {
	// fits refuses a case: ErrNoCase, ErrNotNow.
	fits func(c storage.Case, k content) error

	// input returns what the case moves on, and a code to mail; nil for nothing.
	input func(ctx context.Context, c storage.Case, k content) (in input, mailed string, err error)

	// message and decision are as in storage.CaseMove.
	message  string
	decision *storage.Decision

	// line is recorded with the move, if it has a name: behind the group of the case its Detail.
	line provider.Event
}

// lines are recorded with the move of a case.
func (a action) lines(c storage.Case) []provider.Event {
	if a.line.Name == "" {
		return nil
	}
	return []provider.Event{{Name: a.line.Name, UserID: c.Subject, Detail: c.Group + " " + a.line.Detail}}
}

// act moves a case. If it has changed meanwhile, everything is decided anew: verifiers give
// the same answer to the same event.
func (s *engine) act(ctx context.Context, id string, a action) (storage.Case, content, error) {
	for range maxRounds {
		c, k, err := s.read(ctx, id)
		if err != nil {
			return c, k, err
		}
		if err := a.fits(c, k); err != nil {
			return c, k, err
		}
		err = s.counting(ctx, c.Subject, func(ctx context.Context) error {
			in, mailed, err := a.input(ctx, c, k)
			if err != nil || in == nil {
				return err
			}
			var locale *ui.Locale // nothing may fail between a code and its mail but the mail server
			if mailed != "" {
				if locale, err = s.Provider.Rooms().People.Locale(ctx, c.Subject, k.Language); err != nil {
					return err
				}
			}
			was := k
			c, k, err = s.step(ctx, c, k, in, a)
			if err == nil && mailed != "" {
				err = s.mailCode(ctx, c, k, ui.MailView{Kind: ui.MailVerificationCode, Locale: locale, Code: mailed, ValidFor: codeLife})
			}
			if errors.Is(err, provider.ErrRecipientRefused) {
				c, k, err = s.askAgain(ctx, c, k, was, err)
			}
			return err
		})
		if !errors.Is(err, storage.ErrChanged) {
			return c, k, err
		}
	}
	return storage.Case{}, content{}, fmt.Errorf("case: %w", storage.ErrChanged)
}

// askAgain returns a case from a code that cannot be delivered to the form in which its address
// was entered, if it was, and err.
func (s *engine) askAgain(ctx context.Context, c storage.Case, k, was content, err error) (storage.Case, content, error) {
	s.Logger.InfoContext(ctx, "mail cannot be delivered", slog.String("mail", string(ui.MailVerificationCode)), slog.Any("error", err))
	of := was.check(c.Method)
	if of == nil || of.Step == nil || of.Step.Ask == nil {
		return c, k, err
	}
	ask := *of.Step.Ask
	ask.Problem = ""
	c, k, failed := s.step(ctx, c, k, resulted{method: c.Method, result: ask, memory: of.Memory}, action{})
	return c, k, cmp.Or(failed, err)
}

// read returns a case after what is due has been done: a decision is carried out, and the
// case of an ended policy ends.
func (s *engine) read(ctx context.Context, id string) (storage.Case, content, error) {
	for range maxRounds {
		c, err := s.Store.Case(ctx, id)
		if errors.Is(err, storage.ErrNotFound) {
			return storage.Case{}, content{}, ErrNoCase
		}
		if err != nil {
			return storage.Case{}, content{}, fmt.Errorf("read case: %w", err)
		}
		k, err := s.open(c)
		if err != nil {
			return c, k, err
		}
		in, err := s.dueNow(ctx, c, k)
		if err != nil || in == nil {
			return c, k, err
		}
		moved, after, err := s.step(byItself(ctx), c, k, in, action{})
		if errors.Is(err, storage.ErrChanged) {
			continue
		}
		if errors.Is(err, ErrNoCase) || unlessOver(err) != nil {
			return c, k, err
		}
		if err == nil {
			c, k = moved, after
		}
		return c, k, nil
	}
	return storage.Case{}, content{}, fmt.Errorf("read case: %w", storage.ErrChanged)
}

// unlessOver drops an error that means that there is nothing to do: not now, or never again.
func unlessOver(err error) error {
	for _, over := range []error{ErrNotNow, ErrNoPolicy, ErrNoCase, provider.ErrNoUser} {
		if errors.Is(err, over) {
			return nil
		}
	}
	return err
}

// dueNow returns what happens to a case before anything else does, or nil. A policy that this
// process does not have may be that of a newer program, which has yet to replace this one: its
// cases rest until their time to finish is over.
func (s *engine) dueNow(ctx context.Context, c storage.Case, k content) (input, error) {
	if c.State.IsFinal() {
		return nil, nil
	}
	p, known := s.policies[c.Group]
	over := known && p.Ended
	if !known && !s.Clock().Before(k.finishBy()) {
		var err error
		if over, err = s.isPast(ctx, k.finishBy()); err != nil {
			return nil, err
		}
	}
	switch {
	case over:
		return policyEnded{}, nil
	case k.Waiting != nil && !s.Clock().Before(k.Waiting.At.Add(undoTime)):
		return carriedOut{}, nil
	default:
		return nil, nil
	}
}

// step decides what becomes of a case and records it. storage.ErrChanged if the case, or the
// person, has changed since it was read.
func (s *engine) step(ctx context.Context, c storage.Case, k content, in input, a action) (storage.Case, content, error) {
	now := s.Clock()
	on := storage.PersonBasis{HasAccount: s.accounts}
	k, in, revision, err := s.compareNames(ctx, c, k, in)
	if err != nil {
		return c, k, err
	}
	on.Revision = revision
	t, ok := advance(c, k, in, now)
	switch {
	case !ok:
		return c, k, ErrNotNow
	case t.c.State == storage.CaseApproved && s.policies[c.Group] == nil:
		return c, k, ErrNoPolicy
	}
	return s.move(ctx, c, t, a, on, now)
}

// compareNames compares the names on all proofs with that of the account as it is now, and
// returns the revision of the person, a condition of the move: nobody changes a name between
// a check and the approval. Zero if no proof has a name.
func (s *engine) compareNames(ctx context.Context, c storage.Case, k content, in input) (content, input, int64, error) {
	r, isResult := in.(resulted)
	switch in.(type) {
	case resulted, carriedOut:
	default:
		return k, in, 0, nil
	}
	named := isResult && r.found != nil && r.found.Name != nil
	for _, of := range k.Checks {
		named = named || of.Found != nil && of.Found.Name != nil
	}
	if !named {
		return k, in, 0, nil
	}
	who, err := s.person(ctx, c.Subject)
	if err != nil {
		return k, in, 0, err
	}
	compared := func(f *finding) *finding {
		if f == nil || f.Name == nil {
			return f
		}
		one := *f
		one.NameDiffers = who.name.differs(*f.Name)
		return &one
	}
	k = k.clone()
	for i := range k.Checks {
		k.Checks[i].Found = compared(k.Checks[i].Found)
	}
	if isResult {
		r.found = compared(r.found)
		in = r
	}
	return k, in, who.revision, nil
}

// move records a transition, each in one step of the store. Where the store knows better, it
// is another one: somebody else has the proof, or the host has recorded a status meanwhile.
func (s *engine) move(ctx context.Context, before storage.Case, t transition, a action, on storage.PersonBasis, now time.Time) (storage.Case, content, error) {
	for range maxRounds {
		if t.c.State == storage.CaseApproved && t.k.HostsWord {
			t = t.superseded(now)
		}
		m, k, err := s.caseMove(ctx, t, a, now)
		if err != nil {
			return before, t.k, err
		}
		var moved storage.Case
		err = s.inStep(ctx, func(ctx context.Context) (err error) {
			moved, err = s.Store.MoveCase(ctx, m, on)
			return err
		}, append(a.lines(before), outcome(m, t)...)...)
		switch {
		case err == nil:
			t.k = k
			s.moved(ctx, before, moved, t, m, now)
			return moved, k, nil
		case errors.Is(err, storage.ErrTaken):
			if !takenByOthers(t) {
				t = t.taken(before, now)
			}
		case errors.Is(err, storage.ErrEnded) && m.Status != nil:
			if err := s.sameCase(ctx, before); err != nil {
				return before, t.k, err
			}
			if t.c.State == storage.CaseApproved { // or its account has been locked
				t = t.superseded(now)
				continue
			}
			t.k.HostsWord, t.k.ShowsPending = true, false
		case errors.Is(err, storage.ErrEnded):
			return before, t.k, s.endedBecause(ctx, before)
		case errors.Is(err, storage.ErrForbidden):
			return before, t.k, ErrForbidden
		case errors.Is(err, storage.ErrSpent):
			return before, t.k, ErrNotNow
		case errors.Is(err, storage.ErrChanged):
			return before, t.k, storage.ErrChanged
		case errors.Is(err, storage.ErrConflict):
			return before, t.k, fmt.Errorf("%w: its reference is that of another case", errVerifier)
		default:
			return before, t.k, fmt.Errorf("move case: %w", err)
		}
	}
	return before, t.k, storage.ErrChanged
}

// takenByOthers reports whether the approval already leaves out the proofs of others: then
// they have changed hands meanwhile, and are looked up again.
func takenByOthers(t transition) bool {
	return t.k.Vouched && t.k.Review != nil && t.k.Review.Taken
}

// sameCase is ErrChanged unless a case is as it was read.
func (s *engine) sameCase(ctx context.Context, before storage.Case) error {
	now, err := s.Store.Case(ctx, before.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && now.Version != before.Version:
		return storage.ErrChanged
	case err != nil:
		return fmt.Errorf("read case: %w", err)
	}
	return nil
}

// endedBecause returns why a case no longer moves: it has ended, or its account has.
func (s *engine) endedBecause(ctx context.Context, before storage.Case) error {
	now, err := s.Store.Case(ctx, before.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return ErrNoCase
	case err != nil:
		return fmt.Errorf("read case: %w", err)
	case now.State.IsFinal():
		return ErrNotNow
	default:
		return provider.ErrNoUser
	}
}

// caseMove returns a transition as the store records it, and the content that it then has.
func (s *engine) caseMove(ctx context.Context, t transition, a action, now time.Time) (storage.CaseMove, content, error) {
	m := storage.CaseMove{
		At: now, References: t.refs, Message: a.message, Decision: a.decision, EvidenceUntil: t.evidenceUntil,
	}
	m.Status = s.memberships.statusOf(&t, now)
	if t.c.State == storage.CaseApproved {
		proofs, err := s.memberships.fingerprints(ctx, t, now)
		if err != nil {
			return m, t.k, err
		}
		m.Fingerprints = proofs
	}
	t.c.NextAt = due(t.c, t.k)
	sealed, err := s.seal(t.c, t.k)
	t.c.Content = sealed
	m.Case = t.c
	return m, t.k, err
}

// outcome are the events of what a move records: a status, and the end of the case.
func outcome(m storage.CaseMove, t transition) (events []provider.Event) {
	if m.Status != nil {
		events = append(events, provider.Event{Name: event.StatusChanged, UserID: m.Case.Subject, Detail: m.Case.Group})
	}
	if m.Case.State.IsFinal() {
		events = append(events, provider.Event{
			Name: event.VerificationEnded, UserID: m.Case.Subject, ClientID: t.k.ClientID, Detail: m.Case.Group + " " + string(m.Case.State),
		})
	}
	return events
}

// moved does what follows a move. It has happened: a failure is logged, and what has to
// happen is tried again when it is due.
func (s *engine) moved(ctx context.Context, before, c storage.Case, t transition, m storage.CaseMove, now time.Time) {
	ctx = context.WithoutCancel(ctx)
	if m.Status != nil {
		s.Provider.Rooms().People.Refresh(c.Subject)
	}
	if c.State.IsFinal() {
		s.memberships.recordAtHost(ctx, c, t.k)
	}
	if c.State == storage.CaseWithdrawn {
		s.shredNow(ctx, now)
	}
	if t.news {
		s.mailNews(ctx, c)
	}
	if !c.NextAt.IsZero() && c.NextAt.Sub(now) <= undoTime {
		time.AfterFunc(max(c.NextAt.Sub(now), 0), s.wakeUp)
	}
	if before.Renewal && c.State == storage.CaseApproved {
		s.memberships.endReplaced(ctx, c, t.k, now)
	}
}

// shredNow shreds the evidence of a case that its person has withdrawn.
func (s *engine) shredNow(ctx context.Context, now time.Time) {
	if _, err := s.Store.ShredEvidence(ctx, now, sweepBatch); err != nil {
		s.Logger.ErrorContext(ctx, "evidence of a withdrawn case could not be shredded; will retry", slog.Any("error", err))
	}
}

// wakeUp has run look for what is due.
func (s *engine) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
