package verification

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// atCase shows where a case stands, or takes the person's step.
func (s *casePages) atCase(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if r.posts() {
		return s.takeStep(r, c)
	}
	return s.showCase(r, c, http.StatusOK)
}

// takeStep takes a step of the person.
func (s *casePages) takeStep(r *request, c RecordedCase) error {
	ctx, user, version := r.context(), r.User.UserID, r.version()
	var err error
	switch action := r.posted(ui.FieldAction); {
	case r.Request.PostForm.Has(screens.FieldMethod):
		_, err = s.caseSteps.choose(ctx, user, c.ID, version, r.posted(screens.FieldMethod))
	case action == screens.ActionOther:
		_, err = s.caseSteps.stepBack(ctx, user, c.ID, version)
	case action == ui.ActionResend:
		if _, err = s.caseSteps.sendAgain(ctx, user, c.ID, version); err == nil {
			r.Room().RedirectWith(s.path("case", c.ID), ui.Notice(screens.NoticeCodeSent))
			return nil
		}
	default:
		return s.answerStep(r, c, version)
	}
	return s.answered(r, c, err)
}

// answerStep sends what the person has entered.
func (s *casePages) answerStep(r *request, c RecordedCase, version int64) error {
	ctx, user, l := r.context(), r.User.UserID, r.Page().Locale
	switch step := c.Step.(type) {
	case Ask:
		if c.Version != version {
			return s.toCase(r, c.ID)
		}
		if problems := problemsOf(l, step, r.posted); len(problems) > 0 {
			return s.showCase(r, c, http.StatusUnprocessableEntity, problems...)
		}
		form := make(map[string]string, len(step.Fields))
		for _, f := range step.Fields {
			form[f.Name] = r.posted(screens.FieldAnswer + f.Name)
		}
		after, err := s.caseSteps.answer(ctx, user, c.ID, version, form)
		if again, ok := after.Step.(Ask); err == nil && ok && again.Problem != "" && after.State == storage.CaseOpen {
			return s.showCase(r, after, http.StatusUnprocessableEntity)
		}
		return s.answered(r, c, err)
	case SendCode:
		entered := r.posted(ui.FieldCode)
		if strings.TrimSpace(entered) == "" {
			return s.showCase(r, c, http.StatusUnprocessableEntity, screens.CodeMissing(l))
		}
		after, err := s.caseSteps.enterCode(ctx, user, c.ID, version, entered)
		var limited LimitError
		switch {
		case errors.Is(err, errWrongCode):
			return s.showCase(r, after, http.StatusUnprocessableEntity, ui.Problem{Code: ui.CodeWrong})
		case errors.As(err, &limited) && limited.Wait <= 0:
			return s.showCase(r, c, http.StatusTooManyRequests, screens.Spent(l))
		}
		return s.answered(r, c, err)
	default:
		return s.toCase(r, c.ID)
	}
}

// answered answers a form by what has become of its step: the page of the case, or that page
// with what was wrong. Where the case has moved on, as by the same form in another tab, the
// present page says where it stands.
func (s *casePages) answered(r *request, c RecordedCase, err error) error {
	var limited LimitError
	l := r.Page().Locale
	switch {
	case err == nil, errors.Is(err, ErrNotNow):
		return s.toCase(r, c.ID)
	case errors.Is(err, ErrNoCase):
		return provider.ErrScreenNotFound
	case errors.As(err, &limited):
		return s.showCase(r, c, r.Room().TooMany(limited.Wait), screens.TooMany(l, s.until(limited)))
	case errors.Is(err, errIncomplete):
		return s.showCase(r, c, http.StatusUnprocessableEntity, screens.NotAccepted(l, screens.Reason(ReasonIncomplete)))
	case errors.Is(err, provider.ErrRecipientRefused):
		now, err := s.own(r)
		if err != nil {
			return err
		}
		return s.showCase(r, now, http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailUndeliverable})
	case errors.Is(err, errVerifier):
		s.Logger.WarnContext(r.context(), "a verifier failed", "error", err)
		return s.showCase(r, c, http.StatusServiceUnavailable, screens.NotAccepted(l, screens.Reason(ReasonNotNow)))
	default:
		return err
	}
}

