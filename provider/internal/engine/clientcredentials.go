package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// clientGrant issues an access token to an application for itself (RFC 6749 section 4.4).
// Its grant is nobody's: no name that a user can have stands in it, so that an application
// whose client_id is the name of a user is not taken for that user (RFC 9700 section 4.15).
type clientGrant struct{ *Engine }

func (clientGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantClientCredentials)
}

func (clientGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g clientGrant) HandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) error {
	s := r.GetSession().(*exchange)
	if err := s.begin(r); err != nil {
		return err
	}
	switch registered := s.client.AllowsGrant(protocol.GrantClientCredentials); {
	case !registered && s.client.Dialect.GrantsUnknown:
		return protocol.Fail(protocol.UnsupportedGrantType, "This grant_type is not supported.").Because(diagnosis.GrantNotRegistered)
	case !registered, s.client.Public: // anybody can be a public client
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)
	}
	asked := input.Values(r.GetRequestForm().Get("scope"))
	if refused := g.notForClient(s.client, asked); len(refused) > 0 {
		return protocol.Fail(protocol.InvalidScope, "This application may not ask for this scope for itself.").
			Because(diagnosis.ScopeNotAllowed, "scope", strings.Join(refused, " "), "registered", strings.Join(s.client.Scopes, " "))
	}
	if len(asked) == 0 {
		asked = slices.DeleteFunc(slices.Clone(s.client.Scopes), needsUser)
	}
	slices.Sort(asked)
	for _, scope := range slices.Compact(asked) {
		r.GrantScope(scope)
	}
	var err error
	s.resources, err = g.Resources.Named(r.GetRequestForm(), s.client)
	return err
}

// notForClient returns which of the scopes a client may not ask for when it asks for
// itself.
func (e *Engine) notForClient(c *registry.Client, asked []string) []string {
	return slices.DeleteFunc(slices.Clone(asked), func(scope string) bool {
		return !needsUser(scope) && (e.scopeAllowed(c.Scopes, scope) || protocol.IsOfPrograms(scope) && registry.Allows(c.Scopes, scope))
	})
}

// needsUser reports whether a scope is about a user who signs in.
func needsUser(scope string) bool {
	return scope == protocol.ScopeOpenID || scope == protocol.ScopeOfflineAccess
}

func (g clientGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s, now := r.GetSession().(*exchange), g.Clock()
	s.Grant = storage.Grant{
		ID: random.SortedID(now), ClientID: s.client.ID, Subject: issue.Nobody, Scopes: r.GetGrantedScopes(), Resources: s.resources,
		CreatedAt: now, ExpiresAt: now.Add(g.Lifetimes.Access),
	}
	_, _ = rand.Read(s.Grant.Flow[:]) // never fails; it came of no request of a browser
	request.InFlow(ctx, s.Grant.Flow)
	access, scopes, err := g.maker.AccessToken(&s.Batch, issue.AccessTokenFor{Client: s.client, Scopes: s.Grant.Scopes, Resources: s.resources, JKT: s.jkt(), Now: now, Life: g.Lifetimes.Access})
	if err != nil {
		return err
	}
	response.SetAccessToken(access)
	response.SetTokenType(issue.TokenType(s.jkt()))
	response.SetExpiresIn(g.Lifetimes.Access)
	response.SetScopes(scopes)
	err = g.Grants.CreateGrant(ctx, s.Grant, storage.Basis{}, s.Issued...)
	if errors.Is(err, storage.ErrNotFound) { // the client was deleted meanwhile
		return clientauth.ErrRefused.Because(diagnosis.ClientUnknown)
	}
	return err
}
