package plans

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// sealedBreak is the kind of the sealed sentences of breaks.
const sealedBreak = "break"

// The length of a sentence, in characters.
const (
	minSentence = 20
	maxSentence = 500
)

// Alone is what one operator would do alone.
type Alone struct {
	Action, Target string
	Values         map[string]string
	// Revision is that of what was shown.
	Revision string
	// Matter is the open matter about the person, and empty for another target.
	Matter string
	// Sentence says why, in words that are typed: 20 to 500 characters.
	Sentence string
}

// MayBreak returns the action that a member may do alone, in place of a second, without a proof, or
// to somebody who works here: ErrForbidden if they are no operator, or nobody does it alone, ErrOwn if it is
// about them.
func (s *Service) MayBreak(ctx context.Context, by Member, name, target string) (action.Action, error) {
	a, ok := s.Book.Action(name)
	if !ok || a.Wait > 0 || by.staffID() == "" || !by.Staff.Operates() || !by.Staff.Is(a.Roles...) {
		return action.Action{}, ErrForbidden
	}
	if why, err := s.bars(ctx, a, target, by); err != nil || why != "" {
		if why != "" {
			err = ErrOwn
		}
		return action.Action{}, err
	}
	return a, nil
}

// Break does alone what would have needed another, or a proof. The first write and the record of the
// break are one step, and the break is done when all is; then the host is told, and whether it was is recorded. A sentence that is too
// short or too long is a provider.FieldError of "sentence"; provider.ErrChanged if the target is not
// what was shown, or there was nothing to do.
func (s *Service) Break(ctx context.Context, by Member, what Alone) (action.Result, error) {
	a, err := s.MayBreak(ctx, by, what.Action, what.Target)
	if err != nil {
		return action.Result{}, err
	}
	sentence := strings.TrimSpace(what.Sentence)
	if n := utf8.RuneCountInString(sentence); n < minSentence || n > maxSentence || !utf8.ValidString(sentence) {
		return action.Result{}, wrong("sentence", fmt.Sprintf("must be %d to %d characters", minSentence, maxSentence))
	}
	now := s.Frame.Now()
	b := storage.Break{ID: random.SortedUUID(now), Staff: by.staffID(), Action: a.Name, Target: what.Target, At: now}
	b.Sentence = s.provider.Rooms().People.Seal(sealedBreak, b.ID, []byte(sentence))
	actor := storage.Actor{Name: by.Name, Matter: what.Matter, Break: &b}
	if what.Matter != "" {
		actor.On = storage.DeedBasis{Matter: what.Matter, Staff: by.staffID(), Subject: what.Target, At: now}
	}
	result, err := a.Carry(ctx, s.store, actor, order(a, what.Target, what.Values, "", by), what.Revision)
	if err == nil {
		_, err = storage.One(s.store.Breaks(ctx, storage.BreakFilter{ID: new(b.ID)}))
	}
	if errors.Is(err, storage.ErrNotFound) { // there was nothing to do, and nothing was written
		return action.Result{}, provider.ErrChanged
	}
	if err != nil {
		return action.Result{}, err
	}
	s.tell(ctx, b, sentence)
	return result, nil
}

// tell tells the host of a break, and records that it was told.
func (s *Service) tell(ctx context.Context, b storage.Break, sentence string) {
	told := s.Frame.Raise(ctx, frame.Alarm{Kind: frame.AlarmBreak, Staff: b.Staff, Action: b.Action, Target: b.Target, Sentence: sentence, At: b.At})
	if !told {
		return
	}
	if err := s.store.MarkBreak(context.WithoutCancel(ctx), b.ID, storage.BreakMark{Told: true}); err != nil {
		s.Frame.Logger.ErrorContext(ctx, "it could not be recorded that the host was told of a break", "break", b.ID, "error", err)
	}
}

// How often Run tells the host again of breaks, how long who has made one is given to tell it, and
// how many are read at a time.
const (
	tellEvery = time.Minute
	tellAfter = 30 * time.Second
	tellPage  = 100
)

// tellAgain tells the host of open breaks of which it was not told: it failed, or the process that
// made them has ended in between. Processes that do so at once tell it more than once.
func (s *Service) tellAgain(ctx context.Context) {
	s.working.Lock()
	defer s.working.Unlock()
	now := s.Frame.Now()
	if s.Frame.Alarm == nil || now.Sub(s.toldAgain) < tellEvery {
		return
	}
	s.toldAgain = now
	end := time.Now().Add(turn)
	_, err := batch.Over(ctx, &s.telling, tellPage, func(ctx context.Context, before string, limit int) ([]storage.Break, error) {
		return s.store.Breaks(ctx, storage.BreakFilter{Open: true, BeforeID: before, Limit: limit})
	}, func(b storage.Break) string { return b.ID }, func(ctx context.Context, b storage.Break) error {
		if !b.Told && now.Sub(b.At) >= tellAfter {
			s.tell(ctx, b, s.sentence(ctx, b))
		}
		if time.Now().After(end) {
			return batch.ErrEnough
		}
		return nil
	})
	if err != nil {
		s.Frame.Logger.WarnContext(ctx, "it is not known of which breaks the host was told", "error", err)
	}
}

// SignOff records that a member has looked at a break of another. ErrForbidden if they are no
// operator, ErrOwn if it is theirs, ErrOver if it is signed off.
func (s *Service) SignOff(ctx context.Context, by Member, id string) error {
	if by.staffID() == "" || !by.Staff.Operates() {
		return ErrForbidden
	}
	b, err := storage.One(s.store.Breaks(ctx, storage.BreakFilter{ID: new(id)}))
	if err != nil {
		return err
	}
	ctx = provider.By(ctx, storage.Actor{Name: by.Name, Matter: b.ID})
	err = s.provider.Rooms().Events.WriteWith(ctx, func(ctx context.Context) error {
		return s.store.MarkBreak(ctx, id, storage.BreakMark{SignedOffBy: by.staffID(), SignedOffAt: s.Frame.Now()})
	}, provider.Event{Name: event.BreakSignedOff, Detail: b.Action})
	if err != nil {
		return fmt.Errorf("sign off break: %w", decided(err))
	}
	return nil
}

// sentence returns why somebody acted alone. One that cannot be read is empty, and logged.
func (s *Service) sentence(ctx context.Context, b storage.Break) string {
	plain, err := s.provider.Rooms().People.Open(sealedBreak, b.ID, b.Sentence)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Frame.Logger.ErrorContext(ctx, "the sentence of a break cannot be read", "break", b.ID, "error", err)
	}
	return string(plain)
}

// isOverdue reports whether a break has waited too long for another.
func (s *Service) isOverdue(b storage.Break) bool {
	return b.SignedOffBy == "" && s.Frame.Now().Sub(b.At) >= Overdue
}
