package engine

import (
	"context"
	"errors"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/storage"
)

// codeGrant exchanges an authorization code (RFC 6749 section 4.1.3).
type codeGrant struct{ *Engine }

func (codeGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(GrantAuthorizationCode)
}

func (codeGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g codeGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	s.client = r.GetClient().(fositeClient).Client
	switch {
	case !s.client.AllowsGrant(GrantAuthorizationCode):
		return fail(UnauthorizedClient, "This application may not use this grant.")
	case !form.Has("code"):
		return fail(InvalidRequest, "The parameter code is missing.")
	case s.client.Dialect.RedirectURIRequired && !form.Has("redirect_uri"):
		return fail(InvalidRequest, "The parameter redirect_uri is missing.")
	}
	if err := g.load(ctx, storage.AuthorizationCode, form.Get("code"), s); err != nil {
		return err
	}
	if !s.Token.SpentAt.IsZero() {
		return g.replayed(ctx, s)
	}
	sameURI := form.Get("redirect_uri") == s.Grant.RedirectURI
	mayOmit := !s.Grant.RedirectSent && !form.Has("redirect_uri")
	if !g.Clock().Before(s.Token.ExpiresAt) || !sameURI && !mayOmit || !s.client.AllowsScopes(s.Grant.Scopes) {
		return errGrant
	}
	return nil
}

func (g codeGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s := r.GetSession().(*exchange)
	refresh := s.client.Dialect.AlwaysRefreshToken || s.client.AllowsGrant(GrantRefreshToken)
	issued, err := g.tokens(ctx, s, refresh)
	if err != nil {
		return err
	}
	err = g.Grants.Exchange(ctx, s.Issued, g.Clock(), issued...)
	switch {
	case errors.Is(err, storage.ErrSpent):
		return g.replayed(ctx, s)
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrNotFound):
		return errGrant
	case err != nil:
		return err
	}
	handled(s, response)
	return nil
}

// handled tells fosite that the request has been answered.
func handled(s *exchange, response fosite.AccessResponder) {
	response.SetAccessToken(s.response.AccessToken)
	response.SetTokenType(tokenType)
}
