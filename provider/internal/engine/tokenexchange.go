package engine

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// exchangeGrant issues an access token for one API to another API, which presents the token that
// it was called with (RFC 8693). That token has a user, who was asked about both APIs, and it
// stays valid. The new one belongs to the same grant, has no more scopes, and lives no longer: what
// ends the one ends the other.
type exchangeGrant struct{ *Engine }

// maxActors is how often a token is exchanged, one for the other.
const maxActors = 2

// errSubject is the error of every subject_token that is no good, or is none of the client's
// business, so that nobody can test a found token. Its code is of RFC 8693 section 2.2.2.
var errSubject = protocol.Fail(protocol.InvalidRequest,
	"The subject_token is unknown, expired or revoked, or is not for an API of this application.")

func (exchangeGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantTokenExchange)
}

func (exchangeGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g exchangeGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	switch {
	case !s.client.Dialect.Exchanges:
		return protocol.Fail(protocol.UnsupportedGrantType, "This grant_type is not supported.").Because(diagnosis.GrantNotRegistered)
	case !mayExchange(s.client):
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.GrantNotRegistered)
	}
	if err := checkExchange(form); err != nil {
		return err
	}
	subject, err := g.subject(ctx, form.Get("subject_token"), s)
	if err != nil {
		return err
	}
	target, err := g.target(form, s.client, subject)
	if err != nil {
		return err
	}
	scopes, err := g.exchangedScopes(input.ScopeValues(form.Get("scope")), s.client, subject, target)
	if err != nil {
		return err
	}
	if err := g.strongEnough(subject.Grant, subject.Client, scopes); err != nil {
		return ofSubject(err)
	}
	for _, scope := range scopes {
		r.GrantScope(scope)
	}
	s.presented, s.Grant, s.resources = subject.Issued, subject.Grant, []string{target}
	return ofSubject(g.admitted(ctx, r, subject.Client))
}

// mayExchange reports whether a client exchanges tokens: only one that the operator has registered
// for it and looked at, and that nobody else can be.
func mayExchange(c *registry.Client) bool {
	return c.Dialect.Exchanges && !c.Public && !c.Unreviewed && !c.IsUnknown() && c.AllowsGrant(protocol.GrantTokenExchange)
}

// checkExchange refuses a request for anything but an access token in exchange for an access token.
func checkExchange(form url.Values) error {
	for _, parameter := range []string{"subject_token", "subject_token_type"} {
		if !form.Has(parameter) {
			return protocol.Fail(protocol.InvalidRequest, "The parameter "+parameter+" is missing.").
				Because(diagnosis.ParameterMissing, "parameter", parameter)
		}
	}
	for _, parameter := range []string{"subject_token_type", "requested_token_type"} {
		if form.Has(parameter) && form.Get(parameter) != protocol.TypeAccessToken {
			return protocol.Fail(protocol.InvalidRequest, "Only an access token is exchanged, and only for an access token.").
				Because(diagnosis.ParameterUnsupported, "parameter", parameter)
		}
	}
	for _, parameter := range []string{"actor_token", "actor_token_type"} {
		if form.Has(parameter) {
			return protocol.Fail(protocol.InvalidRequest, "Leave out actor_token: the application that asks is the actor.").
				Because(diagnosis.ParameterUnsupported, "parameter", parameter)
		}
	}
	return nil
}

// subject returns what a presented token is good for, if it is a user's and for an API of the
// client.
func (g exchangeGrant) subject(ctx context.Context, presented string, s *exchange) (Access, error) {
	a, err := g.lookUp(ctx, presented)
	switch {
	case err != nil:
		return a, ofSubject(err)
	case len(g.Resources.Introspectable(a.Resources, s.client.ID)) == 0:
		return a, errSubject.Because(diagnosis.SubjectNotForClient)
	case issue.UserOf(a.Grant) == "":
		return a, protocol.Fail(protocol.InvalidRequest, "The subject_token is no user's. Ask for a token of your own with client_credentials.").
			Because(diagnosis.TokenWithoutUser)
	case len(a.Token.Actors) >= maxActors:
		return a, protocol.Fail(protocol.InvalidRequest, "The subject_token has been exchanged twice already.").
			Because(diagnosis.ExchangedTwice)
	case !a.Token.JKT.IsZero() && s.jkt().IsZero():
		return a, protocol.Fail(protocol.InvalidDPoPProof, "The subject_token is bound to a key. Send a DPoP proof of a key of your own.").
			Because(diagnosis.DPoPMissing)
	}
	return a, nil
}

