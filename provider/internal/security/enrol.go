package security

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/security"
)

// enrolling passes only owners who are asked for more than the account has, and have just
// authenticated as well as they can. Others go on, or authenticate.
func (p *factorPages) enrolling(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, o *owner) error {
		if sent, err := p.notEnrolling(w, r, o); sent || err != nil {
			return err
		}
		return h(w, r, o)
	}
}

// notEnrolling sends an owner on who has nothing to add.
func (p *frame) notEnrolling(w http.ResponseWriter, r *http.Request, o *owner) (sent bool, err error) {
	if !o.inFlow() {
		p.home(w, r, "")
		return true, nil
	}
	asked, err := p.Flows.Asked(r, o.page)
	switch {
	case err != nil:
		return false, err
	case asked.User == nil:
		return true, p.Flows.Continue(w, r, o.page)
	case !asked.Enrol:
		p.Site.Redirect(w, p.link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)))
		return true, nil
	}
	return false, nil
}

// showEnrol offers what can be added.
func (p *factorPages) showEnrol(w http.ResponseWriter, r *http.Request, o *owner) error {
	asked, err := p.Flows.Asked(r, o.page)
	if err != nil {
		return err
	}
	view := security.EnrolView{Page: p.Site.PageView(r, o.page.Request()), TooNew: asked.Requirement.Enrolled > 0}
	add := func(path string) string {
		return p.link(path, web.FlowParameter, web.Parameter(r, web.FlowParameter))
	}
	if p.Party != nil {
		view.PasskeyURL = add(enrolPasskeyPath)
	}
	if p.Apps && o.has.SignsIn() && asked.Requirement.Level <= storage.TwoFactors {
		view.AppURL = add(enrolAppPath)
	}
	if o.page.Return != nil {
		view.LeaveURL = p.link("/account")
	}
	p.Site.RenderFor(w, r, o.page.Request(), http.StatusOK, security.Enrol(view))
	return nil
}
