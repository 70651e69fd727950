package verification

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// showList lists the groups, those with a policy first, and where the person stands with each.
func (s *casePages) showList(r *request) error {
	var groups []string
	for _, p := range s.Policies {
		groups = append(groups, p.Group)
	}
	for _, g := range s.groups {
		if s.policies[g.Name] == nil {
			groups = append(groups, g.Name)
		}
	}
	statuses, err := s.Provider.People().Statuses(r.context(), r.User.UserID, groups...)
	if err != nil {
		return err
	}
	v := screens.ListView{Page: r.Page(), Notice: screens.Notice(r.Room().Notice()), AccountURL: s.accountURL()}
	for i, name := range groups {
		found, err := s.caseSteps.Cases(r.context(), storage.CaseFilter{Subject: r.User.UserID, Group: name, Limit: 1})
		if err != nil {
			return err
		}
		stands := standing{policy: s.policies[name], status: statuses[i], now: s.Clock()}
		if len(found) > 0 {
			stands.latest = &found[0]
		}
		if stands.policy == nil {
			stands.policy = &Policy{Group: name, Ended: true}
		}
		g := stands.group(s)
		g.Label, g.Subgroups = s.Provider.Rooms().Pages.GroupWords(v.Locale, name, verifiedSubgroups(statuses[i])...)
		v.Groups = append(v.Groups, g)
	}
	r.Render(http.StatusOK, screens.List(v))
	return nil
}

// declined reports whether the last request of a person who is not verified was not approved. It
// reads what is recorded, and moves and decrypts nothing: the consent screen waits for it.
func (s *casePages) declined(ctx context.Context, userID, group string) (bool, error) {
	found, err := s.Store.Cases(ctx, storage.CaseFilter{Subject: userID, Group: group, Limit: 1})
	if err != nil {
		return false, fmt.Errorf("read latest case: %w", err)
	}
	return len(found) > 0 && found[0].State == storage.CaseDeclined, nil
}

// accountURL is the page of the account.
func (s *casePages) accountURL() string {
	return s.base[:len(s.base)-len("/verification")] + "/account"
}

func verifiedSubgroups(status provider.Status) []string {
	if !status.Verified {
		return nil
	}
	return status.Subgroups
}

// standing is what decides where a person stands with a group.
type standing struct {
	policy *Policy
	status provider.Status
	latest *RecordedCase // nil for none
	now    time.Time
}

// canRenew reports whether a membership is near enough to its end.
func (p *Policy) canRenew(status provider.Status, now time.Time) bool {
	return status.Verified && !status.ExpiresAt.IsZero() && !now.Before(status.ExpiresAt.Add(-p.RenewFrom))
}

// group shows the standing, and the one thing that the person can do. A case in progress
// stands before all, for it waits.
func (st standing) group(s *casePages) screens.Group {
	var g screens.Group
	last := st.latest
	if st.status.Verified {
		g.State, g.Until = screens.StateVerified, st.status.ExpiresAt
		g.VerifiedBy, g.Method, g.Source = st.status.VerifiedBy, st.status.Method, st.status.Source
		if st.policy.canRenew(st.status, st.now) {
			g.State = screens.StateEnding
		}
	}
	switch {
	case last != nil && !last.State.IsFinal():
		st.inProgress(s, &g)
	case g.State == screens.StateEnding && !st.policy.Ended:
		g.Action, g.URL = screens.DoRenew, s.path(st.policy.Group)
	case st.status.Verified:
		g.State = screens.StateVerified // there is no renewal
		if last != nil && last.State == storage.CaseApproved && last.ID == st.status.Origin {
			g.Action, g.URL = screens.DoStatus, s.path("case", last.ID)
		}
	case last != nil && last.State == storage.CaseDeclined:
		g.State, g.Action, g.URL, g.Decided = screens.StateDeclined, screens.DoResult, s.path("case", last.ID), last.EndedAt
		if last.CanAppeal {
			g.AppealUntil = last.EndedAt.Add(appealWithin)
		}
	default:
		g.State = screens.StateUnverified
		if !st.status.ExpiresAt.IsZero() && !st.now.Before(st.status.ExpiresAt) {
			g.State, g.Until = screens.StateExpired, st.status.ExpiresAt
		}
		switch {
		case st.status.Pending: // the host's own check is under way
			g.State = screens.StatePending
		case slices.Contains(s.others, st.policy.Group):
			g.Action, g.URL = screens.DoVerify, s.accountURL()+"/groups"
		case st.policy.Ended:
			g.NoWay = true
		default:
			g.Action, g.URL = screens.DoVerify, s.path(st.policy.Group)
		}
	}
	return g
}

// inProgress shows a case that has not ended.
func (st standing) inProgress(s *casePages, g *screens.Group) {
	c := st.latest
	g.Action, g.URL = screens.DoStatus, s.path("case", c.ID)
	state := screens.StatePending
	switch c.State {
	case storage.CaseOpen:
		state, g.Action, g.By = screens.StateOpen, screens.DoContinue, c.FinishBy
		if len(c.Reasons) > 0 {
			state = screens.StateSentBack
		}
	case storage.CaseReview:
		state = screens.StateReview
		if st.now.Before(c.DueAt) {
			g.By = c.DueAt
		}
	}
	if !st.status.Verified || state == screens.StateSentBack {
		g.State = state
	}
}
