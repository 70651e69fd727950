package engine

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Access is what an access token in force is good for.
type Access struct {
	*Issued
	Client *registry.Client
	Scopes []string

	// Resources are the APIs that the token is for, Own reports whether it is for the
	// endpoints of the provider.
	Resources []string
	Own       bool
}

var errToken = protocol.Fail(protocol.InvalidToken, "The access token is unknown, expired or revoked.")

// AccessToken returns what the token is good for. An *Error with code invalid_token
// when it is unknown, expired, revoked, or its client disabled; beside it there is what
// was issued when the token is known at all.
func (e *Engine) AccessToken(ctx context.Context, presented string) (Access, error) {
	found, err := e.active(ctx, storage.AccessToken, presented)
	if found.Issued != nil {
		request.InFlow(ctx, found.Grant.Flow)
	}
	return found, err
}

// TokenClient returns the client that an access token was issued to, in force or
// not: the client's script has to learn that its token has expired.
func (e *Engine) TokenClient(ctx context.Context, presented string) (*registry.Client, error) {
	found, err := e.find(ctx, storage.AccessToken, presented)
	if err != nil {
		return nil, err
	}
	return e.Client(ctx, found.Grant.ClientID)
}

// find looks up a token, spent, expired and revoked ones included.
func (e *Engine) find(ctx context.Context, kind storage.TokenKind, presented string) (*Issued, error) {
	digest, ok := e.maker.DigestOf(ctx, kind, presented)
	if !ok {
		return nil, errToken.Because(diagnosis.TokenUnknown)
	}
	found, err := e.Grants.Issued(ctx, kind, digest)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, errToken.Because(diagnosis.TokenUnknown)
	}
	if err != nil {
		return nil, protocol.AsError(err)
	}
	return found, nil
}

// active looks up a token that is in force.
func (e *Engine) active(ctx context.Context, kind storage.TokenKind, presented string) (Access, error) {
	found, err := e.find(ctx, kind, presented)
	if err != nil {
		return Access{}, err
	}
	begin := found.Token.CreatedAt
	if kind == storage.RefreshToken { // it is used once, and may be of before a clock was corrected
		begin = time.Time{}
	}
	known := Access{Issued: found}
	switch {
	case !found.Token.SpentAt.IsZero(), !found.Grant.RevokedAt.IsZero():
		return known, errToken.Because(diagnosis.TokenRevoked)
	case !clock.InForce(e.Clock(), begin, found.Token.ExpiresAt):
		return known, errToken.Because(diagnosis.TokenExpired)
	}
	client, err := e.Client(ctx, found.Grant.ClientID)
	if errors.Is(err, registry.ErrNoClient) {
		return known, errToken.Because(diagnosis.ApplicationDisabled)
	}
	if err != nil {
		return known, protocol.AsError(err)
	}
	scopes := found.Grant.Scopes
	if found.Token.Scopes != nil {
		scopes = found.Token.Scopes
	}
	if !client.AllowsScopes(scopes) {
		return known, errToken.Because(diagnosis.ScopeWithdrawn, "scope", strings.Join(scopes, " "))
	}
	resources, own := e.maker.AudienceOf(found.Grant, found.Token, client)
	if !own && len(resources) == 0 {
		return known, errToken.Because(diagnosis.ResourceWithdrawn, "resource", strings.Join(found.Token.Resources, " "))
	}
	return Access{Issued: found, Client: client, Scopes: scopes, Resources: resources, Own: own}, nil
}

// Introspection is the response of RFC 7662 section 2.2.
type Introspection struct {
	Active    bool           `json:"active"`
	Scope     string         `json:"scope,omitempty"`
	ClientID  string         `json:"client_id,omitempty"`
	Subject   string         `json:"sub,omitempty"`
	Issuer    string         `json:"iss,omitempty"`
	Audience  issue.Audience `json:"aud,omitempty"`
	TokenType string         `json:"token_type,omitempty"`
	ExpiresAt int64          `json:"exp,omitempty"`
	IssuedAt  int64          `json:"iat,omitempty"`

	// UserID is the user that the token is about, or empty.
	UserID string `json:"-"`

	// AskedBy is the client that asks.
	AskedBy string `json:"-"`
}

