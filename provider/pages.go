package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/fedcm"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/selfservice"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/widget"
)

// Allow counts an attempt at an action of the host's, such as a post to a Screen, and
// returns zero, or how long to wait if it is one too many. key identifies who tries, such
// as a user's ID; what names the limit, from a set that is fixed at program start. All
// processes on one store count together, before the outcome of the attempt is known. A
// Burst below one is no limit. While the store is unavailable, the error is
// storage.ErrUnavailable.
func (p pagesRoom) Allow(ctx context.Context, what, key string, limit Limit) (wait time.Duration, err error) {
	if limit.Burst < 1 {
		return 0, nil
	}
	return p.limits.Allow(ctx, ratelimit.OfHost(what, ratelimit.Limit(limit)), ratelimit.Key{Account: key})
}

// GiveBack undoes the count of an attempt that Allow has let through, at the time at, and of
// which nothing has come for a reason that is not the caller's, such as a mail server that is
// away. What has drained since is not given back again. A failure is logged: the attempt then
// stays counted.
func (p pagesRoom) GiveBack(ctx context.Context, what, key string, limit Limit, at time.Time) {
	if limit.Burst >= 1 {
		p.limits.GiveBack(ctx, ratelimit.OfHost(what, ratelimit.Limit(limit)), ratelimit.Key{Account: key, At: at})
	}
}

// Program serves an endpoint for programs of the host's own, mounted like a Screen: with the
// provider's time limits, request ID and telemetry, and without cookies, language and check
// of forms. h decides who may ask, bounds the body and answers errors itself; a panic of h is
// 500. No cache keeps a response.
func (p pagesRoom) Program(h http.Handler) http.Handler { return p.serves().Program(h, p.patience) }

// IsPath reports whether a page or a program beside the provider's can have the path of a request:
// Screen and Program answer any other themselves, with 404.
func (p pagesRoom) IsPath(r *http.Request) bool { return p.serves().IsPath(r) }

// AddAudience prepares the provider for the screens of an audience, such as those of package
// ui/developer, which the host serves with Screen: it serves their assets and checks what
// Config.Texts says in their section. A mistake there is a FieldError. It is called before
// anything is served; developer.New calls it for the dashboard.
func (p pagesRoom) AddAudience(a ui.Audience) error {
	if err := p.serves().Site().AddAudience(a); err != nil {
		return &FieldError{"Texts", err}
	}
	return nil
}

// ScopeWords returns the title and the explanation of a scope in the language of a screen
// (Screen.Page), for applications of a dialect: V3 or Standard.
func (p pagesRoom) ScopeWords(l *ui.Locale, name, dialect string) (title, description ui.Label) {
	return p.catalogue.ScopeWords(l, name, dialect == V3)
}

// GroupWords returns what a group and these of its subgroups are called in the language of a
// screen (Screen.Page).
func (p pagesRoom) GroupWords(l *ui.Locale, group string, subgroups ...string) (title ui.Label, parts []ui.Label) {
	return p.catalogue.GroupWords(l, group), p.catalogue.SubgroupWords(l, group, subgroups)
}

// Locales returns the languages that there are, English first, with the words of the host.
func (p pagesRoom) Locales() []*ui.Locale { return p.locales.All() }

// ButtonScript returns the address of the sign-in button's script and its Subresource
// Integrity value, for documentation and sample code.
func (p pagesRoom) ButtonScript() widget.Script { return p.button.Script(p.cfg.BaseURL) }

// serveButton serves the files of the button.
func serveButton(button *widget.Widget) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file := *r
		file.URL = &url.URL{Path: path.Base(r.URL.Path)}
		button.ServeHTTP(w, &file)
	}
}

// IsReturnTo reports whether this provider has passed an address to the sign-in or sign-out page of
// the host as return_to, or to a Verifier. The page must check it before it redirects there; otherwise
// anybody could use it to send users elsewhere.
func (p Pages) IsReturnTo(address string) bool {
	return p.flows.IsReturnTo(address) || p.pages.IsReturnTo(address) || p.own.IsReturnTo(address)
}

// LinkErrors sets the link on error pages of applications' requests that leads their
// developers to details: f returns its address, or "" for no link. f is called while the
// page is rendered, within the time limit of the request, and checks itself who is signed
// in (SignedIn). The last f replaces earlier ones.
func (p pagesRoom) LinkErrors(f func(room.FailedRequest) string) { p.errorLink.Store(&f) }

// linkError returns the address of the link on an error page, or "".
func (p Pages) linkError(r *http.Request, clientID, requestID string) string {
	f := p.errorLink.Load()
	if f == nil || clientID == "" {
		return ""
	}
	return (*f)(room.FailedRequest{Request: r, ClientID: clientID, RequestID: requestID})
}

