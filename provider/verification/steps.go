package verification

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The errors of the steps of a person.
var (
	errWrongCode  = errors.New("verification: the code is not the one that was sent, or too old")
	errIncomplete = errors.New("verification: something that is required is missing")
)

// maxAnswer limits a field of a form, and maxName a name, in characters.
const (
	maxAnswer = 500
	maxName   = 120
)

// The steps of a person. Each names the version that the person has seen; another is
// ErrNotNow, and a case of somebody else ErrNoCase. errVerifier means that the person can
// only try again.

// owned is for a case of this user that has not ended, in the version that the user has seen;
// zero for any.
func owned(userID string, version int64) func(storage.Case, content) error {
	return func(c storage.Case, _ content) error {
		switch {
		case c.Subject != userID:
			return ErrNoCase
		case c.State.IsFinal(), version != 0 && c.Version != version:
			return ErrNotNow
		default:
			return nil
		}
	}
}

// personAct is an action of a person: the verifier of the present step gets an event.
func (s *caseSteps) personAct(ctx context.Context, id string, a action) (RecordedCase, error) {
	c, k, err := s.engine.act(ctx, id, a)
	if err != nil && !errors.Is(err, errWrongCode) {
		return RecordedCase{}, err
	}
	recorded, failed := s.engine.recorded(ctx, c, k)
	return recorded, errors.Join(err, failed)
}

// choose begins a method, again if it has failed. A LimitError after too many tries.
func (s *caseSteps) choose(ctx context.Context, userID, id string, version int64, method string) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			p, v, err := s.verifierOf(c, method)
			if err != nil {
				return nil, "", err
			}
			if k.Waiting != nil || c.State == storage.CaseReview || !slices.Contains(k.choices(), method) {
				return nil, "", ErrNotNow
			}
			if err := s.allowTry(ctx, p, userID, "try"); err != nil {
				return nil, "", err
			}
			return s.engine.asked(ctx, v, c, k, Event{Kind: Begun}, true)
		},
	})
}

// verifierOf returns the policy of a case and its verifier with this name. ErrNotNow if the
// host has removed it.
func (s *core) verifierOf(c storage.Case, method string) (*Policy, *Verifier, error) {
	p := s.policies[c.Group]
	if p == nil {
		return nil, nil, ErrNoPolicy
	}
	v := p.verifier(method)
	if v == nil {
		return nil, nil, ErrNotNow
	}
	return p, v, nil
}

// asked is ask as the input of an action. A code is counted before it is mailed.
func (s *engine) asked(ctx context.Context, v *Verifier, c storage.Case, k content, e Event, anew bool) (input, string, error) {
	in, mailed, err := s.ask(ctx, v, c, k, e, anew)
	if err != nil {
		return nil, "", err
	}
	if in.code != nil {
		if err := s.allowCode(ctx, c.Subject, in.code.Address); err != nil {
			return nil, "", err
		}
	}
	return in, mailed, nil
}

// current returns the verifier and the step that the person is in, which is one of a kind.
func (s *core) current(c storage.Case, k content, is func(*step) bool) (*Policy, *Verifier, *step, error) {
	of := k.check(c.Method)
	if c.State != storage.CaseOpen || of == nil || of.State != checkAsked || of.Step == nil || !is(of.Step) {
		return nil, nil, nil, ErrNotNow
	}
	p, v, err := s.verifierOf(c, c.Method)
	return p, v, of.Step, err
}

func isAsk(s *step) bool  { return s.Ask != nil }
func isCode(s *step) bool { return s.Code != nil }
func isGoTo(s *step) bool { return s.GoTo != nil }

// answer sends the fields of an Ask. errIncomplete if a required one is empty.
func (s *caseSteps) answer(ctx context.Context, userID, id string, version int64, form map[string]string) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			p, v, step, err := s.current(c, k, isAsk)
			if err != nil {
				return nil, "", err
			}
			fields, err := step.Ask.read(form)
			if err != nil {
				return nil, "", err
			}
			if err := s.allowTry(ctx, p, userID, "answer"); err != nil {
				return nil, "", err
			}
			return s.engine.asked(ctx, v, c, k, Event{Kind: Answered, Form: fields}, false)
		},
	})
}

