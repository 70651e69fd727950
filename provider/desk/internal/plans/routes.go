package plans

import (
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/plans"
)

// Routes returns the pages of plans and breaks, adds to the first page what waits, and to every
// page of operators that something was done alone.
func (s *Service) Routes() []frame.Route {
	p := pages{s}
	s.Frame.Dress(p.banner)
	s.Frame.Offer(p.tasks)
	return []frame.Route{
		{Path: "/plans", Section: desk.SectionPlans, Needs: action.Staff.Operates, Show: p.showPlans},
		{Path: "/plans/new", Needs: action.Staff.Operates, Power: true, Show: p.showNew, Act: p.draft, Mild: looks, Patience: Patience},
		{Path: "/plans/{plan}", Needs: action.Staff.Operates, Show: p.showPlan, Act: p.decide},
		{Path: "/plans/{plan}/targets.csv", Needs: action.Staff.Operates, Show: p.serveTargets},
		{Path: "/breaks", Section: desk.SectionBreaks, Needs: action.Staff.Operates, Show: p.showBreaks, Act: p.signOff},
		{Path: "/breaks/new", Needs: action.Staff.Operates, Power: true, Show: p.showAlone, Act: p.doAlone, Mild: looks},
	}
}

// pages are those of a service.
type pages struct{ *Service }

// looks reports whether a post does no more than a dry run.
func looks(r *frame.Request) bool {
	return r.Action() == screens.ActionCheck || r.Action() == screens.ActionDraft || r.Action() == screens.ActionChange
}

// page is what is around a page of plans.
func (s pages) page(r *frame.Request, section desk.Section) (screens.Page, error) {
	page, err := r.Page(section)
	said, ours := screens.NoticeOf(ui.Notice(page.Notice))
	if !ours {
		return screens.Page{Page: page}, err
	}
	page.Notice = ""
	return screens.Page{Page: page, Said: said}, err
}

// done redirects to a page with a notice.
func done(r *frame.Request, address string, n screens.Notice) error {
	return r.Done(address, desk.Notice(n))
}

// answer turns an error of a decision into the page that says so. A nil error is the notice.
func answer(r *frame.Request, address string, err error, n screens.Notice) error {
	switch {
	case errors.Is(err, ErrOwn):
		n = screens.NoticeOwn
	case errors.Is(err, ErrOver):
		n = screens.NoticeOver
	case errors.Is(err, ErrMoved), errors.Is(err, provider.ErrChanged):
		n = screens.NoticeMoved
	case err != nil:
		return asPage(r, err)
	}
	return done(r, address, n)
}

// asPage turns an error of this package into that of a page. What is not there and what somebody
// may not do are one.
func asPage(r *frame.Request, err error) error {
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, ErrForbidden), errors.Is(err, ErrNotPlanned):
		return r.Refuse(frame.Refusal{Action: r.Posted(screens.FieldName)})
	case errors.Is(err, ErrOwn):
		return r.Refuse(frame.Refusal{Action: r.Posted(screens.FieldName), Alarm: true})
	case errors.Is(err, storage.ErrNotFound):
		return frame.NotFound
	case errors.Is(err, audit.ErrMatter):
		return r.Done(r.Path(), desk.NoticeMatterEnded)
	case errors.Is(err, audit.ErrProof):
		return provider.ScreenError{Status: http.StatusForbidden, Code: ui.ErrorRequest, Err: err}
	case errors.As(err, &wrong):
		return frame.Malformed(wrong.Error())
	}
	return err
}

// banner says on every page of operators that something was done alone, and waits.
func (s pages) banner(r *frame.Request, page *desk.Page) error {
	if !r.Staff.Operates() {
		return nil
	}
	open, err := s.store.Breaks(r.Context(), storage.BreakFilter{Open: true, Limit: frame.Few})
	if err != nil || len(open) == 0 {
		return err
	}
	page.Remarks = append(page.Remarks, screens.Banner(screens.BannerView{Locale: page.Locale, Count: len(open), URL: r.Path("breaks")}))
	return nil
}

// tasks are what the first page says of plans and breaks.
func (s pages) tasks(r *frame.Request) (tasks []desk.Task, err error) {
	if !r.Staff.Operates() {
		return nil, nil
	}
	add := func(kind desk.TaskKind, n int, more bool, path string) {
		if n > 0 {
			tasks = append(tasks, desk.Task{Kind: kind, Count: n, More: more, URL: r.Path(path)})
		}
	}
	for _, one := range []struct {
		kind  desk.TaskKind
		state storage.PlanState
	}{{desk.TaskPlans, storage.PlanProposed}, {desk.TaskPlansRunning, storage.PlanRunning}} {
		plans, err := s.store.Plans(r.Context(), storage.PlanFilter{State: one.state, Limit: frame.Many})
		if err != nil {
			return nil, err
		}
		waiting := slices.DeleteFunc(slices.Clone(plans), func(p storage.Plan) bool {
			return p.State == storage.PlanProposed && (!s.Frame.Now().Before(p.ExpiresAt) || p.ProposedBy == MemberOf(r).Name)
		})
		add(one.kind, len(waiting), len(plans) == frame.Many, "plans")
	}
	open, err := s.store.Breaks(r.Context(), storage.BreakFilter{Open: true, Limit: frame.Many})
	if err != nil {
		return nil, err
	}
	late, others := 0, 0
	for _, b := range open {
		if s.isOverdue(b) {
			late++
		} else if b.Staff != r.Staff.ID {
			others++
		}
	}
	add(desk.TaskBreaks, others, len(open) == frame.Many, "breaks")
	add(desk.TaskBreaksOverdue, late, len(open) == frame.Many, "breaks")
	return tasks, nil
}