// Introspect returns the state of an access or refresh token to the confidential client
// that it was issued to, and that of an access token to the introspectors of a resource
// that it is for (RFC 7662). Tokens of others are inactive to it, so that nobody can use
// the endpoint to try out what was found.
func (e *Engine) Introspect(ctx context.Context, r *http.Request) (Introspection, error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return Introspection{}, err
	}
	authenticated, err := e.fosite.AuthenticateClient(ctx, r, form)
	if err != nil {
		return Introspection{}, refusal(err)
	}
	if authenticated.IsPublic() {
		return Introspection{}, clientauth.ErrRefused.Because(diagnosis.IntrospectionPublic)
	}
	if !form.Has("token") {
		return Introspection{}, protocol.Fail(protocol.InvalidRequest, "The parameter token is missing.").Because(diagnosis.ParameterMissing, "parameter", "token")
	}
	for _, kind := range []storage.TokenKind{storage.AccessToken, storage.RefreshToken} {
		a, err := e.active(ctx, kind, form.Get("token"))
		if errors.Is(err, errToken) {
			continue
		}
		if err != nil {
			return Introspection{}, err
		}
		response, ok := e.describe(a, kind, authenticated.GetID())
		if !ok {
			break
		}
		request.InFlow(ctx, a.Grant.Flow)
		response.AskedBy = authenticated.GetID()
		return response, nil
	}
	return Introspection{AskedBy: authenticated.GetID()}, nil
}

// describe returns what a client learns of a token, and false when that is nothing. A
// resource learns of its own part only, and nothing of refresh tokens.
func (e *Engine) describe(a Access, kind storage.TokenKind, asks string) (Introspection, bool) {
	scopes, audience := a.Scopes, a.Resources
	if a.Client.ID != asks {
		audience = e.Resources.Introspectable(audience, asks)
		if kind != storage.AccessToken || len(audience) == 0 {
			return Introspection{}, false
		}
		scopes = e.Resources.Meaningful(scopes, audience)
	} else if a.Own && len(audience) > 0 {
		audience = append(audience, e.Issuer)
	}
	response := Introspection{
		Active: true, Scope: strings.Join(scopes, " "), ClientID: a.Client.ID,
		Subject: issue.SubjectOf(a.Grant), Issuer: e.Issuer, Audience: audience,
		UserID:    issue.UserOf(a.Grant),
		ExpiresAt: a.Token.ExpiresAt.Unix(), IssuedAt: a.Token.CreatedAt.Unix(),
	}
	if kind == storage.AccessToken {
		response.TokenType = issue.TokenType
	}
	return response, true
}

// Revoke ends a token of the client's own (RFC 7009). An access token ends alone, a
// refresh token with its grant and so with every token of it. An unknown token is
// no error; another client's is, and lives on.
func (e *Engine) Revoke(ctx context.Context, r *http.Request) (known bool, err error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return false, err
	}
	if !form.Has("token") {
		return false, protocol.Fail(protocol.InvalidRequest, "The parameter token is missing.").Because(diagnosis.ParameterMissing, "parameter", "token")
	}
	if err := e.fosite.NewRevocationRequest(context.WithValue(ctx, revocationKey{}, &known), r); err != nil {
		return false, refusal(err)
	}
	return known, nil
}

// revocationKey leads to whether the token of a revocation is one.
type revocationKey struct{}

// revocation implements fosite.RevocationHandler. The token itself says what kind
// it is, so the hint is not needed.
type revocation struct{ *Engine }

func (h revocation) RevokeToken(ctx context.Context, presented string, _ fosite.TokenType, c fosite.Client) error {
	for _, kind := range []storage.TokenKind{storage.RefreshToken, storage.AccessToken} {
		digest, ok := h.maker.DigestOf(ctx, kind, presented)
		if !ok {
			continue
		}
		found, err := h.Grants.Issued(ctx, kind, digest)
		if errors.Is(err, storage.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if known, ok := ctx.Value(revocationKey{}).(*bool); ok {
			*known = true
		}
		if found.Grant.ClientID != c.GetID() {
			return protocol.Fail(protocol.UnauthorizedClient, "The token belongs to another application.").Because(diagnosis.TokenOfAnother)
		}
		request.InFlow(ctx, found.Grant.Flow)
		ended, err := h.end(ctx, found)
		if ended {
			h.OnRevoke(ctx, found.Grant, kind)
		}
		return err
	}
	return nil
}

// end ends an access token, or the grant of a refresh token. It reports false when
// that has been done before.
func (h revocation) end(ctx context.Context, found *Issued) (bool, error) {
	if found.Token.Kind == storage.RefreshToken {
		n, err := h.Grants.RevokeGrants(ctx, storage.GrantFilter{ID: found.Grant.ID}, h.Clock())
		return n > 0, err
	}
	err := h.Grants.Exchange(ctx, found, h.Clock())
	if errors.Is(err, storage.ErrSpent) || errors.Is(err, storage.ErrEnded) || errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// LooksStandard reports whether such a request has led to the access token.
func (a Access) LooksStandard() bool {
	return authorization.SeemsStandard(a.Client, a.Scopes, a.Grant.Nonce, a.Grant.Challenge)
}
