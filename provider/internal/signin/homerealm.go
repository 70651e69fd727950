package signin

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/ui"
)

// Home realm: whoever has an address at a domain of an upstream provider signs in there. The
// domain alone decides. No account is looked for, so that the pages do the same, and take as
// long, for an address that somebody has and for one that nobody has.

// clientOf is the application that a page was opened for; empty for the provider's own pages.
func clientOf(page *authflow.Page) string {
	if page.Flow == nil {
		return ""
	}
	return page.Request().Client.ID
}

// findsHome reports whether a page sends addresses home. One that connects an identity does not:
// it would lead to where its user has just come from.
func (p *frame) findsHome(r *http.Request, page *authflow.Page) bool {
	return p.Upstreams.HasHomes(clientOf(page)) && p.connecting(r, page).Upstream == ""
}

// sendHome sends the browser to the upstream provider of the typed address, if the user asks for
// that, or has typed no password; it reports whether the form is answered.
func (p *upstreamPages) sendHome(w http.ResponseWriter, r *http.Request, page *authflow.Page) (done bool, err error) {
	asked := r.PostForm.Get(ui.FieldAction) == ui.ActionHome
	if !asked && r.PostForm.Get(ui.FieldPassword) != "" || !p.findsHome(r, page) {
		return false, nil
	}
	email := r.PostForm.Get(ui.FieldEmail)
	one, hints, ok := p.Upstreams.Home(email, clientOf(page))
	switch {
	case ok:
		return true, p.leave(w, r, page, one, hints)
	case !asked:
		return false, nil
	case email == "":
		return true, p.renderSignIn(w, r, page, email, http.StatusUnprocessableEntity, ui.Problem{Code: ui.EmailMissing})
	default:
		return true, p.renderSignIn(w, r, page, email, http.StatusUnprocessableEntity, ui.Problem{Code: ui.HomeUnknown})
	}
}

// followHint sends the browser to the upstream provider that the authorization request hints at,
// once: whoever comes back signs in otherwise. What hints at none is ignored.
func (p *upstreamPages) followHint(w http.ResponseWriter, r *http.Request, page *authflow.Page) (done bool, err error) {
	if page.Flow == nil || page.Flow.Hinted() {
		return false, nil
	}
	one, hints, ok := p.Upstreams.Home(loginHint(page), clientOf(page))
	if named, known := p.Upstreams.HomeOf(page.Request().DomainHint, clientOf(page)); known {
		one, ok = named, true
		hints = federation.Hints{Email: loginHint(page), Domain: page.Request().DomainHint}
	}
	if !ok {
		return false, nil
	}
	page.Flow.FollowHint()
	sealed, err := p.Flows.Carry(w, r, page)
	if err != nil {
		return true, err
	}
	return true, p.leave(w, withFlow(r, sealed), page, one, hints)
}
