package provider

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// route is what answers at one path, by method.
type route map[string]http.HandlerFunc

// tree answers at every path below a prefix.
type tree struct {
	prefix  string
	handler http.Handler
}

// table lists every path of the provider, relative to its base URL.
func (p *Provider) table() (map[string]route, []tree) {
	userinfo := p.data(&resource{opens: func(scope string) bool { return scope == scopeOpenID }, tell: p.userinfo})
	attributes := p.data(&resource{opens: func(scope string) bool { return !isProtocolScope(scope) }, tell: p.attributes})
	routes := map[string]route{
		"/oauth/authorize":      {http.MethodGet: p.page(p.authorize), http.MethodPost: p.page(p.authorizePost)},
		"/oauth/select-account": p.form(p.showChooser, p.choose),
		"/oauth/consent":        p.form(p.showConsent, p.consent),
		"/oauth/token":          p.cors(route{http.MethodPost: p.api(p.token)}),
		"/oauth/revoke":         p.cors(route{http.MethodPost: p.api(p.revoke)}),
		"/oauth/introspect":     {http.MethodPost: p.api(p.introspect)},

		"/oidc/.well-known/openid-configuration": p.public(p.serveDiscovery),
		"/oidc/.well-known/jwks":                 p.public(p.serveKeys),
		"/api/public/v3/userinfo":                p.cors(route{http.MethodGet: p.api(userinfo), http.MethodPost: p.api(userinfo)}),
		"/api/public/v3/attributes.json":         p.cors(route{http.MethodGet: p.api(attributes)}),

		"/signout":             p.form(p.showSignOut, p.signOut),
		"/account":             p.form(p.showAccount, p.accountAction),
		"/account/apps":        {http.MethodGet: p.page(p.showApps)},
		"/account/apps/remove": p.form(p.showRemoveApp, p.removeApp),
	}
	if p.hasAccounts() {
		routes["/signin"] = p.form(p.showSignIn, p.signIn)
		routes["/account/sessions"] = p.form(p.showSessions, p.sessionsAction)
		routes["/account/password"] = p.form(p.showPassword, p.changePassword)
	}
	if p.sendsMail() {
		routes["/signup"] = p.form(p.showSignUp, p.signUp)
		routes["/signup/code"] = p.form(p.showSignUpCode, p.signUpCode)
		routes["/reset"] = p.form(p.showReset, p.reset)
		routes["/reset/finish"] = p.form(p.showResetFinish, p.resetFinish)
		routes["/account/verify"] = p.form(p.showVerify, p.verify)
	}
	return routes, []tree{
		{"/assets/", http.HandlerFunc(p.serveAsset)},
		{"/images/", http.HandlerFunc(p.serveImage)},
		{"/widget/", http.StripPrefix("/widget/", p.button)},
	}
}

// hasAccounts reports whether the provider keeps the users itself.
func (p *Provider) hasAccounts() bool { return p.cfg.Users.SignedIn == nil }

// sendsMail reports whether users can sign up and reset their password.
func (p *Provider) sendsMail() bool { return p.hasAccounts() && p.cfg.Mailer != nil }

// form is the route of a screen with something to submit: it is shown at its
// address and posted to it.
func (p *Provider) form(show, act screen) route {
	return route{http.MethodGet: p.page(show), http.MethodPost: p.page(p.guarded(act))}
}

// handlers makes the table into one handler for each path, and for each tree.
func (p *Provider) handlers() (map[string]http.HandlerFunc, []tree) {
	routes, trees := p.table()
	handlers := make(map[string]http.HandlerFunc, len(routes))
	for path, answers := range routes {
		handlers[path] = p.dispatch(answers)
	}
	return handlers, trees
}

// ServeHTTP answers everything under the base URL. It may be mounted with its full
// path or behind http.StripPrefix.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, done := p.begin(w, r)
	defer done()
	route, handle := p.find(p.path(r))
	if p.telemetry != nil {
		var end func()
		w, r, end = p.telemetry.begin(w, r, route)
		defer end()
	}
	defer p.recovered(w, r)
	if p.closing.Err() != nil {
		p.fail(w, r, storage.ErrUnavailable)
		return
	}
	handle(w, r)
}

// find returns what answers at a path, and the route that the path belongs to: ""
// when there is none.
func (p *Provider) find(path string) (route string, h http.HandlerFunc) {
	if h, ok := p.routes[path]; ok {
		return path, h
	}
	for _, t := range p.trees {
		if strings.HasPrefix(path, t.prefix) {
			return t.prefix + "{file...}", func(w http.ResponseWriter, r *http.Request) {
				t.handler.ServeHTTP(w, withPath(r, path))
			}
		}
	}
	return "", func(w http.ResponseWriter, r *http.Request) {
		p.fail(w, r, &pageError{status: http.StatusNotFound, code: ui.ErrorNotFound})
	}
}

// path is the path of a request relative to the base URL.
func (p *Provider) path(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, p.base.Path) }

// dispatch chooses by method.
func (p *Provider) dispatch(answers route) http.HandlerFunc {
	allowed := strings.Join(slices.Sorted(maps.Keys(answers)), ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		if h, ok := answers[r.Method]; ok {
			h(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		p.fail(w, r, &pageError{status: http.StatusMethodNotAllowed, code: ui.ErrorMethod})
	}
}

// withPath returns the request as seen below the base URL.
func withPath(r *http.Request, path string) *http.Request {
	inner := *r
	u := *r.URL
	u.Path, u.RawPath = path, ""
	inner.URL = &u
	return &inner
}
