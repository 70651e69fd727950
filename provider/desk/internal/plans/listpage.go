package plans

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/plans"
)

// showPlans lists plans, the latest first.
func (s pages) showPlans(r *frame.Request) error {
	after, err := r.After("plans")
	if err != nil {
		return err
	}
	page, err := s.page(r, desk.SectionPlans)
	if err != nil {
		return err
	}
	plans, err := s.store.Plans(r.Context(), storage.PlanFilter{BeforeID: after, Limit: frame.Few})
	if err != nil {
		return err
	}
	v := screens.PlansView{Page: page, NewURL: r.Path("plans", "new")}
	for _, p := range plans {
		v.Plans = append(v.Plans, s.row(r, p))
	}
	if len(plans) == frame.Few {
		v.MoreURL = r.Path("plans") + "?" + frame.ParameterAfter + "=" + r.Next(plans[len(plans)-1].ID, "plans")
	}
	r.Render(http.StatusOK, screens.Plans(v))
	return nil
}

// row is a plan in a list.
func (s pages) row(r *frame.Request, p storage.Plan) screens.Row {
	return screens.Row{
		URL: r.Path("plans", p.ID), Action: p.Action, State: s.state(p), Targets: p.Targets, Done: p.Done, Skipped: p.Skipped,
		By: shortName(p.ProposedBy), Yours: p.ProposedBy == MemberOf(r).Name, At: p.ProposedAt, Until: p.ExpiresAt,
	}
}

// state is what has become of a plan, for people.
func (s pages) state(p storage.Plan) screens.State {
	now := s.Frame.Now()
	switch p.State {
	case storage.PlanRunning:
		if now.Before(p.NotBefore) {
			return screens.StateScheduled
		}
		return screens.StateRunning
	case storage.PlanStopped:
		return screens.StateStopped
	case storage.PlanRefused:
		return screens.StateRefused
	case storage.PlanDone:
		return screens.StateDone
	}
	if !now.Before(p.ExpiresAt) {
		return screens.StateExpired
	}
	return screens.StateWaiting
}
