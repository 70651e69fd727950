package developer

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// trial is a sign-in at an application for which the dashboard plays the application's
// part. It travels as the state of the request, encrypted, so that it is not stored and
// nobody reads its verifier. Only the user who began it can use it: the response to another
// user's request, which a page could send a developer to, is not accepted.
//
// Its redirect URI is one of the dashboard, on production's origin. It is added to the
// registration when a developer begins, and removed when the response arrives or a
// developer removes it: an application has the redirect URI no longer than needed.
// Meanwhile a code sent there is useless to anybody else: only this handler receives it,
// shows eight of its characters, and it is bound to the challenge of a trial.
type trial struct {
	Organization, Environment, ClientID string
	UserID                              string
	Scope, Nonce, Verifier              string
	At                                  time.Time
}

const (
	sealedTrial = "developer trial"

	// trialLife is how long a trial may take.
	trialLife = 10 * time.Minute

	// maxScope limits the scope of a trial.
	maxScope = 500
)

// tryCallback is the redirect URI of trials.
func (d *frame) tryCallback() string { return d.absolute(d.path("try", "callback")) }

func (d *tryPages) showTry(r *request) error {
	c, err := d.client(r)
	if err != nil {
		return err
	}
	scopes := append([]string{scopeOpenID}, askedFirst(c, d.forms.scopesOf(r.env, c))...)
	return d.renderTry(r, c, strings.Join(scopes, " "))
}

func (d *tryPages) renderTry(r *request, c provider.Client, scope string) error {
	p, err := d.applicationPage(r, screens.SectionTry)
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Try(screens.TryView{
		Page: p, Form: r.Form(), Scope: scope, Scopes: d.forms.scopesOf(r.env, c),
		RedirectURI: d.tryCallback(), Left: slices.Contains(c.RedirectURIs, d.tryCallback()),
		MayTry: r.may(developers), Fits: getsCode(c), Strict: isBeyondTrials(c), Machine: r.app.Kind == kindMachine,
	}))
	return nil
}

// getsCode reports whether an application may exchange a code.
func getsCode(c provider.Client) bool {
	return slices.Contains(responseTypesOf(c), "code") && slices.Contains(grantTypesOf(c), "authorization_code")
}

// isBeyondTrials reports whether an application must do more than a trial does.
func isBeyondTrials(c provider.Client) bool { return isStrict(c) || c.DPoPBoundAccessTokens }

// beginTry begins a trial, or ends an unfinished one.
func (d *tryPages) beginTry(r *request) error {
	if r.posted(ui.FieldAction) != screens.ActionTry {
		if err := d.registerCallback(r, false); err != nil {
			return err
		}
		return r.done(d.path("o", r.org.ID, r.env, r.app.ClientID, "try"), screens.NoticeSaved)
	}
	c, err := d.client(r)
	if err != nil {
		return err
	}
	scope := strings.Join(strings.Fields(r.posted(ui.FieldScope)), " ")
	if !getsCode(c) || isBeyondTrials(c) || len(scope) > maxScope {
		return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New("a trial that cannot be")}
	}
	t := trial{
		Organization: r.org.ID, Environment: r.env, ClientID: r.app.ClientID, UserID: r.User.UserID,
		Scope: scope, Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), At: d.Clock(),
	}
	state, err := d.sealTrial(t)
	if err != nil {
		return err
	}
	p, err := d.applicationPage(r, screens.SectionTry)
	if err != nil {
		return err
	}
	if err := d.registerCallback(r, true); err != nil {
		return err
	}
	query := t.request(d.tryCallback(), state)
	endpoint := d.provider(r.env).Rooms().Installation().BaseURL + "/oauth/authorize"
	r.Render(http.StatusOK, screens.TryReady(screens.TryReadyView{
		Page: p, URL: endpoint + "?" + query.Encode(), Text: wire("GET "+endpoint, nil, query),
	}))
	return nil
}

// request returns the authorization request of a trial.
func (t trial) request(callback, state string) url.Values {
	challenge := sha256.Sum256([]byte(t.Verifier))
	return url.Values{
		"client_id": {t.ClientID}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {t.Scope},
		"state": {state}, "nonce": {t.Nonce},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}
}

func (d *tryPages) sealTrial(t trial) (string, error) {
	plain, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encode trial: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(d.Provider.Keys().Seal(sealedTrial, plain)), nil
}

// openTrial returns the trial of a response; an error page if it is invalid, too old, or
// another user's.
func (d *tryPages) openTrial(r *request) (t trial, err error) {
	refused := func(err error) error {
		return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: err}
	}
	sealed, err := base64.RawURLEncoding.DecodeString(r.asked("state"))
	if err != nil {
		return t, refused(err)
	}
	plain, err := d.Provider.Keys().Open(sealedTrial, sealed)
	if err != nil {
		return t, refused(err)
	}
	if err := json.Unmarshal(plain, &t); err != nil {
		return t, fmt.Errorf("decode trial: %w", err)
	}
	if t.UserID != r.User.UserID {
		return t, refused(errors.New("the trial of another user"))
	}
	if age := d.Clock().Sub(t.At); age < 0 || age > trialLife {
		return t, provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Err: errors.New("the trial is over")}
	}
	return t, nil
}

// registerCallback adds the redirect URI of trials to the registration of an application,
// or removes it. Concurrent changes stay.
func (d *tryPages) registerCallback(r *request, add bool) error {
	for range 3 {
		c, err := d.client(r)
		if err != nil {
			return err
		}
		before := slices.Clone(c.RedirectURIs)
		c.RedirectURIs = slices.DeleteFunc(c.RedirectURIs, func(uri string) bool { return uri == d.tryCallback() })
		if add {
			c.RedirectURIs = append(c.RedirectURIs, d.tryCallback())
		}
		if slices.Equal(before, c.RedirectURIs) || len(c.RedirectURIs) == 0 {
			return nil
		}
		fields := changedList(screens.FieldRedirectURIs, before, c.RedirectURIs)
		err = d.registered(r.Request.Context(), r.does(), "application.change", fields, func(ctx context.Context) error {
			return d.provider(r.env).Clients().Save(ctx, c)
		})
		if !errors.Is(err, provider.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%w: the registration changes again and again", storage.ErrUnavailable)
}

// finishTry is the redirect URI of trials: it continues as the application would, and shows
// each step.
func (d *tryPages) finishTry(r *request) error {
	t, err := d.openTrial(r)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"org": t.Organization, "env": t.Environment, "client": t.ClientID} {
		r.Request.SetPathValue(name, value)
	}
	if err := d.admit(r, developers); err != nil {
		return err
	}
	c, err := d.client(r)
	if err != nil {
		return err
	}
	run := &tryRun{d: d, r: r, p: d.provider(r.env), t: t, client: c}
	if err := run.all(); err != nil {
		return err
	}
	p, err := d.applicationPage(r, screens.SectionTry)
	if err != nil {
		return err
	}
	if err := d.registerCallback(r, false); err != nil { // its page has a form for that
		d.Logger.WarnContext(r.Request.Context(), "the redirect URI of a trial is left", slog.String("client", r.app.ClientID), slog.Any("error", err))
	}
	here := d.path("o", r.org.ID, r.env, r.app.ClientID)
	r.Room().RenderSecret(http.StatusOK, screens.TryResult(screens.TryResultView{
		Page: p, Steps: run.steps, AgainURL: here + "/try", LogURL: here + "/log",
	}))
	return nil
}