// problemsOf are what is wrong with the entered fields before anybody is asked.
func problemsOf(l *ui.Locale, a Ask, posted func(string) string) []ui.Problem {
	var problems []ui.Problem
	for _, f := range a.Fields {
		name := screens.FieldAnswer + f.Name
		value := strings.TrimSpace(posted(name))
		_, notADate := time.Parse(time.DateOnly, value)
		switch {
		case value == "" && f.Optional:
		case value == "":
			problems = append(problems, screens.Missing(l, name))
		case len([]rune(value)) > maxAnswer:
			problems = append(problems, screens.TooLong(l, name, maxAnswer))
		case f.Kind == "date" && notADate != nil:
			problems = append(problems, screens.NotADate(l, name))
		}
	}
	return problems
}

// showCase shows where a case stands, and what the person can do.
func (s *casePages) showCase(r *request, c RecordedCase, code int, problems ...ui.Problem) error {
	p, err := s.casePage(r, c)
	if err != nil {
		return err
	}
	switch c.State {
	case storage.CaseOpen:
		return s.showStep(r, c, p, code, problems)
	case storage.CasePending, storage.CaseReview:
		return s.showPending(r, c, p)
	case storage.CaseApproved:
		return s.showApproved(r, c, p)
	case storage.CaseDeclined:
		s.showDeclined(r, c, p)
	default:
		s.showEnded(r, c, p)
	}
	return nil
}

// showStep shows what the person has to do.
func (s *casePages) showStep(r *request, c RecordedCase, p screens.CasePage, code int, problems []ui.Problem) error {
	form := s.formOf(r, c, problems...)
	canChoose := len(c.Methods) > 1
	switch step := c.Step.(type) {
	case Ask:
		v := screens.AskView{CasePage: p, Form: form, Title: s.MethodTitle(p.Locale, c.Group, c.Method), Reasons: public(c.Reasons), CanChoose: canChoose}
		for _, f := range step.Fields {
			v.Fields = append(v.Fields, screens.Field{
				Name: f.Name, Kind: f.Kind, Autocomplete: f.Autocomplete, Optional: f.Optional, Example: f.Example,
				Label: translated(p.Locale, f.Label), Hint: translated(p.Locale, f.Hint), Value: r.posted(screens.FieldAnswer + f.Name),
			})
		}
		if len(problems) == 0 && step.Problem != "" {
			v.Problems = []ui.Problem{notAccepted(p.Locale, step)}
		}
		r.Render(code, screens.Ask(v))
	case SendCode:
		r.Render(code, screens.Code(screens.CodeView{CasePage: p, Form: form, Email: step.Address, ValidFor: codeLife}))
	case GoTo:
		v := screens.ElsewhereView{CasePage: p, Form: form, URL: step.URL, Until: step.Until, AgainURL: s.path("case", c.ID), CanChoose: canChoose}
		if u, err := url.Parse(step.URL); err == nil {
			v.Host = u.Host
		}
		r.Render(code, screens.Elsewhere(v))
	case Upload:
		r.Redirect(s.path("case", c.ID, "evidence"))
	default:
		return s.showChoice(r, c, p, form, code)
	}
	return nil
}

// notAccepted is why the last answer was not accepted: at the field, if there is but one.
func notAccepted(l *ui.Locale, a Ask) ui.Problem {
	problem := screens.NotAccepted(l, screens.Reason(a.Problem.Public()))
	if len(a.Fields) == 1 {
		problem.Field = screens.FieldAnswer + a.Fields[0].Name
	}
	return problem
}