// read returns the fields of a form that it asks for.
func (a Ask) read(form map[string]string) (map[string]string, error) {
	fields := make(map[string]string, len(a.Fields))
	for _, f := range a.Fields {
		value := strings.TrimSpace(form[f.Name])
		if value == "" && !f.Optional || !utf8.ValidString(value) || utf8.RuneCountInString(value) > maxAnswer {
			return nil, errIncomplete
		}
		fields[f.Name] = value
	}
	return fields, nil
}

// enterCode sends a mailed code. errWrongCode with the case as it is then, or a LimitError
// without a Wait when its tries are over: then only sendAgain helps. One with a Wait is for
// who has entered too many wrong ones in all.
func (s *caseSteps) enterCode(ctx context.Context, userID, id string, version int64, entered string) (RecordedCase, error) {
	wrong := false
	recorded, err := s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, step, err := s.current(c, k, isCode)
			if err != nil {
				return nil, "", err
			}
			if step.Code.Tries >= maxCodeTries {
				return nil, "", LimitError{}
			}
			guess := limited{"verification wrong code", userID, wrongCodes}
			if err := s.allow(ctx, guess); err != nil {
				return nil, "", err
			}
			digest := s.engine.mailedDigest(c, v.Name, digits(entered))
			fits := subtle.ConstantTimeCompare(digest[:], step.Code.Digest[:]) == 1
			if wrong = !fits || s.Clock().After(step.Code.SentAt.Add(codeLife)); wrong {
				return mistyped{}, "", nil
			}
			s.giveBack(ctx, guess)
			return s.engine.asked(ctx, v, c, k, Event{Kind: Confirmed, Address: step.Code.Address}, false)
		},
	})
	if err == nil && wrong {
		err = errWrongCode
	}
	return recorded, err
}

// digits are the digits of what somebody has typed.
func digits(entered string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, entered)
}

// sendAgain mails another code to the same address; the former one is void.
func (s *caseSteps) sendAgain(ctx context.Context, userID, id string, version int64) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, step, err := s.current(c, k, isCode)
			if err != nil {
				return nil, "", err
			}
			if err := s.allowCode(ctx, userID, step.Code.Address); err != nil {
				return nil, "", err
			}
			another, mailed, err := s.engine.newCode(c, v.Name, step.Code.Address, s.Clock())
			if err != nil {
				return nil, "", fmt.Errorf("%w: %w", errVerifier, err)
			}
			return resulted{method: v.Name, result: SendCode{}, memory: k.check(v.Name).Memory, code: another}, mailed, nil
		},
	})
}

// submit tells that all files of an Upload are there, and which name they have; an empty one
// leaves that which is known. A missingFilesError or errNameless, which are errIncomplete, if
// one is missing.
func (s *caseSteps) submit(ctx context.Context, userID, id string, version int64, said string) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			v, step, err := s.evidenceFiles.upload(c, k)
			if err != nil {
				return nil, "", err
			}
			files, err := s.evidenceFiles.uploaded(ctx, c, k, v, step)
			if err != nil {
				return nil, "", err
			}
			name := nameOf(said)
			if name == "" {
				if name, err = s.claimed(ctx, c, k); err != nil {
					return nil, "", err
				}
			}
			if v.ComparesName && !isName(name) {
				return nil, "", errNameless
			}
			in, mailed, err := s.engine.asked(ctx, v, c, k, Event{Kind: Uploaded, Evidence: files}, false)
			if result, ok := in.(resulted); ok && v.ComparesName {
				result.claimed = name
				in = result
			}
			return in, mailed, err
		},
	})
}

// errNameless is errIncomplete: nobody knows which name the files must have.
var errNameless = fmt.Errorf("%w: the name on the files", errIncomplete)

// claimed is the name that the files of a case have as the person says, at first that of the
// account; empty for none.
func (s *caseSteps) claimed(ctx context.Context, c storage.Case, k content) (string, error) {
	if k.Claimed != "" {
		return k.Claimed, nil
	}
	who, err := s.person(ctx, c.Subject)
	return nameOf(who.name.Given + " " + who.name.Family), err
}

