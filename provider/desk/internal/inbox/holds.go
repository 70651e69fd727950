package inbox

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

func (d *Inbox) showHolds(r *request) error {
	return d.renderHolds(r, http.StatusOK, screens.HoldsView{})
}

func (d *Inbox) renderHolds(r *request, status int, v screens.HoldsView, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionHolds)
	if err != nil {
		return err
	}
	if err := r.Looked("", provider.Event{Name: event.StaffLooked, Detail: "holds"}); err != nil {
		return err
	}
	v.Page, v.Form = page, r.Form(problems...)
	holds, err := d.Verification.Holds(r.Context(), r.Screen.Request.URL.Query().Get(parameterAfter), listPage)
	if err != nil {
		return err
	}
	for _, h := range holds {
		title, _ := d.provider.Rooms().Pages.GroupWords(page.Locale, h.Group)
		v.Holds = append(v.Holds, screens.Hold{Case: h.CaseID, Group: title, Until: h.Until, By: h.By, Reason: h.Reason})
	}
	if len(holds) == listPage {
		v.MoreURL = d.frame.Path("holds") + "?" + url.Values{parameterAfter: {holds[listPage-1].CaseID}}.Encode()
	}
	r.Render(status, screens.Holds(v))
	return nil
}

// changeHold holds the evidence of a case, or ends that.
func (d *Inbox) changeHold(r *request) error {
	ctx, id := r.Context(), strings.TrimSpace(r.posted(screens.FieldCase))
	switch r.posted(ui.FieldAction) {
	case screens.ActionRelease:
		err := d.Verification.HoldEvidence(ctx, r.by, id, time.Time{}, "")
		if err != nil && !isOver(err) {
			return err
		}
		return r.Done(d.frame.Path("holds"), screens.NoticeHoldEnded)
	case screens.ActionHold:
	default:
		return frame.Malformed("no such action")
	}
	v := screens.HoldsView{Case: id, Until: r.posted(screens.FieldUntil), Reason: strings.TrimSpace(r.posted(screens.FieldReason))}
	wrong := func(field string, w screens.Wrong) error {
		return d.renderHolds(r, http.StatusUnprocessableEntity, v, screens.ProblemOf(r.Locale(), field, w))
	}
	until, err := time.Parse(time.DateOnly, v.Until)
	if err != nil {
		return wrong(screens.FieldUntil, screens.WrongEndOfHold)
	}
	err = d.Verification.HoldEvidence(ctx, r.by, id, until, v.Reason)
	var field *provider.FieldError
	switch {
	case errors.Is(err, verification.ErrNoCase):
		return wrong(screens.FieldCase, screens.WrongCase)
	case errors.As(err, &field) && field.Field == "reason":
		return wrong(screens.FieldReason, screens.WrongHoldReason)
	case errors.As(err, &field):
		return wrong(screens.FieldUntil, screens.WrongEndOfHold)
	case err != nil:
		return err
	}
	return r.Done(d.frame.Path("holds"), screens.NoticeHeld)
}
