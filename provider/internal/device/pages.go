// Package device has the pages on which a user decides about the request of a device (RFC 8628):
// one asks for the code, the next whether the device may have what it requests.
//
// Whoever has a user enter a code that is not of the user's own device gets into the user's
// account. So the user signs in before anything is said about a code, guesses are throttled, the
// screen says who asks, for what, and whether the device is near, and no former decision takes
// the place of this one.
package device

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Path is where users enter codes.
const Path = "/device"

const confirmPath = Path + "/confirm"

// Pages are the pages about devices.
type Pages struct {
	*account.Pages

	// SameNetwork refuses devices in another network than the user. Complete fills in a code
	// that the address brings along.
	SameNetwork, Complete bool
}

// Routes returns the routes of the pages.
func (p *Pages) Routes() []web.Route {
	var routes []web.Route
	add := func(path string, show, act authflow.PageHandler) {
		routes = append(routes, p.Site.FormRoutes(path, p.Flows.Handler(authflow.NoFlow, show), p.Flows.Handler(authflow.NoFlow, act))...)
	}
	add(Path, p.signedIn(p.showEntry), p.signedIn(p.enter))
	add(confirmPath, p.restart, p.signedIn(p.decide))
	return routes
}

// userHandler answers a page of a signed-in user.
type userHandler func(w http.ResponseWriter, r *http.Request, user *authflow.User) error

// signedIn has nobody but a signed-in user see a page.
func (p *Pages) signedIn(h userHandler) authflow.PageHandler {
	return func(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
		user, err := page.User()
		if err != nil {
			return err
		}
		back, err := p.entry(w, r, p.known(r))
		if err != nil {
			return err
		}
		enough, err := p.Flows.Suffices(r.Context(), user, back)
		if err != nil {
			return err
		}
		if !enough {
			return p.Flows.SignIn(w, r, user, back)
		}
		return h(w, r, user)
	}
}

// restart has a page that was loaded again begin with the code.
func (p *Pages) restart(w http.ResponseWriter, _ *http.Request, _ *authflow.Page) error {
	p.Site.Redirect(w, p.Site.Link(Path))
	return nil
}

// showEntry asks for a code.
func (p *Pages) showEntry(w http.ResponseWriter, r *http.Request, _ *authflow.User) error {
	return p.renderEntry(w, r, http.StatusOK, p.known(r))
}

func (p *Pages) renderEntry(w http.ResponseWriter, r *http.Request, status int, code string, problems ...ui.Problem) error {
	form := p.Site.Form(w, r, problems)
	form.Action = p.Site.Link(Path)
	p.Site.Render(w, r, status, p.Site.Screens.Device(ui.DeviceView{Page: p.Site.PageView(r, nil), Form: form, Code: code}))
	return nil
}

// enter checks a code, and asks what is to become of the request. A right code resets no count:
// guesses at the codes of others would be free between two of one's own. What can be no code is no
// guess.
func (p *Pages) enter(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	entered := web.Truncate(r.PostForm.Get(ui.FieldUserCode), maxShown)
	if strings.TrimSpace(entered) == "" {
		return p.renderEntry(w, r, http.StatusUnprocessableEntity, "", ui.Problem{Code: ui.DeviceCodeMissing})
	}
	code, ok := readCode(entered)
	if !ok {
		return p.renderEntry(w, r, http.StatusUnprocessableEntity, entered, ui.Problem{Code: ui.DeviceCodeWrong})
	}
	by := ratelimit.Key{Account: user.UserID}
	wait, err := p.Limits.Allow(r.Context(), ratelimit.DeviceCode, by)
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.renderEntry(w, r, web.TooMany(w, wait), code, account.Throttled(wait))
	}
	c, client, err := p.Engine.DeviceRequest(r.Context(), code)
	if err != nil {
		return p.unknown(w, r, code, err)
	}
	ask, err := p.Flows.ReadDevice(r.Context(), user, c, client)
	if err != nil {
		return p.unknown(w, r, code, err)
	}
	if p.SameNetwork && !isNear(r, c) {
		return p.renderEntry(w, r, http.StatusForbidden, "", ui.Problem{Code: ui.DeviceElsewhere})
	}
	if required, unmet := ask.Unmet(); unmet {
		return p.signIn(w, r, user, code, required)
	}
	return p.show(w, r, user, ask, code)
}

// signIn has a user authenticate further, and return to the page that asks for the code.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, user *authflow.User, code string, required assurance.Requirement) error {
	back, err := p.entry(w, r, code)
	if err != nil {
		return err
	}
	back.Requires = required
	return p.Flows.SignIn(w, r, user, back)
}

// unknown says that a code is wrong, or expired, or decided; other errors stay.
func (p *Pages) unknown(w http.ResponseWriter, r *http.Request, code string, err error) error {
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrSpent) {
		return p.renderEntry(w, r, http.StatusUnprocessableEntity, code, ui.Problem{Code: ui.DeviceCodeWrong})
	}
	return err
}

// isNear reports whether a device is in the network of a request.
func isNear(r *http.Request, c storage.DeviceCode) bool {
	return c.Address != "" && c.Address == request.Network(r.Context())
}

// shown binds a form to its user and to what was shown: with another user, or another request,
// it has no effect.
type shown struct {
	Digest []byte `json:"d"`
	Code   string `json:"c"`
	User   string `json:"u"`
	Terms  string `json:"t"`
}

