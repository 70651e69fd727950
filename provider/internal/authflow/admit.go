package authflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Refusal is the host's refusal of an application's request for a user's data.
type Refusal struct{ Message string }

// Error implements error.
func (r Refusal) Error() string { return "refused by the host" }

// authorized asks the host whether an application may get a user's data. If not, it returns
// a Refusal or host.ErrNoUser.
func (e *consents) authorized(ctx context.Context, userID string, asked host.Request) error {
	if e.Host.Authorize == nil {
		return nil
	}
	host.AskFor(ctx, asked)
	_, err := host.Call(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, e.Host.Authorize(ctx, userID, asked.ClientID, slices.Clone(asked.Scopes))
	})
	var refused Refusal
	if err == nil || errors.As(err, &refused) || errors.Is(err, host.ErrNoUser) {
		return err
	}
	return fmt.Errorf("%w: Authorize: %w", host.ErrFailed, err)
}

// admit asks the host whether the application of a flow may get a response about its user.
// A refusal is a *denial.
func (e *consents) admit(ctx context.Context, f *Flow, s authState) error {
	err := e.authorized(ctx, s.user.UserID, s.hostRequest())
	var refused Refusal
	if errors.As(err, &refused) || errors.Is(err, host.ErrNoUser) {
		return &denial{f, refused.Message, err}
	}
	return err
}

// admitKnown is admit for a user who gets tokens: the host must know the user. This request
// asks for nothing else about the user.
func (e *consents) admitKnown(ctx context.Context, f *Flow, s authState) error {
	if e.Claims.Host != nil {
		_, err := e.Claims.Person(ctx, s.user.UserID, s.requested.Attributes, s.requested.Groups)
		if errors.Is(err, host.ErrNoUser) {
			return &denial{flow: f, cause: err}
		}
		if err != nil {
			return err
		}
	}
	return e.admit(ctx, f, s)
}

// AdmitAgain is called before tokens of a grant are issued without its user.
func (e *consents) AdmitAgain(ctx context.Context, g storage.Grant, scopes []string) error {
	err := e.authorized(ctx, g.Subject, host.Request{ClientID: g.ClientID, Scopes: scopes, Claims: authorization.ClaimsOf(g).Handles()})
	var refused Refusal
	if errors.As(err, &refused) || errors.Is(err, host.ErrNoUser) {
		e.Site.Logger.InfoContext(ctx, "the host refuses an application",
			slog.String("user", g.Subject), slog.String("client", g.ClientID))
		return issue.ErrNoUser
	}
	return err
}

// AdmitStill is AdmitAgain for a client, which may be for verified users alone:
// engine.ErrNotAllowed once this one is none, by all scopes of the grant, whichever the tokens
// have.
func (e *consents) AdmitStill(ctx context.Context, g storage.Grant, c *registry.Client, scopes []string) error {
	verified, err := e.groups.isVerified(ctx, c, g.Scopes, authorization.ClaimsOf(g).Handles(), g.Subject)
	if err != nil {
		return err
	}
	if !verified {
		return engine.ErrNotAllowed
	}
	return e.AdmitAgain(ctx, g, scopes)
}

// denial ends a flow with a page that gives the reason and a link to the application.
type denial struct {
	flow    *Flow
	message string
	cause   error
}

func (d *denial) Error() string { return "denied: " + d.cause.Error() }

func (d *denial) Unwrap() error { return d.cause }

// deny shows the user why the application gets no response; the application gets its error
// when the user follows the link, or at once if no page may be shown.
func (e *flows) deny(w http.ResponseWriter, r *http.Request, d *denial) error {
	request := d.flow.request
	refused := &redirectError{request, &protocol.Error{Code: protocol.AccessDenied, Description: "The user may not use this application.",
		Diagnosis: diagnosis.UserRefused}, d.flow}
	if request.HasPrompt(authorization.PromptNone) {
		return refused
	}
	if err := e.endFlow(r, d.flow); err != nil {
		return err
	}
	e.Site.LogFailure(r, http.StatusForbidden, d)
	response, err := e.Engine.Refuse(request, refused.err)
	if err != nil {
		return err
	}
	view := ui.DeniedView{Page: e.Site.PageView(r, request), Message: d.message, URL: Location(response), FedCM: response.Mode == protocol.ModeFedCM}
	if response.Mode == protocol.ModeFormPost {
		view.URL, view.Fields = response.RedirectURI, fieldsOf(response)
	}
	e.Site.RenderFor(w, r, request, http.StatusForbidden, e.Site.Screens.Denied(view))
	return nil
}

// unknownUser returns the error of a page whose user does not exist: a *denial in a flow.
func (e *flows) unknownUser(r *http.Request, p *Page, cause error) error {
	var already *denial
	if errors.As(cause, &already) || p.Return != nil || web.Parameter(r, web.FlowParameter) == "" {
		return cause
	}
	if p.Flow == nil {
		var err error
		if p.Flow, err = e.openFlow(r); err != nil {
			return err
		}
	}
	return &denial{flow: p.Flow, cause: cause}
}
