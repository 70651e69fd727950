package authflow

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// DeviceAsk is what a device asks of a user (RFC 8628). Its screen is that of consent, which no
// former decision takes the place of.
type DeviceAsk struct {
	Code   storage.DeviceCode
	Client *registry.Client

	endpoint *entry
	state    authState
	standing standing
}

// ReadDevice returns what a device asks of a user. storage.ErrNotFound if the user may not use the
// application: whoever has the code need not learn that.
func (e *entry) ReadDevice(ctx context.Context, user *User, c storage.DeviceCode, client *registry.Client) (*DeviceAsk, error) {
	known, err := e.Personas.Knows(ctx, user.UserID, client.ID)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, storage.ErrNotFound
	}
	err = e.consents.AdmitAgain(ctx, storage.Grant{Subject: user.UserID, ClientID: client.ID}, c.Scopes)
	if errors.Is(err, issue.ErrNoUser) {
		return nil, storage.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	request := &engine.AuthorizeRequest{Request: authorization.Request{Client: client, Scopes: c.Scopes, Resources: c.Resources, MaxAge: -1}}
	a := &DeviceAsk{Code: c, Client: client, endpoint: e}
	a.state = authState{request: request, user: user, now: e.Clock(), requested: e.consents.termsOf(request, nil)}
	a.state.policy = e.policy(user, client, a.state.requested)
	if a.standing, err = e.consents.standingOn(ctx, &Return{Requires: a.state.policy}, user); err != nil {
		return nil, err
	}
	if err := a.readConsent(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *DeviceAsk) readConsent(ctx context.Context) error {
	found, err := a.endpoint.Store.Consent(ctx, a.state.user.UserID, a.Client.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		a.state.consent = nil
	case err != nil:
		return fmt.Errorf("read consent: %w", err)
	default:
		a.state.consent = &found
	}
	return nil
}

// Unmet reports that the user has to authenticate further, and how.
func (a *DeviceAsk) Unmet() (assurance.Requirement, bool) {
	_, ok, _ := a.standing.choose()
	return a.state.policy, !ok
}

// Fingerprint binds a form to what its screen has shown.
func (a *DeviceAsk) Fingerprint() (string, error) { return a.state.requested.fingerprint() }

// View shows what the device would get, as the screen of consent does.
func (a *DeviceAsk) View(r *http.Request) (ui.ConsentView, error) {
	ctx, e, user := r.Context(), a.endpoint, a.state.user
	// Everything on the screen is from one moment: what follows is read from this.
	facts := claims.Union(a.state.requested.Attributes, claims.AccountHandles)
	if _, err := e.Claims.Person(ctx, user.UserID, facts, a.state.requested.Groups); err != nil {
		return ui.ConsentView{}, err
	}
	account, err := e.AccountView(ctx, user.UserID)
	if err != nil {
		return ui.ConsentView{}, err
	}
	shown := a.state
	shown.consent = nil // nothing is marked as new: all of it is asked
	view, err := e.consents.consentView(r, a.state.request, shown)
	view.Page, view.Account = e.Site.PageView(r, nil), account
	view.Client = e.Site.ClientView(ctx, a.Client, "")
	return view, err
}

// Allow records the approval with its events. storage.ErrSpent if the request has been decided,
// storage.ErrNotFound if it has expired, storage.ErrEnded if the user is signed out.
func (a *DeviceAsk) Allow(ctx context.Context, events ...storage.Event) error {
	e, s := a.endpoint, &a.state
	for try := range maxTries {
		err := a.record(ctx)
		if err == nil {
			by, _, _ := a.standing.choose()
			err = e.Audit.Step(ctx, func(ctx context.Context) error {
				return e.Engine.AllowDevice(ctx, a.Code, a.Client, engine.Approval{
					Subject: s.user.UserID, AuthTime: by.At, AMR: by.AMR, Assurance: by.Level, EnrolledAt: by.Since,
					Attributes: s.requested.Attributes, Groups: s.requested.Groups,
					Basis: storage.Basis{Session: s.user.Session, Consent: *s.consent},
				})
			}, events...)
		}
		if !errors.Is(err, storage.ErrChanged) && !errors.Is(err, storage.ErrEnded) || try == maxTries-1 {
			return err
		}
		if err := a.readConsent(ctx); err != nil {
			return err
		}
	}
	return storage.ErrEnded
}

// record has the user find the application where permissions are taken back. A decision that
// allows less becomes the record of a use: what a device was allowed skips no later screen.
func (a *DeviceAsk) record(ctx context.Context) error {
	s := &a.state
	if s.consent != nil && !s.consent.Decision.IsZero() && s.requested.releasedBy(s.consent) {
		return nil
	}
	use := s.requested.use(s.user.UserID, a.Client.ID, s.consent, s.now)
	err := a.endpoint.Store.SaveConsent(ctx, use, storage.ConsentBasis{Session: s.user.Session, Replaced: decisionOf(s.consent)})
	if err != nil {
		return fmt.Errorf("save consent: %w", err)
	}
	s.consent = &use
	return nil
}

// Deny records that the user has refused, with its events. The errors are those of Allow.
func (a *DeviceAsk) Deny(ctx context.Context, events ...storage.Event) error {
	return a.endpoint.Audit.Step(ctx, func(ctx context.Context) error {
		return a.endpoint.Engine.DenyDevice(ctx, a.Code, a.state.user.UserID, a.state.user.Session)
	}, events...)
}