// LinkVerification has the account lead to where people see and start their verifications: a
// path of the host, at which groups are those that are verified. declined, which may be nil, reports
// whether the last request of a user for one of them was not approved; the consent screen says so.
// It returns the others that have a verifier, sorted. If there are none, that page takes the place
// of /account/groups. The last one replaces earlier ones.
func (p pagesRoom) LinkVerification(
	path string, declined func(ctx context.Context, userID, group string) (bool, error), groups ...string,
) (others []string) {
	for _, group := range slices.Sorted(maps.Keys(p.flows.Verifiers)) {
		if !slices.Contains(groups, group) {
			others = append(others, group)
		}
	}
	p.verifyLink.Store(&verificationPages{path, declined, groups, others})
	return others
}

// verificationPages are what LinkVerification has linked.
type verificationPages struct {
	path           string
	declined       func(ctx context.Context, userID, group string) (bool, error)
	groups, others []string
}

// declined reports whether the last request of a user to be verified was not approved.
func (p *rooms) declined(ctx context.Context, userID, group string) (bool, error) {
	linked := p.verifyLink.Load()
	if linked == nil || linked.declined == nil || !slices.Contains(linked.groups, group) {
		return false, nil
	}
	return linked.declined(ctx, userID, group)
}

// verification returns the path of LinkVerification, or "", and what is verified elsewhere.
func (p *rooms) verification() (path string, elsewhere []string) {
	if linked := p.verifyLink.Load(); linked != nil {
		return linked.path, linked.others
	}
	return "", nil
}

// SignedIn returns the user who is signed in on a request of a browser, to this provider or
// to another handler at the same host; zero for nobody.
func (p pagesRoom) SignedIn(r *http.Request) (SignedIn, error) {
	user, err := p.flows.SignedIn(r)
	if user == nil || err != nil {
		return SignedIn{}, err
	}
	return SignedIn(user.User), nil
}

// The parameters of a BrandPreview, beside the language.
const (
	previewScreen = "screen" // one of previewScreens; the page that frames them when missing
	previewScheme = "scheme" // a ui.Scheme
	previewWidth  = "width"

	widthPhone   = "phone"
	widthDesktop = "desktop"
)

var previewScreens = []ui.PreviewScreen{ui.PreviewSignIn, ui.PreviewSignUp, ui.PreviewConsent, ui.PreviewError, ui.PreviewMail}

// BrandPreview serves a page with the sign-in, sign-up, consent and error screens and an
// e-mail, as Config.Brand, Config.Screens and Config.Texts render them: in light and dark
// mode, at phone and desktop width, and in each language. It serves its frames as well;
// they are inert, and no other origin can frame them.
//
// The host mounts it like a Screen, at a path below that of Config.BaseURL without a page
// of the provider:
//
//	mux.Handle("/id/brand", idp.Pages().BrandPreview(isOperator))
//	mux.Handle("/id/", idp)
//
// allow is called for every request, including those for frames. If it returns false, the
// response is the error page for an unknown address. Nil allows nobody.
func (p Pages) BrandPreview(allow func(*http.Request) bool) http.Handler {
	show := p.Screen(showBrandPreview)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !reads || allow == nil || !allow(r) {
			p.serves().NotFound(w, r)
			return
		}
		show.ServeHTTP(w, r)
	})
}

func showBrandPreview(s *Screen) error {
	asked := s.Request.URL.Query()
	scheme := ui.SchemeLight
	switch ui.Scheme(asked.Get(previewScheme)) {
	case ui.SchemeAuto, ui.SchemeLight:
	case ui.SchemeDark:
		scheme = ui.SchemeDark
	default:
		return ErrScreenNotFound
	}
	if asked.Has(previewScreen) {
		return s.showBrandFrame(ui.PreviewScreen(asked.Get(previewScreen)), scheme)
	}
	s.Render(http.StatusOK, ui.BrandPreview(s.brandPreviewView(asked, scheme)))
	return nil
}

func (s *Screen) showBrandFrame(screen ui.PreviewScreen, scheme ui.Scheme) error {
	view := ui.PreviewView{
		Page: s.Page(), Screen: screen, Scheme: scheme,
		MinLength: s.provider.cfg.PasswordMinLength, BaseURL: s.site().BaseURL, Screens: s.site().Screens,
	}
	view.Client = ui.Client{Name: "Example Shop", Host: "shop.example"}
	switch screen {
	case ui.PreviewMail:
		s.Room().RenderMailPreview(ui.Preview(view))
	case ui.PreviewSignIn, ui.PreviewSignUp, ui.PreviewConsent, ui.PreviewError:
		s.Room().RenderPreview(ui.Preview(view))
	default:
		return ErrScreenNotFound
	}
	return nil
}

func (s *Screen) brandPreviewView(asked url.Values, scheme ui.Scheme) ui.BrandPreviewView {
	width := widthPhone
	if asked.Get(previewWidth) == widthDesktop {
		width = widthDesktop
	}
	// at is this page with other parameters. Without a chosen language it has none, because
	// a page remembers the language that its address names.
	at := func(parameters ...string) string {
		query := url.Values{}
		for i := 0; i < len(parameters); i += 2 {
			query.Set(parameters[i], parameters[i+1])
		}
		if lang := asked.Get(web.LanguageParameter); lang != "" {
			query.Set(web.LanguageParameter, lang)
		}
		return "?" + query.Encode()
	}
	view := ui.BrandPreviewView{
		Page: s.Page(), Scheme: scheme, Desktop: width == widthDesktop,
		LightURL:   at(previewScheme, string(ui.SchemeLight), previewWidth, width),
		DarkURL:    at(previewScheme, string(ui.SchemeDark), previewWidth, width),
		PhoneURL:   at(previewScheme, string(scheme), previewWidth, widthPhone),
		DesktopURL: at(previewScheme, string(scheme), previewWidth, widthDesktop),
	}
	for _, screen := range previewScreens {
		view.Frames = append(view.Frames, ui.PreviewFrame{
			Screen: screen, URL: at(previewScreen, string(screen), previewScheme, string(scheme)),
		})
	}
	return view
}