// nameOf is a name as reviewers see it: nothing in it turns it around or hides.
func nameOf(entered string) string { return ui.Clean(entered, maxAnswer) }

// isName reports whether what nameOf returns can be compared with a document.
func isName(name string) bool { return len(words(name)) > 0 && utf8.RuneCountInString(name) <= maxName }

// claim says which name the files of the present step have. errNameless if it is none.
func (s *caseSteps) claim(ctx context.Context, userID, id string, version int64, name string) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(_ context.Context, c storage.Case, k content) (input, string, error) {
			v, _, err := s.evidenceFiles.upload(c, k)
			switch {
			case err != nil:
				return nil, "", err
			case !v.ComparesName:
				return nil, "", ErrNotNow
			case !isName(nameOf(name)):
				return nil, "", errNameless
			}
			return named{nameOf(name)}, "", nil
		},
	})
}

// comeBack tells that the person has come back from a GoTo. It decides nothing: the verifier
// asks the other side, or opens what that has sealed.
func (s *caseSteps) comeBack(ctx context.Context, userID, id string, query map[string]string) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, 0),
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, _, err := s.current(c, k, isGoTo)
			if err != nil {
				return nil, "", err
			}
			e := Event{Kind: Returned, Reference: k.check(v.Name).Reference, Query: query}
			return s.engine.asked(ctx, v, c, k, e, false)
		},
	})
}

// stepBack returns the person from a step to the choice of methods.
func (s *caseSteps) stepBack(ctx context.Context, userID, id string, version int64) (RecordedCase, error) {
	return s.personAct(ctx, id, action{
		fits: owned(userID, version),
		input: func(context.Context, storage.Case, content) (input, string, error) {
			return steppedBack{}, "", nil
		},
	})
}

// Withdraw ends a case at the person's request: its evidence is shredded at once. In review it
// counts as one more try, and a decline that waits to be carried out is what ends it. ErrNoCase
// if it is not this user's, ErrNotNow if it has ended.
func (s *caseSteps) Withdraw(ctx context.Context, userID, id string) error {
	var reviewed bool
	c, _, err := s.engine.act(ctx, id, action{
		fits: owned(userID, 0),
		input: func(_ context.Context, c storage.Case, k content) (input, string, error) {
			reviewed = c.State == storage.CaseReview || k.Waiting != nil
			return withdrew{}, "", nil
		},
	})
	p := s.policies[c.Group]
	if err != nil || !reviewed || p == nil {
		return err
	}
	// To withdraw what a reviewer has taken up would otherwise be a way never to be declined.
	if err := s.allowTry(ctx, p, userID, "try"); err != nil && !errors.As(err, new(LimitError)) {
		s.Logger.WarnContext(ctx, "a case that was withdrawn in review could not be counted", "error", err)
	}
	return nil
}

// Report gives a case the result of a method that is decided elsewhere, such as on the page
// of a HostPage verifier: an Accept, Refuse, Review or Wait. ErrNotNow unless the person was
// sent there or the method waits; a result that a verifier could not return is an error.
func (s *caseSteps) Report(ctx context.Context, caseID, method string, r Result) (RecordedCase, error) {
	return s.personAct(ctx, caseID, action{
		fits: func(c storage.Case, k content) error {
			of := k.check(method)
			if c.State.IsFinal() || of == nil || of.Step == nil || of.Step.GoTo == nil && of.Step.Wait == nil {
				return ErrNotNow
			}
			return nil
		},
		input: func(ctx context.Context, c storage.Case, k content) (input, string, error) {
			_, v, err := s.verifierOf(c, method)
			if err != nil {
				return nil, "", err
			}
			switch r.(type) {
			case Accept, Refuse, Review, Wait:
			default:
				return nil, "", errors.New("verification: only Accept, Refuse, Review and Wait can be reported")
			}
			who, err := s.person(ctx, c.Subject)
			if err != nil {
				return nil, "", err
			}
			in, _, err := s.engine.admit(v, c, who.name, r, s.Clock())
			if err != nil {
				return nil, "", fmt.Errorf("verification: report: %w", err)
			}
			in.memory = k.check(method).Memory
			return in, "", nil
		},
	})
}
