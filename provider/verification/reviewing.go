package verification

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// maxNote is the maximum length of a reviewer's note, in characters.
const maxNote = 2000

const sealedDecision = "decision"

// judgement is the part of a decision that the store has encrypted.
type judgement struct {
	Reasons   []Reason          `json:"reasons,omitempty"`
	Note      string            `json:"note,omitempty"`
	Subgroups []string          `json:"subgroups,omitempty"`
	Until     time.Time         `json:"until,omitzero"`
	Kinds     []string          `json:"kinds,omitempty"`
	Answers   map[string][]bool `json:"answers,omitempty"`

	NameMatches bool `json:"name_matches,omitempty"`
}

// Take gives a reviewer the case with this ID or, if that is empty, the one that is due
// first of those that can be read, until a time. ErrNoCase if there is none that the reviewer
// may take.
func (s *caseReviews) Take(ctx context.Context, by storage.Reviewer, id string, until time.Time) (RecordedCase, error) {
	if id != "" {
		c, _, err := s.engine.read(ctx, id) // it may have been decided
		if err != nil {
			return RecordedCase{}, err
		}
		return s.take(ctx, by, c, until)
	}
	for last := (storage.Case{}); ; {
		waiting, err := s.Store.Cases(ctx, storage.CaseFilter{Reviewer: &by, DueAfter: last.DueAt, AfterID: last.ID, Limit: takeBatch})
		if err != nil {
			return RecordedCase{}, fmt.Errorf("list waiting cases: %w", err)
		}
		for _, last = range waiting {
			if last.TakenBy != by.ID && s.Clock().Before(last.TakenUntil) {
				continue
			}
			if _, err := s.open(last); err != nil { // one that nobody can decide keeps nobody from the next
				s.unreadable(ctx, last, err)
				continue
			}
			if taken, err := s.take(ctx, by, last, until); !errors.Is(err, ErrNoCase) {
				return taken, err
			}
		}
		if len(waiting) < takeBatch {
			return RecordedCase{}, ErrNoCase
		}
	}
}

// takeBatch is how many cases are looked at for the next one.
const takeBatch = 25

// take gives a reviewer a case that was read. Who has it keeps it for longer, which is no act.
func (s *caseReviews) take(ctx context.Context, by storage.Reviewer, c storage.Case, until time.Time) (RecordedCase, error) {
	now := s.Clock()
	var line []provider.Event
	if c.TakenBy != by.ID || !now.Before(c.TakenUntil) {
		line = append(line, provider.Event{Name: event.CaseTaken, UserID: c.Subject, Detail: c.Group})
	}
	err := s.inStep(reviewing(ctx, by, c.ID), func(ctx context.Context) (err error) {
		c, err = s.Store.TakeCase(ctx, by, c.ID, now, until)
		return err
	}, line...)
	if errors.Is(err, storage.ErrNotFound) {
		return RecordedCase{}, ErrNoCase
	}
	if err != nil {
		return RecordedCase{}, fmt.Errorf("take case: %w", err)
	}
	k, err := s.open(c)
	if err != nil {
		return RecordedCase{}, err
	}
	return s.engine.recorded(ctx, c, k)
}

