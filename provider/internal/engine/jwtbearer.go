package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/engine/signed"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// jwtGrant issues an access token to an application that has signed the name of a user (RFC 7523
// section 2.1). The signature authenticates the application; the scopes are at most those that
// the user has allowed it before. There is no refresh token, because another assertion serves,
// and no ID token, because nobody has signed in.
type jwtGrant struct{ *Engine }

var bearerAssertion = signed.Kind{
	Parameter: "assertion", MediaType: "authorization-grant+jwt",
	Refused: protocol.Fail(protocol.InvalidGrant, "The assertion is malformed, expired, used, or not signed by this application for this provider, or its user has not allowed this."),
}

// ErrNotAllowed means that a user has not allowed an application's request.
var ErrNotAllowed = errors.New("engine: the user has not allowed it")

// Allowed is what a user has allowed an application before.
type Allowed struct {
	Scopes     []string
	Attributes []string
	Groups     []string
	Resources  []string

	// Basis is the decision. If it has ended by the time of the write, nothing is issued.
	Basis storage.Basis
}

func (jwtGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantJWTBearer)
}

func (jwtGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g jwtGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	switch registered := s.client.AllowsGrant(protocol.GrantJWTBearer); {
	case !registered && s.client.Dialect.GrantsUnknown:
		return protocol.Fail(protocol.UnsupportedGrantType, "This grant_type is not supported.").Because(diagnosis.GrantNotRegistered)
	case !registered, s.client.Public: // anybody can be a public client
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)
	case !form.Has("assertion"):
		return protocol.Fail(protocol.InvalidRequest, "The parameter assertion is missing.").Because(diagnosis.ParameterMissing, "parameter", "assertion")
	}
	subject, err := g.readSubject(ctx, s.client, form.Get("assertion"))
	if err != nil {
		return err
	}
	asked := input.ScopeValues(form.Get("scope"))
	allowed, err := g.Allowed(ctx, subject, s.client, asked)
	switch {
	case errors.Is(err, issue.ErrNoUser):
		return bearerAssertion.Because(diagnosis.UserGone)
	case errors.Is(err, ErrNotAllowed):
		return bearerAssertion.Because(diagnosis.ConsentMissing, "scope", strings.Join(asked, " "))
	case err != nil:
		return err
	case s.client.Dialect.SingleScope && len(authorization.WithoutProtocol(allowed.Scopes)) != 1: // nobody is there to pick one
		return protocol.Fail(protocol.InvalidScope, "Ask for exactly one scope value that the user has allowed.").
			Because(diagnosis.ParameterMalformed, "parameter", "scope")
	}
	if absent := (storage.Grant{Subject: subject}); g.Requires(absent, s.client, allowed.Scopes) != (assurance.Requirement{}) || !s.client.Requires.IsZero() {
		return bearerAssertion.Because(diagnosis.AuthenticationWeak) // nobody has authenticated
	}
	if s.client.SkipConsent {
		s.resources, err = g.Resources.Named(form, s.client)
	} else {
		s.resources, err = g.Resources.Narrowed(form, s.client, allowed.Resources)
	}
	if err != nil {
		return err
	}
	s.basis = allowed.Basis
	s.Grant = storage.Grant{
		ClientID: s.client.ID, Subject: subject, Scopes: allowed.Scopes, Attributes: allowed.Attributes, Groups: allowed.Groups, Resources: s.resources,
	}
	for _, scope := range allowed.Scopes {
		r.GrantScope(scope)
	}
	return nil
}

// readSubject returns the user of a client's assertion. If that is the client itself, the
// assertion is of another kind.
func (g jwtGrant) readSubject(ctx context.Context, c *registry.Client, assertion string) (string, error) {
	token, claims, err := bearerAssertion.Read(assertion)
	if err != nil {
		return "", err
	}
	if err := g.signatures.Verify(ctx, bearerAssertion, c, token, claims, ""); err != nil {
		return "", err
	}
	if subject := claims.Subject; subject == "" || subject == c.ID || subject == issue.Nobody || len(subject) > input.MaxValue || !input.IsText(subject) {
		return "", bearerAssertion.Because(diagnosis.JWTIssuer, "sub", claims.Subject)
	}
	return claims.Subject, g.signatures.Use(ctx, bearerAssertion, c, claims)
}

func (g jwtGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s, now := r.GetSession().(*exchange), g.Clock()
	s.Grant.ID, s.Grant.CreatedAt, s.Grant.ExpiresAt = random.SortedID(now), now, now.Add(g.Lifetimes.Access)
	_, _ = rand.Read(s.Grant.Flow[:]) // never fails; it came of no request of a browser
	request.InFlow(ctx, s.Grant.Flow)
	access, scopes, err := g.maker.AccessToken(&s.Batch, issue.AccessTokenFor{Client: s.client, Scopes: r.GetGrantedScopes(), Resources: s.resources, JKT: s.jkt(), Now: now, Life: g.Lifetimes.Access})
	if err != nil {
		return err
	}
	response.SetAccessToken(access)
	response.SetTokenType(issue.TokenType(s.jkt()))
	response.SetExpiresIn(g.Lifetimes.Access)
	response.SetScopes(scopes)
	err = g.create(ctx, s)
	switch {
	case errors.Is(err, storage.ErrEnded): // the user was locked, or has revoked it
		return bearerAssertion.Because(diagnosis.ConsentMissing)
	case errors.Is(err, storage.ErrNotFound): // the client was deleted meanwhile
		return clientauth.ErrRefused.Because(diagnosis.ClientUnknown)
	default:
		return err
	}
}

// create records the grant. If its basis is the record of a host's own application, which another
// request has just extended, the grant gets the new basis. The end of a user's decision is
// final.
func (g jwtGrant) create(ctx context.Context, s *exchange) error {
	for range 3 {
		err := g.Grants.CreateGrant(ctx, s.Grant, s.basis, s.Issued...)
		if !errors.Is(err, storage.ErrEnded) || !s.client.SkipConsent {
			return err
		}
		now, err := g.Allowed(ctx, s.Grant.Subject, s.client, s.Grant.Scopes)
		if errors.Is(err, issue.ErrNoUser) || errors.Is(err, ErrNotAllowed) {
			return storage.ErrEnded
		}
		if err != nil {
			return err
		}
		if !slices.Equal(now.Scopes, s.Grant.Scopes) || now.Basis.Consent.Decision == s.basis.Consent.Decision {
			return storage.ErrEnded
		}
		s.basis, s.Grant.Attributes, s.Grant.Groups = now.Basis, now.Attributes, now.Groups
	}
	return storage.ErrEnded
}
