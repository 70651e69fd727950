package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/storage"
)

// refreshGrant exchanges a refresh token for its successor (RFC 6749 section 6).
// Every token can be used once. One that comes again within the grace gets a
// successor of the same grant, because the first answer may have been lost; one
// that comes later was stolen, by the one who came first or by this one, and ends
// the grant (RFC 9700 section 4.14.2).
type refreshGrant struct{ *Engine }

func (refreshGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(GrantRefreshToken)
}

func (refreshGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g refreshGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	s.client = r.GetClient().(fositeClient).Client
	if !s.client.AllowsGrant(GrantRefreshToken) {
		if s.client.Dialect.RefreshUnknown {
			return fail(UnsupportedGrantType, "This grant_type is not supported.")
		}
		return fail(UnauthorizedClient, "This application may not use this grant.")
	}
	if !form.Has("refresh_token") {
		return fail(InvalidRequest, "The parameter refresh_token is missing.")
	}
	if err := g.load(ctx, storage.RefreshToken, form.Get("refresh_token"), s); err != nil {
		return err
	}
	now := g.Clock()
	if !s.Token.SpentAt.IsZero() {
		if now.Sub(s.Token.SpentAt) >= g.Lifetimes.RefreshGrace {
			return g.replayed(ctx, s)
		}
		s.reissue = true
	}
	if !now.Before(s.Token.ExpiresAt) || !s.client.AllowsScopes(s.Grant.Scopes) {
		return errGrant
	}
	if narrower := values(form.Get("scope")); len(narrower) > 0 {
		if slices.ContainsFunc(narrower, func(v string) bool { return !slices.Contains(s.Grant.Scopes, v) }) {
			return fail(InvalidScope, "Ask for no more scopes than the user allowed.")
		}
		s.scopes = slices.DeleteFunc(slices.Clone(s.Grant.Scopes), func(v string) bool { return !slices.Contains(narrower, v) })
	}
	return g.userExists(ctx, s)
}

func (g refreshGrant) userExists(ctx context.Context, s *exchange) error {
	if slices.Contains(s.scopes, ScopeOpenID) {
		return nil // the ID token will ask
	}
	_, err := g.Claims(ctx, s.Grant, s.client)
	if errors.Is(err, ErrNoUser) {
		return errGrant
	}
	return err
}

func (g refreshGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s := r.GetSession().(*exchange)
	issued, err := g.tokens(ctx, s, true)
	if err != nil {
		return err
	}
	err = storage.ErrSpent
	if !s.reissue {
		err = g.Grants.Exchange(ctx, s.Issued, g.Clock(), issued...)
	}
	if errors.Is(err, storage.ErrSpent) && g.Lifetimes.RefreshGrace > 0 {
		err = g.Grants.Reissue(ctx, s.Issued, g.Clock().Add(-g.Lifetimes.RefreshGrace), issued...)
	}
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