// showChoice lets the person choose a method of the present step.
func (s *casePages) showChoice(r *request, c RecordedCase, p screens.CasePage, form ui.Form, code int) error {
	k, err := s.contentOf(r, c)
	if err != nil {
		return err
	}
	v := screens.ChooseView{CasePage: p, Form: form, Renewal: c.Renewal, Reasons: public(c.Reasons)}
	policy := s.policies[c.Group]
	present := k.Terms.Rule.present(c.Method, k.state)
	for _, m := range c.Methods {
		offered := slices.Contains(c.Choices, m.Name) || m.State == string(checkRefused)
		if policy == nil || !offered || !slices.Contains(present, m.Name) {
			continue
		}
		way := s.way(p.Locale, policy, m)
		if len(v.Reasons) > 0 {
			way.Reasons = nil // they are above
		}
		v.Methods = append(v.Methods, way)
	}
	byWait(v.Methods)
	r.Render(code, screens.Choose(v))
	return nil
}

// showPending says what happens without the person.
func (s *casePages) showPending(r *request, c RecordedCase, p screens.CasePage) error {
	v := screens.PendingView{CasePage: p, Review: c.State == storage.CaseReview}
	if wait, ok := c.Step.(Wait); ok && s.Clock().Before(wait.Until) {
		v.Expected = wait.Until
	}
	if v.Review {
		v.By, v.Late = c.DueAt, !s.Clock().Before(c.DueAt)
	}
	if s.Mailer != nil {
		email, err := s.Provider.Rooms().People.VerifiedEmail(r.context(), c.UserID)
		if err != nil {
			return err
		}
		v.Mailed = email != ""
	}
	r.Render(http.StatusOK, screens.Pending(v))
	return nil
}

// showApproved says that the person is verified, as long as that is so: what has ended the
// membership since is on the list.
func (s *casePages) showApproved(r *request, c RecordedCase, p screens.CasePage) error {
	status, err := s.released(r, c.Group)
	if err != nil {
		return err
	}
	if !status.Verified {
		r.Redirect(s.path(""))
		return nil
	}
	v := screens.ApprovedView{CasePage: p, Until: status.ExpiresAt, Source: status.Source}
	_, v.Subgroups = s.Provider.Rooms().Pages.GroupWords(p.Locale, c.Group, status.Subgroups...)
	if policy := s.policies[c.Group]; policy != nil && !policy.Ended && !v.Until.IsZero() {
		v.RenewFrom = v.Until.Add(-policy.RenewFrom)
	}
	r.Render(http.StatusOK, screens.Approved(v))
	return nil
}

// showDeclined says why the person was not verified, and what is left.
func (s *casePages) showDeclined(r *request, c RecordedCase, p screens.CasePage) {
	v := screens.DeclinedView{CasePage: p, Renewal: c.Renewal, Reasons: public(c.Reasons)}
	switch policy := s.policies[c.Group]; {
	case policy == nil || policy.Ended:
	case s.Clock().Before(c.RetryFrom):
		v.RetryFrom = c.RetryFrom
	default:
		v.StartURL = s.path(c.Group)
	}
	if c.CanAppeal {
		v.AppealURL, v.AppealUntil = s.path("case", c.ID, "appeal"), c.EndedAt.Add(appealWithin)
	}
	r.Render(http.StatusOK, screens.Declined(v))
}

// showEnded says that a case has ended without a result.
func (s *casePages) showEnded(r *request, c RecordedCase, p screens.CasePage) {
	v := screens.EndedView{CasePage: p, How: screens.EndingExpired, On: c.EndedAt}
	policy := s.policies[c.Group]
	switch {
	case c.State == storage.CaseWithdrawn:
		v.How = screens.EndingWithdrawn
	case policy == nil || policy.Ended || slices.Contains(c.Reasons, ReasonPolicyEnded):
		v.How = screens.EndingClosed
	case slices.Contains(c.Reasons, ReasonSuperseded):
		v.How = screens.EndingSuperseded
	}
	if policy != nil && !policy.Ended {
		v.StartURL = s.path(c.Group)
	}
	r.Render(http.StatusOK, screens.Ended(v))
}