// Return gives back a case that the reviewer has taken.
func (s *caseReviews) Return(ctx context.Context, by storage.Reviewer, id string) error {
	c, err := s.Store.Case(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.TakenBy != by.ID {
		return nil
	}
	if err == nil {
		err = s.inStep(reviewing(ctx, by, id), func(ctx context.Context) error {
			return s.Store.ReturnCase(ctx, by.ID, id)
		}, provider.Event{Name: event.CaseReturned, UserID: c.Subject, Detail: c.Group})
	}
	if err != nil && !errors.Is(err, storage.ErrSpent) { // it was given back meanwhile
		return fmt.Errorf("return case: %w", err)
	}
	return nil
}

// Waiting returns up to limit cases in review for a reviewer that are due after the given
// one, as storage.CaseFilter says.
func (s *caseReviews) Waiting(ctx context.Context, by storage.Reviewer, dueAfter time.Time, afterID string, limit int) ([]RecordedCase, error) {
	found, err := s.Store.Cases(ctx, storage.CaseFilter{Reviewer: &by, DueAfter: dueAfter, AfterID: afterID, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list waiting cases: %w", err)
	}
	return s.engine.recordedAll(ctx, found)
}

// Decide records the decision of a reviewer who has taken the case. It is carried out after
// ten seconds, until which Undo takes it back. Where the policy asks
// for two reviewers, or for an override, the first decision waits for another reviewer, who
// does not see it; if they differ, a senior reviewer decides. ErrNotNow if the case has
// another version, ErrForbidden if the reviewer may not decide it, a provider.FieldError for
// an invalid field of the decision.
func (s *caseReviews) Decide(ctx context.Context, by storage.Reviewer, id string, version int64, d Decision) (RecordedCase, error) {
	decisionID := random.SortedUUID(s.Clock())
	sealed, err := s.sealDecision(decisionID, d)
	if err != nil {
		return RecordedCase{}, err
	}
	now := s.Clock()
	recorded := &storage.Decision{
		ID: decisionID, CaseID: id, Kind: d.Kind, Reviewer: by.ID, Subject: by.Subject, At: now, Content: sealed,
	}
	return s.caseSteps.personAct(reviewing(ctx, by, id), id, action{
		decision: recorded, line: provider.Event{Name: event.CaseDecided, Detail: string(d.Kind)},
		fits: func(c storage.Case, k content) error {
			if c.State != storage.CaseReview || c.Version != version || k.Review == nil {
				return ErrNotNow
			}
			if c.Subject == by.ID || c.Subject == by.Subject {
				return ErrForbidden
			}
			return nil
		},
		input: func(_ context.Context, c storage.Case, k content) (input, string, error) {
			if err := s.checkDecision(c, k, &d); err != nil {
				return nil, "", err
			}
			return decided{opinion{
				ID: decisionID, Kind: d.Kind, Reviewer: by.ID, Subject: by.Subject, At: now,
				Reasons: d.Reasons, Subgroups: d.Subgroups, Until: d.Until, Kinds: d.Kinds,
			}}, "", nil
		},
	})
}

// checkDecision returns an error for the first invalid field of a decision, and fills in what
// an empty one stands for.
func (s *caseReviews) checkDecision(c storage.Case, k content, d *Decision) error {
	needsReason, needsNote := false, slices.Contains(d.Reasons, ReasonOther)
	switch d.Kind {
	case storage.DecisionApprove:
		if err := s.checkApproval(c, k); err != nil {
			return err
		}
	case storage.DecisionDecline, storage.DecisionAskAgain:
		needsReason = true
	case storage.DecisionOverride, storage.DecisionEscalate:
		needsNote = true
		if d.Kind == storage.DecisionOverride && s.policies[c.Group] == nil {
			return errNoPolicyNow
		}
	case storage.DecisionRecuse:
	default:
		return wrongField("Kind", "%q is none of the kinds of decisions", d.Kind)
	}
	known := s.group(c.Group).Subgroups
	for i, subgroup := range d.Subgroups {
		if !slices.Contains(known, subgroup) {
			return wrongField(fmt.Sprintf("Subgroups[%d]", i), "group %q has no subgroup %q", c.Group, subgroup)
		}
	}
	switch {
	case needsReason && len(d.Reasons) == 0:
		return wrongField("Reasons", "are missing")
	case len(d.Reasons) > maxFacts:
		return wrongField("Reasons", "are more than %d", maxFacts)
	case needsNote && d.Note == "":
		return wrongField("Note", "is missing; this decision has to be explained to other reviewers")
	case utf8.RuneCountInString(d.Note) > maxNote:
		return wrongField("Note", "has more than %d characters", maxNote)
	case !d.Until.IsZero() && !s.Clock().Before(d.Until):
		return wrongField("Until", "is over")
	}
	if err := s.checkAnswers(c, k, d); err != nil {
		return err
	}
	if err := s.checkName(c, k, d); err != nil {
		return err
	}
	if d.Kind == storage.DecisionAskAgain {
		return s.checkKinds(c, k, d)
	}
	return nil
}

// errNoPolicyNow refuses an approval of which nobody knows for how long it holds.
var errNoPolicyNow = wrongField("Kind", "cannot be an approval: the program has no policy for the group any more")

// checkApproval refuses an approval that nothing supports, or of which nobody knows what the
// files must show.
func (s *caseReviews) checkApproval(c storage.Case, k content) error {
	p, method := s.policies[c.Group], k.Review.Method
	switch {
	case p == nil:
		return errNoPolicyNow
	case method == "" && k.Terms.Rule.verdict(k.state) == refused:
		return wrongField("Kind", "cannot be approve: no method has found this person to be a member, so that it takes an override")
	case method != "" && p.verifier(method) == nil:
		return wrongField("Kind", "cannot be approve: the program has no method %q any more, so that it takes an override", method)
	}
	return nil
}

// checkAnswers wants an answer to everything that a file of the method must show, before a
// case is approved, and all of it or nothing in other decisions. Who approves says yes to all.
func (s *caseReviews) checkAnswers(c storage.Case, k content, d *Decision) error {
	p := s.policies[c.Group]
	if p == nil || k.Review.Method == "" || !slices.Contains([]storage.DecisionKind{storage.DecisionApprove, storage.DecisionDecline, storage.DecisionAskAgain}, d.Kind) {
		return nil
	}
	v := p.verifier(k.Review.Method)
	if v == nil {
		return nil
	}
	for _, r := range v.Upload {
		answers, asked := d.Answers[r.Name]
		switch {
		case len(answers) != len(r.Must) && (asked || d.Kind == storage.DecisionApprove):
			return wrongField("Answers", "are not about all that %q must show", r.Name)
		case d.Kind == storage.DecisionApprove && slices.Contains(answers, false):
			return wrongField("Answers", "say that %q does not show what it must", r.Name)
		}
	}
	return nil
}

// checkName refuses to approve files that have another name than the person gave, or that
// nobody could compare: else the card of a stranger fits every account.
func (s *caseReviews) checkName(c storage.Case, k content, d *Decision) error {
	switch {
	case d.Kind != storage.DecisionApprove && d.Kind != storage.DecisionOverride || !s.comparesName(c.Group, k.Review.Method):
		return nil
	case k.Claimed == "":
		return wrongField("Kind", "cannot be %s: the person gave no name to compare; ask again for it", d.Kind)
	case d.Kind == storage.DecisionApprove && !d.NameMatches:
		return wrongField("NameMatches", "is false: the files do not have the name that the person gave")
	default:
		return nil
	}
}

// comparesName reports whether a method of a group rests on a name.
func (s *core) comparesName(group, method string) bool {
	p := s.policies[group]
	if p == nil {
		return false
	}
	v := p.verifier(method)
	return v != nil && v.ComparesName
}

// checkKinds has the person upload all files again, unless the reviewer says which.
func (s *caseReviews) checkKinds(c storage.Case, k content, d *Decision) error {
	p := s.policies[c.Group]
	if p == nil || k.Review.Method == "" {
		return nil
	}
	v := p.verifier(k.Review.Method)
	if v == nil || len(v.Upload) == 0 {
		return nil
	}
	all := Upload{}.kinds(v)
	for i, kind := range d.Kinds {
		if !slices.Contains(all, kind) {
			return wrongField(fmt.Sprintf("Kinds[%d]", i), "%q is no requirement of the method", kind)
		}
	}
	if len(d.Kinds) == 0 {
		d.Kinds = all
	}
	return nil
}

// Undo takes back the decision of a reviewer that waits to be carried out, and gives the
// reviewer the case until a time. ErrNotNow if it has been carried out, ErrForbidden if it is
// another reviewer's.
func (s *caseReviews) Undo(ctx context.Context, by storage.Reviewer, id string, until time.Time) (RecordedCase, error) {
	for range maxRounds {
		c, k, err := s.engine.read(ctx, id)
		if err != nil {
			return RecordedCase{}, err
		}
		now := s.Clock()
		t, ok := advance(c, k, undone{}, now)
		if !ok {
			return RecordedCase{}, ErrNotNow
		}
		if k.Waiting.Reviewer != by.ID {
			return RecordedCase{}, ErrForbidden
		}
		m, after, err := s.engine.caseMove(ctx, t, action{}, now)
		if err != nil {
			return RecordedCase{}, err
		}
		var moved storage.Case
		err = s.inStep(reviewing(ctx, by, id), func(ctx context.Context) (err error) {
			moved, err = s.Store.UndoDecision(ctx, k.Waiting.ID, by.ID, m, until)
			return err
		}, provider.Event{Name: event.DecisionUndone, UserID: c.Subject, Detail: c.Group})
		if errors.Is(err, storage.ErrChanged) {
			continue // it has been carried out, or another action has come between
		}
		if err != nil {
			return RecordedCase{}, fmt.Errorf("undo decision: %w", err)
		}
		return s.engine.recorded(ctx, moved, after)
	}
	return RecordedCase{}, ErrNotNow
}

// Decisions returns the decisions about a case, the earliest first. A reviewer who has yet to
// decide must not see those of the round.
func (s *caseReviews) Decisions(ctx context.Context, caseID string) ([]RecordedDecision, error) {
	stored, err := s.Store.Decisions(ctx, caseID)
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	all := make([]RecordedDecision, len(stored))
	for i, d := range stored {
		var j judgement
		unreadable := s.unseal(sealedDecision, d.ID, d.Content, &j)
		if unreadable != nil {
			s.Logger.ErrorContext(ctx, "a decision cannot be read", slog.String("case", caseID), slog.Any("error", unreadable))
		}
		all[i] = RecordedDecision{
			Decision: Decision{d.Kind, j.Reasons, j.Note, j.Subgroups, j.Until, j.Kinds, j.NameMatches, j.Answers},
			Reviewer: d.Reviewer, Round: d.Round, At: d.At, Undone: d.Undone, Unreadable: unreadable != nil,
		}
	}
	return all, nil
}

func (s *caseReviews) sealDecision(id string, d Decision) ([]byte, error) {
	plain, err := json.Marshal(judgement{d.Reasons, d.Note, d.Subgroups, d.Until, d.Kinds, d.Answers, d.NameMatches})
	if err != nil {
		return nil, fmt.Errorf("encode decision: %w", err)
	}
	return s.Provider.Rooms().People.Seal(sealedDecision, id, plain), nil
}