// ofSubject returns the error of a token request for one that is about the subject token.
func ofSubject(err error) error {
	var refused *protocol.Error
	if !errors.As(err, &refused) || !errors.Is(refused, errToken) && !errors.Is(refused, errGrant) {
		return err
	}
	of := *errSubject
	of.Diagnosis, of.Details = refused.Diagnosis, refused.Details
	return &of
}

// target returns the resource that a token is exchanged for: one of the authorization request, so
// that the user was asked about it.
func (g exchangeGrant) target(form url.Values, c *registry.Client, subject Access) (string, error) {
	target, err := g.Resources.Exchange(form, c, g.Resources.Introspectable(subject.Resources, c.ID))
	if err != nil {
		return "", err
	}
	if len(g.Resources.Standing([]string{target}, subject.Client)) == 0 || !slices.Contains(subject.Grant.Resources, target) {
		return "", protocol.Fail(protocol.InvalidTarget, "The user was not asked about this resource.").
			Because(diagnosis.ResourceWider, "resource", diagnosis.Address(target), "allowed", strings.Join(subject.Grant.Resources, " "))
	}
	return target, nil
}

// exchangedScopes returns the scopes of a token in exchange: those asked for, or all that the subject
// token has, the resource understands and the client may ask for. Those of the protocol say
// nothing there: no ID token and no refresh token comes with it.
func (g exchangeGrant) exchangedScopes(asked []string, c *registry.Client, subject Access, target string) ([]string, error) {
	available := slices.DeleteFunc(slices.Clone(g.Resources.Meaningful(subject.Scopes, []string{target})), func(s string) bool {
		return needsUser(s) || !c.AllowsScopes([]string{s})
	})
	if len(asked) == 0 {
		return available, nil
	}
	if slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(available, s) }) {
		return nil, protocol.Fail(protocol.InvalidScope, "Ask for no more scopes than the subject_token has, the resource understands and this application may ask for.").
			Because(diagnosis.ScopeNotExchanged, "scope", strings.Join(asked, " "), "allowed", strings.Join(available, " "))
	}
	return asked, nil
}

func (g exchangeGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s, now := r.GetSession().(*exchange), g.Clock()
	life := min(g.Lifetimes.Access, s.presented.Token.ExpiresAt.Sub(now))
	access, scopes, err := g.maker.AccessToken(&s.Batch, issue.AccessTokenFor{
		Client: s.client, Scopes: r.GetGrantedScopes(), Resources: s.resources, JKT: s.jkt(),
		Actors: append([]string{s.client.ID}, s.presented.Token.Actors...), Now: now, Life: life,
	})
	if err != nil {
		return err
	}
	response.SetAccessToken(access)
	response.SetTokenType(issue.TokenType(s.jkt()))
	response.SetExpiresIn(life)
	response.SetScopes(scopes)
	response.SetExtra(extraIssuedTokenType, protocol.TypeAccessToken)
	issued := s.Issued[0]
	issued.Parent = s.presented.Token.Digest
	err = g.RecordExchange(ctx, s.Grant, s.client.ID, s.resources[0], func(ctx context.Context) error {
		return g.Grants.Derive(ctx, s.presented, issued)
	})
	if errors.Is(err, storage.ErrSpent) || errors.Is(err, storage.ErrEnded) || errors.Is(err, storage.ErrNotFound) {
		return errSubject.Because(diagnosis.TokenRevoked)
	}
	return err
}