// The addresses at the root of a host that browsers and password managers look at.
const (
	// relatedOrigins lists origins in which passkeys of this host may be used (WebAuthn
	// Level 3 section 5.11.1).
	relatedOrigins = "/.well-known/webauthn"

	// passkeyEndpoints says where passkeys are managed (W3C, A Well-Known URL for Relying
	// Party Passkey Endpoints).
	passkeyEndpoints = "/.well-known/passkey-endpoints"

	// changePassword leads to where a password is changed (W3C, A Well-Known URL for
	// Changing Passwords).
	changePassword = "/.well-known/change-password"
)

// WellKnown returns a handler for addresses at the root of the host: webauthn with
// SignIn.Passkeys.Origins, passkey-endpoints, change-password and web-identity below
// /.well-known/, by which browsers and password managers find their way, and ssf-configuration,
// followed by the path of the issuer. Others get 404, as do those of passkeys, FedCM and Shared
// Signals that are off, and all but the last if users are the host's. It is for the hosts of the RPID
// and FedCM, and needed only when BaseURL has a path or another host.
//
//	mux.Handle("/.well-known/change-password", idp.Pages().WellKnown())
func (p Pages) WellKnown() http.Handler {
	mux := http.NewServeMux()
	for _, r := range p.wellKnownRoutes() {
		mux.HandleFunc(r.Method+" "+r.Path, r.Handler)
	}
	return mux
}

// ownWellKnown are the routes of WellKnown if the provider is at the root of its host.
func (p Pages) ownWellKnown() []web.Route {
	if p.flows.Site.Base.Path != "" {
		return nil
	}
	return p.wellKnownRoutes()
}

func (p Pages) wellKnownRoutes() (routes []web.Route) {
	if p.cfg.Signals.SharedSignals {
		routes = append(routes, p.transmitterRoute())
	}
	if !p.cfg.hasAccounts() {
		return routes
	}
	add := func(path string, handler http.HandlerFunc) {
		routes = append(routes, web.Route{Method: http.MethodGet, Path: path, Kind: web.Program, Handler: handler})
	}
	add(changePassword, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, p.cfg.BaseURL+"/account/password", http.StatusSeeOther)
	})
	if p.cfg.FedCM.On {
		add(fedcm.WellKnownPath, serveJSON(fedcm.WellKnown(p.cfg.BaseURL)))
	}
	if p.cfg.rpID() == "" {
		return routes
	}
	add(passkeyEndpoints, serveJSON(map[string]string{
		"enroll": p.cfg.BaseURL + "/account/passkeys", "manage": p.cfg.BaseURL + "/account/security",
	}))
	if origins := p.cfg.relatedOrigins(); len(origins) > 0 {
		add(relatedOrigins, serveJSON(map[string][]string{"origins": origins}))
	}
	return routes
}

// relatedOrigins are the configured ones, and that of the provider itself if the RPID is
// neither its host nor above it.
func (c Config) relatedOrigins() []string {
	origins := slices.Clone(c.SignIn.Passkeys.Origins)
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return origins
	}
	id, host := c.SignIn.Passkeys.RPID, base.Hostname()
	own := base.Scheme + "://" + base.Host
	if id != host && !strings.HasSuffix(host, "."+id) && !slices.Contains(origins, own) {
		origins = append(origins, own)
	}
	return origins
}

// serveJSON serves a document that changes with the program only.
func serveJSON(document any) http.HandlerFunc {
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("provider: %v", err)) // strings
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text)
	}
}

// ClientName returns the name of an application, or its ID if it is gone; empty for none.
func (p pagesRoom) ClientName(ctx context.Context, id string) (string, error) {
	return p.own.ClientName(ctx, id)
}

// HistoryWords returns what users read in their history of an event, in the language of a screen;
// empty if they read nothing of it. The application of the event is called client.
func (p pagesRoom) HistoryWords(l *ui.Locale, e Event, client string) string {
	return ui.HistoryWords(l, selfservice.ActOf(e.record()), client)
}

// GroupOf returns the group that an event is about, and what its Detail says beside it; the whole
// Detail if it is about none.
func (p pagesRoom) GroupOf(e Event) (group, rest string) { return selfservice.GroupOf(e.record()) }

// AttributeWords returns what an attribute is called in the language of a screen (Screen.Page).
func (p pagesRoom) AttributeWords(l *ui.Locale, handle string) ui.Label {
	return p.catalogue.AttributeWords(l, handle)
}
