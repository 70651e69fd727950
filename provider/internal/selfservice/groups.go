package selfservice

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// groupsURL is the page of the groups: that of the verifications, if there is one.
func (p *appPages) groupsURL() string {
	path, _ := p.Verification()
	return cmp.Or(path, p.Site.Link("/account/groups"))
}

// showGroups lists the groups of the catalogue with the user's statuses, or leads to the page that
// has their verifications as well.
func (p *appPages) showGroups(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	if path, elsewhere := p.Verification(); path != "" && len(elsewhere) == 0 && r.Method != http.MethodPost {
		p.Site.Redirect(w, path)
		return nil
	}
	statuses, err := p.statuses(r, user)
	if err != nil {
		return err
	}
	view := ui.GroupsView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, nil), Notice: p.Site.Noticed(r), AccountURL: p.Site.Link("/account"),
	}
	if view.Notice == ui.NoticePending {
		view.Notice = "" // the group says so itself
	}
	for _, s := range statuses {
		group, err := p.Flows.GroupView(r, user.UserID, s)
		if err != nil {
			return err
		}
		m := ui.Membership{ConsentGroup: group}
		if m.State == ui.GroupVerified || m.State == ui.GroupExpired {
			m.VerifiedBy, m.Source, m.Method = s.VerifiedBy, s.Source, s.Method
		}
		view.Groups = append(view.Groups, m)
	}
	p.Flows.RenderWithVerifiers(w, r, p.Site.Screens.Groups(view))
	return nil
}

// statuses returns the user's status in each group of the catalogue.
func (p *appPages) statuses(r *http.Request, user *authflow.User) ([]storage.Status, error) {
	var groups []string
	for _, g := range p.Claims.Catalogue.Groups {
		groups = append(groups, g.Name)
	}
	// One question to the host covers all that the page and a verifier need.
	if _, err := p.Claims.Person(r.Context(), user.UserID, claims.AccountHandles, groups); err != nil {
		return nil, err
	}
	released, err := p.Claims.Release(r.Context(), user.UserID, nil, groups, "")
	return released.Statuses, err
}

// verifyGroup sends the user to be verified in a group. If something has changed since the
// page was shown, it shows the change.
func (p *appPages) verifyGroup(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	if r.PostForm.Get(ui.FieldAction) != ui.ActionVerify {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	}
	statuses, err := p.statuses(r, user)
	if err != nil {
		return err
	}
	group := r.PostForm.Get(ui.FieldGroup)
	if i := slices.IndexFunc(statuses, func(s storage.Status) bool { return s.Group == group }); i < 0 || !p.Flows.CanVerify(statuses[i]) {
		return p.showGroups(w, r, user)
	}
	return p.Flows.Verify(w, r, user, group, p.Site.Link("/account/groups"))
}
