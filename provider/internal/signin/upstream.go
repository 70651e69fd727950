package signin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// upstreamRoutes are the routes of the upstream providers: one leads there, one is where their
// users come back to.
func (p *upstreamPages) upstreamRoutes() []web.Route {
	var routes []web.Route
	for _, one := range p.Upstreams.Offered {
		show, leave := p.Flows.Handler(authflow.FlowOptional, p.backToSignIn), p.Flows.Handler(authflow.FlowOptional, p.leaveFor(one))
		routes = append(routes, p.Site.FormRoutes(federation.Path(one.ID), show, leave)...)
		at := federation.CallbackPath(one.ID)
		routes = append(routes,
			web.Route{Method: http.MethodGet, Path: at, Acts: true, Handler: p.Site.Page(p.returnedFrom(one))},
			web.Route{Method: http.MethodPost, Path: at, Handler: p.Site.Page(p.posted(one))})
	}
	return routes
}

// buttons are the upstream providers that a page offers.
func (p *frame) buttons(r *http.Request, page *authflow.Page) []ui.UpstreamButton {
	last := p.Site.Cookies.Get(r, session.Upstream)
	var buttons []ui.UpstreamButton
	for _, one := range p.Upstreams.For(clientOf(page)) {
		b := one.Button(p.link(r, federation.Path(one.ID)))
		b.LastUsed = one.ID == last
		buttons = append(buttons, b)
	}
	return buttons
}

// linked are the buttons of the upstream providers at which the owner of an account can
// authenticate again.
func (p *frame) linked(r *http.Request, links []storage.Link) []ui.UpstreamButton {
	var buttons []ui.UpstreamButton
	for _, one := range p.Upstreams.Of(links) {
		buttons = append(buttons, one.Button(p.link(r, federation.Path(one.ID))))
	}
	return buttons
}

// backToSignIn leads to the page with the buttons: nothing goes to an upstream without a form.
func (p *upstreamPages) backToSignIn(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	p.Site.Redirect(w, p.link(r, "/signin"))
	return nil
}

// leaveFor sends the browser to an upstream provider, to sign in or to authenticate again.
func (p *upstreamPages) leaveFor(one federation.Upstream) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		if !one.IsFor(clientOf(page)) {
			return &web.PageError{Status: http.StatusNotFound, Code: ui.ErrorNotFound}
		}
		return p.leave(w, r, page, one, federation.Hints{Email: loginHint(page)})
	}
}

// leave sends the browser to an upstream provider.
func (p *upstreamPages) leave(w http.ResponseWriter, r *http.Request, page *authflow.Page, one federation.Upstream, h federation.Hints) error {
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	must := asked.Demand.Must
	a := federation.NewAttempt(federation.ToSignIn, web.Parameter(r, web.FlowParameter), redirectURI(page))
	a.Afresh = asked.Demand.Afresh || must.MaxAge > 0
	h.Classes, h.SelectAccount = one.ClassesFor(must.Level), asked.SelectAccount
	if asked.User != nil {
		a.Purpose, a.AccountID, a.Session, a.Afresh = federation.ToConfirm, asked.User.UserID, asked.User.Session, true
		h.Email = ""
	}
	address, err := p.Upstreams.Start(w, r, one, a, h)
	if err != nil {
		p.logUpstream(r, one, err)
		return p.problem(w, r, ui.UpstreamUnavailable)
	}
	p.Site.Redirect(w, address)
	return nil
}

// redirectURI is where the application of a page is, or empty.
func redirectURI(page *authflow.Page) string {
	if request := page.Request(); request != nil {
		return request.RedirectURI
	}
	return ""
}

// posted takes the response that an upstream provider has posted, once the browser brings it with
// its cookies.
func (p *upstreamPages) posted(one federation.Upstream) web.Handler {
	returned := p.returnedFrom(one)
	return func(w http.ResponseWriter, r *http.Request) error {
		if answered, err := p.Upstreams.Posted(w, r); answered || err != nil {
			return err
		}
		return returned(w, r)
	}
}

// returnedFrom takes people who come back from an upstream provider to where they wanted to go.
func (p *upstreamPages) returnedFrom(one federation.Upstream) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		back, failed := p.Upstreams.Finish(w, r, one)
		if failed != nil && back.Attempt.ID == nil {
			return failed
		}
		if failed != nil {
			p.logUpstream(r, one, failed)
		}
		r = withFlow(r, back.Attempt.Opened)
		return p.Flows.Handler(authflow.FlowOptional, func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
			switch {
			case back.Attempt.Purpose == federation.ToConnect:
				return p.Connect(w, r, page, back, failed)
			case failed != nil:
				return p.problem(w, r, problemOf(failed))
			case back.Attempt.Purpose == federation.ToConfirm:
				return p.confirmedAt(w, r, page, back)
			default:
				return p.arrived(w, r, page, back)
			}
		})(w, r)
	}
}

// withFlow is the request with the web.FlowParameter that the attempt was made for, and with
// nothing of what the upstream has added.
func withFlow(r *http.Request, opened string) *http.Request {
	if opened == "" {
		return web.AsGet(r, "")
	}
	return web.AsGet(r, url.Values{web.FlowParameter: {opened}}.Encode())
}

// logUpstream tells the operator what an upstream has said or not said.
func (p *upstreamPages) logUpstream(r *http.Request, one federation.Upstream, err error) {
	p.Site.Logger.WarnContext(r.Context(), "upstream provider has authenticated nobody", slog.String("upstream", one.ID), slog.Any("error", err))
}

func problemOf(err error) ui.ProblemCode {
	switch {
	case errors.Is(err, upstream.ErrDenied), errors.Is(err, federation.ErrStale):
		return ui.UpstreamRefused
	case errors.Is(err, upstream.ErrUnavailable):
		return ui.UpstreamUnavailable
	default:
		return ui.UpstreamUntrusted
	}
}