func (p *Pages) shownPurpose() string { return "device request " + p.Site.Issuer }

// shownField is the hidden field of what was shown.
const shownField = "device"

// show asks what is to become of a request.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, user *authflow.User, ask *authflow.DeviceAsk, code string) error {
	view, err := ask.View(r)
	if err != nil {
		return err
	}
	terms, err := ask.Fingerprint()
	if err != nil {
		return err
	}
	plain, err := json.Marshal(shown{ask.Code.Digest[:], code, user.UserID, terms})
	if err != nil {
		return fmt.Errorf("encode device request: %w", err)
	}
	view.Form = ui.Form{Action: p.Site.Link(confirmPath), Hidden: p.Site.Hidden(w, r,
		ui.Field{Name: shownField, Value: p.Site.Secrets.SealString(p.shownPurpose(), plain)})}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.DeviceConfirm(ui.DeviceConfirmView{
		ConsentView: view, Code: code, Near: isNear(r, ask.Code),
	}))
	return nil
}

// seen returns what the form of a request has shown.
func (p *Pages) seen(r *http.Request) (s shown, err error) {
	plain, err := p.Site.Secrets.OpenString(p.shownPurpose(), r.PostForm.Get(shownField))
	if err == nil {
		err = json.Unmarshal(plain, &s)
	}
	if err == nil && len(s.Digest) != len(storage.Digest{}) {
		err = errors.New("no digest")
	}
	return s, err
}

// decide acts on the decision about exactly what was shown.
func (p *Pages) decide(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	s, err := p.seen(r)
	if err != nil {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	if s.User != user.UserID { // who has not seen it
		return p.restart(w, r, nil)
	}
	c, client, err := p.Engine.DeviceAgain(r.Context(), storage.Digest(s.Digest))
	if err != nil {
		return p.unknown(w, r, s.Code, err)
	}
	ask, err := p.Flows.ReadDevice(r.Context(), user, c, client)
	if err != nil {
		return p.unknown(w, r, s.Code, err)
	}
	switch r.PostForm.Get(ui.FieldAction) {
	case ui.ActionAllow:
		return p.allow(w, r, user, ask, s)
	case ui.ActionReport:
		return p.deny(w, r, user, ask, s.Code, ui.DeviceReported)
	default: // anything but a clear yes is a no
		return p.deny(w, r, user, ask, s.Code, ui.DeviceDenied)
	}
}

// allow lets the device have what was shown.
func (p *Pages) allow(w http.ResponseWriter, r *http.Request, user *authflow.User, ask *authflow.DeviceAsk, s shown) error {
	terms, err := ask.Fingerprint()
	if err != nil {
		return err
	}
	if terms != s.Terms {
		return p.show(w, r, user, ask, s.Code)
	}
	if p.SameNetwork && !isNear(r, ask.Code) {
		return p.renderEntry(w, r, http.StatusForbidden, "", ui.Problem{Code: ui.DeviceElsewhere})
	}
	if required, unmet := ask.Unmet(); unmet {
		return p.signIn(w, r, user, s.Code, required)
	}
	err = ask.Allow(r.Context(), storage.Event{Name: event.DeviceAllowed, Subject: user.UserID, ClientID: ask.Client.ID})
	if err != nil {
		return p.undecided(w, r, user, s.Code, err)
	}
	p.NoticeMail(r, user.Account, ui.MailView{Kind: ui.MailDeviceAllowed, Application: ask.Client.Title(), AppsURL: p.Site.BaseURL + "/account/apps"})
	return p.done(w, r, ask, ui.DeviceAllowed)
}

// deny refuses the device, and reports it if the user has not started this.
func (p *Pages) deny(w http.ResponseWriter, r *http.Request, user *authflow.User, ask *authflow.DeviceAsk, code string, end ui.DeviceEnd) error {
	told := storage.Event{Name: event.Denied, Subject: user.UserID, ClientID: ask.Client.ID}
	if end == ui.DeviceReported {
		told.Name, told.Detail = event.DeviceReported, ask.Code.Address
	}
	if err := ask.Deny(r.Context(), told); err != nil {
		return p.undecided(w, r, user, code, err)
	}
	if end == ui.DeviceReported {
		p.NoticeMail(r, user.Account, ui.MailView{Kind: ui.MailDeviceReported, Application: ask.Client.Title()})
	}
	return p.done(w, r, ask, end)
}

// undecided handles a decision that was not recorded.
func (p *Pages) undecided(w http.ResponseWriter, r *http.Request, user *authflow.User, code string, err error) error {
	if errors.Is(err, storage.ErrEnded) || errors.Is(err, storage.ErrChanged) {
		return p.signIn(w, r, user, code, assurance.Requirement{})
	}
	return p.unknown(w, r, code, err)
}

func (p *Pages) done(w http.ResponseWriter, r *http.Request, ask *authflow.DeviceAsk, end ui.DeviceEnd) error {
	page := p.Site.PageView(r, nil)
	page.Client = p.Site.ClientView(r.Context(), ask.Client, "")
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.DeviceDone(ui.DeviceDoneView{
		Page: page, End: end, AppsURL: p.Site.Link("/account/apps"), AccountURL: p.Site.Link("/account"),
	}))
	return nil
}
