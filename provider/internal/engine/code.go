package engine

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// codeGrant exchanges an authorization code (RFC 6749 section 4.1.3).
type codeGrant struct{ *Engine }

func (codeGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantAuthorizationCode)
}

func (codeGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g codeGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	switch {
	case !s.client.AllowsGrant(protocol.GrantAuthorizationCode):
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)
	case !form.Has("code"):
		return protocol.Fail(protocol.InvalidRequest, "The parameter code is missing.").Because(diagnosis.ParameterMissing, "parameter", "code")
	case s.client.Dialect.RedirectURIRequired && !form.Has("redirect_uri"):
		return protocol.Fail(protocol.InvalidRequest, "The parameter redirect_uri is missing.").Because(diagnosis.ParameterMissing, "parameter", "redirect_uri")
	}
	if err := g.load(ctx, storage.AuthorizationCode, form.Get("code"), s); err != nil {
		return err
	}
	// A code that comes again ends its grant, but not when it is presented by another
	// than the application, who knows no more than the code.
	err := authorization.VerifyChallenge(s.Grant.Challenge, form)
	if err == nil {
		err = s.holds()
	}
	if !s.presented.Token.SpentAt.IsZero() && (err == nil || !s.client.Public) {
		return g.replayed(ctx, s)
	}
	if err != nil {
		return err
	}
	sameURI := s.client.Dialect.SameRedirectURI(form.Get("redirect_uri"), s.Grant.RedirectURI)
	mayOmit := !s.Grant.RedirectSent && !form.Has("redirect_uri")
	// A code of the time when the application needed no challenge may have none; where it has
	// no secret any more, who has found the code would need nothing else.
	unchallenged := s.client.NeedsChallenge() && s.Grant.Challenge == ""
	switch {
	case !g.Clock().Before(s.presented.Token.ExpiresAt):
		return errGrant.Because(diagnosis.CodeExpired)
	case !s.client.AllowsScopes(s.Grant.Scopes):
		return errGrant.Because(diagnosis.ScopeWithdrawn, "scope", strings.Join(s.Grant.Scopes, " "))
	case unchallenged:
		return errGrant.Because(diagnosis.ChallengeMissing)
	case !sameURI && !mayOmit:
		return otherRedirectURI(form, s.Grant.RedirectURI)
	case !registry.IsRegistered(s.client, s.Grant.RedirectURI):
		return withdrawnRedirectURI(s.client, s.Grant.RedirectURI)
	}
	return g.grantAll(ctx, r)
}

// grantAll grants all that the grant of a code has, for the resources that the request names.
func (e *Engine) grantAll(ctx context.Context, r fosite.AccessRequester) (err error) {
	s := r.GetSession().(*exchange)
	grantScopes(r, s.Grant, s.Grant.Scopes)
	if s.resources, err = e.Resources.Narrowed(r.GetRequestForm(), s.client, e.Resources.Granted(s.Grant)); err != nil {
		return err
	}
	if err := e.strongEnough(s.Grant, s.client, s.Grant.Scopes); err != nil {
		return err
	}
	return e.admitted(ctx, r, s.client)
}

// withdrawnRedirectURI is the answer for a code that went to an address which the
// application does not have any more: whoever answers there has the code.
func withdrawnRedirectURI(c *registry.Client, granted string) error {
	withdrawn := errGrant.Because(diagnosis.RedirectURINotRegistered)
	withdrawn.Details = diagnosis.Unregistered("redirect_uri", granted, c.RedirectURIs)
	return withdrawn
}

const differingRedirectURI = "The redirect_uri is not that of the authorization request: "

// otherRedirectURI tells a client that has authenticated, or knows the verifier, what is
// wrong with the redirect URI of its code. Strangers are told nothing about a code.
func otherRedirectURI(form url.Values, granted string) error {
	sent := form.Get("redirect_uri")
	return protocol.Fail(protocol.InvalidGrant, differingRedirectURI+registry.DifferingPart(sent, granted)+".").
		Because(diagnosis.RedirectURIDiffers, "redirect_uri", diagnosis.Address(sent), "registered", diagnosis.Address(granted),
			"difference", diagnosis.Difference(sent, granted))
}

func (g codeGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	return g.redeem(ctx, r, response)
}

// redeem issues the tokens for a code, once.
func (e *Engine) redeem(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	s := r.GetSession().(*exchange)
	if err := e.issueTokens(ctx, r, response, s.client.Refreshes(s.Grant.Scopes)); err != nil {
		return err
	}
	err := e.Grants.Exchange(ctx, s.presented, e.Clock(), s.Issued...)
	switch {
	case errors.Is(err, storage.ErrSpent):
		return e.replayed(ctx, s)
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrNotFound):
		return errGrant.Because(diagnosis.CodeRevoked)
	default:
		return err
	}
}