// problem leads back to the page of the sign-in, which says what has gone wrong. The address of
// the return from an upstream stays nowhere.
func (p *upstreamPages) problem(w http.ResponseWriter, r *http.Request, code ui.ProblemCode) error {
	return p.backWith(w, r, state{Problem: code})
}

// throttled is problem for somebody who has to wait, though the upstream has let them in. The
// operator hears of it: who comes from one network is often a whole school.
func (p *upstreamPages) throttled(w http.ResponseWriter, r *http.Request, one federation.Upstream, wait time.Duration) error {
	p.Site.Logger.InfoContext(r.Context(), "limit holds up somebody from an upstream provider", slog.String("upstream", one.ID), slog.Duration("wait", wait))
	return p.backWith(w, r, state{Problem: ui.TooManyAttempts, Until: p.Clock().Add(wait).Unix()})
}

func (p *upstreamPages) backWith(w http.ResponseWriter, r *http.Request, s state) error {
	sealed, err := p.seal(w, r, forProblem, web.Parameter(r, web.FlowParameter), s)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, "/signin", web.CodeParameter, sealed))
	return nil
}

// problems are those that another page has led here with, and the status of the page.
func (p *frame) problems(w http.ResponseWriter, r *http.Request) (status int, problems []ui.Problem) {
	if web.Parameter(r, web.CodeParameter) == "" {
		return http.StatusOK, nil
	}
	s, err := p.open(r, forProblem, factorLife)
	wait := time.Unix(s.Until, 0).Sub(p.Clock())
	switch {
	case err != nil || s.Problem == "" || s.Problem == ui.TooManyAttempts && wait <= 0:
		return http.StatusOK, nil
	case s.Problem == ui.TooManyAttempts:
		return web.TooMany(w, wait), []ui.Problem{account.Throttled(wait)}
	case s.Problem == ui.UpstreamEmailUndeliverable:
		status = http.StatusUnprocessableEntity
	default:
		status = http.StatusOK
	}
	return status, []ui.Problem{{Code: s.Problem}}
}

// arrived signs the owner of a linked account in, or goes on with somebody who is unknown.
func (p *upstreamPages) arrived(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival) error {
	l, account, err := p.Store.LinkedAccount(r.Context(), p.Upstreams.Digest(back.Who))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return p.stranger(w, r, page, back)
	case err != nil:
		return err
	case account.Disabled:
		return p.problem(w, r, ui.AccountLocked)
	}
	return p.enterBy(w, r, page, back, l, account)
}

// enterBy signs the owner of an account in by a link, or asks for the next factor.
func (p *upstreamPages) enterBy(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival, l storage.Link, account storage.Account) error {
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	if err := p.Vouched(r.Context(), account.ID, back); err != nil {
		return err
	}
	asked.User = nil // the one who is signed in, if any, has not come back
	p.rememberUpstream(w, back.Upstream.ID)
	has, err := p.besideLink(r.Context(), account, back)
	if err != nil {
		return err
	}
	factors := []storage.Factor{back.Factor(l, account, has)}
	return orExpired(p.afterFirst(w, r, page, asked, entry{
		account: account, on: onLink(account.Proof(), factors), factors: factors, presented: factors, upstream: back.Upstream.ID,
	}))
}

// besideLink returns what an account has beside the link by which its owner has come back, as far
// as it matters.
func (p *upstreamPages) besideLink(ctx context.Context, account storage.Account, back federation.Arrival) (assurance.Has, error) {
	if !back.Undated || account.PasswordHash != "" {
		return assurance.Has{Password: account.PasswordHash != ""}, nil
	}
	set, err := p.Store.Authenticators(ctx, account.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return assurance.Has{}, fmt.Errorf("read authenticators: %w", err)
	}
	return p.has(set), nil
}

// rememberUpstream has the pages of this browser offer an upstream first.
func (p *upstreamPages) rememberUpstream(w http.ResponseWriter, id string) {
	p.Site.Cookies.Set(w, session.Upstream, id, web.DeviceLife)
}

// confirmedAt takes the return of the user who is signed in and was asked to authenticate again.
func (p *upstreamPages) confirmedAt(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival) error {
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	if asked.User == nil || asked.User.UserID != back.Attempt.AccountID || asked.User.Session != back.Attempt.Session {
		return expired(errors.New("another user is signed in, or nothing more is asked"))
	}
	q, err := p.askAgain(r, asked)
	if err != nil {
		return err
	}
	l, account, err := p.Store.LinkedAccount(r.Context(), p.Upstreams.Digest(back.Who))
	if errors.Is(err, storage.ErrNotFound) || err == nil && account.ID != asked.User.UserID {
		return p.problem(w, r, ui.UpstreamOther)
	}
	if err != nil {
		return err
	}
	if err := p.Vouched(r.Context(), account.ID, back); err != nil {
		return err
	}
	f := back.Factor(l, q.set.Account, p.has(q.set))
	if !q.requirement.MetBy(assurance.With(q.given, f), p.Clock()) {
		if len(p.ask(asked, q.set, []storage.Factor{f}).ways) == 0 {
			return p.problem(w, r, ui.UpstreamRefused)
		}
		return p.goOn(w, r, q.set.Account, []storage.Factor{f})
	}
	e := entry{account: q.set.Account, on: q.on, factors: assurance.With(asked.User.Factors, f), presented: []storage.Factor{f}, upstream: back.Upstream.ID}
	e.on.Link, e.on.Session = l.Digest, asked.User.Session
	return orExpired(p.enter(w, r, page, e))
}
