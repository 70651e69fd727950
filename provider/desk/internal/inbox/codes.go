package inbox

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// listPage is how many batches or holds a page has.
const listPage = 25

// parameterBefore is when the batches of a page were issued at the latest.
const parameterBefore = "before"

func (d *Inbox) showCodes(r *request) error {
	return d.renderCodes(r, http.StatusOK, screens.CodesView{Count: "1", Uses: "1", Until: d.frame.Now().AddDate(0, 0, 30).UTC().Format(time.DateOnly)}, "")
}

func (d *Inbox) renderCodes(r *request, status int, v screens.CodesView, group string, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionCodes)
	if err != nil {
		return err
	}
	v.Page, v.Form = page, r.Form(problems...)
	groups := d.Verification.CodeGroups()
	for _, name := range groups {
		title, _ := d.provider.Rooms().Pages.GroupWords(page.Locale, name)
		v.Groups = append(v.Groups, ui.Option{Value: name, Title: title, Chosen: name == group || len(groups) == 1})
	}
	var before time.Time
	if micros, err := strconv.ParseInt(r.Screen.Request.URL.Query().Get(parameterBefore), 10, 64); err == nil {
		before = time.UnixMicro(micros)
	}
	batches, err := d.Verification.Store.CodeBatches(r.Context(), before, listPage)
	if err != nil {
		return err
	}
	for _, b := range batches {
		title, _ := d.provider.Rooms().Pages.GroupWords(page.Locale, b.Group)
		if b.Waits() { // a day at most
			b.EndsAt = b.IssuedAt.AddDate(0, 0, 1)
		}
		v.Batches = append(v.Batches, screens.Batch{
			Name: b.Batch, Group: title, Codes: b.Codes, Uses: b.Uses, Used: b.Used, IssuedBy: b.IssuedBy, IssuedAt: b.IssuedAt,
			EndsAt: b.EndsAt, Ended: !d.frame.Now().Before(b.EndsAt),
		})
	}
	if len(batches) == listPage {
		v.MoreURL = d.frame.Path("codes") + "?" + parameterBefore + "=" + strconv.FormatInt(batches[listPage-1].IssuedAt.UnixMicro(), 10)
	}
	r.Render(status, screens.Codes(v))
	return nil
}

// changeCodes makes codes, or ends a batch of them.
func (d *Inbox) changeCodes(r *request) error {
	switch r.posted(ui.FieldAction) {
	case screens.ActionEnd:
		if _, err := d.Verification.EndCodes(r.Context(), r.posted(screens.FieldBatch)); err != nil {
			return err
		}
		return r.Done(d.frame.Path("codes"), screens.NoticeCodesEnd)
	case screens.ActionIssue:
		return d.issueCodes(r)
	}
	return frame.Malformed("no such action")
}

func (d *Inbox) issueCodes(r *request) error {
	v := screens.CodesView{
		Count: r.posted(screens.FieldCount), Uses: r.posted(screens.FieldUses), Email: strings.TrimSpace(r.posted(ui.FieldEmail)),
		Until: r.posted(screens.FieldUntil), IssuedBy: strings.TrimSpace(r.posted(screens.FieldIssuedBy)),
	}
	codes := verification.Codes{Group: r.posted(screens.FieldGroup), Email: v.Email, IssuedBy: v.IssuedBy, MadeBy: r.User.UserID, Held: true}
	var problems []ui.Problem
	problem := func(field string, w screens.Wrong) {
		problems = append(problems, screens.ProblemOf(r.Locale(), field, w))
	}
	var err error
	if codes.Count, err = strconv.Atoi(v.Count); err != nil || codes.Count < 1 {
		problem(screens.FieldCount, screens.WrongNumber)
	}
	if codes.Uses, err = strconv.Atoi(v.Uses); err != nil || codes.Uses < 1 {
		problem(screens.FieldUses, screens.WrongNumber)
	}
	if codes.ExpiresAt, err = time.Parse(time.DateOnly, v.Until); err != nil {
		problem(screens.FieldUntil, screens.WrongEndOfCodes)
	}
	if len(problems) > 0 {
		return d.renderCodes(r, http.StatusUnprocessableEntity, v, codes.Group, problems...)
	}
	issued, batch, err := d.Verification.IssueCodes(r.Context(), codes)
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, verification.ErrNoPolicy):
		problem(screens.FieldGroup, screens.WrongGroup)
	case errors.As(err, &wrong):
		field, w := wrongCode(wrong.Field)
		problem(field, w)
	case err != nil:
		return err
	}
	if len(problems) > 0 {
		return d.renderCodes(r, http.StatusUnprocessableEntity, v, codes.Group, problems...)
	}
	return d.renderIssued(r, codes, issued, batch)
}

// wrongCode returns what is wrong in the form, for a field of verification.Codes.
func wrongCode(field string) (string, screens.Wrong) {
	switch field {
	case "Count":
		return screens.FieldCount, screens.WrongNumber
	case "Uses":
		return screens.FieldUses, screens.WrongNumber
	case "ExpiresAt":
		return screens.FieldUntil, screens.WrongEndOfCodes
	case "Email":
		return ui.FieldEmail, screens.WrongEmail
	case "IssuedBy":
		return screens.FieldIssuedBy, screens.WrongLength
	default:
		return screens.FieldGroup, screens.WrongGroup
	}
}

func (d *Inbox) renderIssued(r *request, codes verification.Codes, issued []string, batch string) error {
	page, err := r.Page(screens.SectionCodes)
	if err != nil {
		return err
	}
	title, _ := d.provider.Rooms().Pages.GroupWords(page.Locale, codes.Group)
	release := url.Values{action.FieldBatch: {batch}, action.FieldUntil: {codes.ExpiresAt.Format(time.DateOnly)}}
	r.Room().RenderSecret(http.StatusOK, screens.Issued(screens.IssuedView{
		Page: page, ReleaseURL: d.frame.Path("service", "do", action.ReleaseCodes) + "?" + release.Encode(), Group: title, Codes: issued, Until: codes.ExpiresAt,
	}))
	return nil
}
