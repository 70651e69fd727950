package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
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

	// DPoPNonce is for the next proof of the client, or empty; proof is that of the request,
	// or nil.
	DPoPNonce string
	proof     *dpop.Proof
}

var errToken = protocol.Fail(protocol.InvalidToken, "The access token is unknown, expired or revoked.")

// AccessToken returns what the token of a bearer is good for. An *Error with code invalid_token
// when it is unknown, expired, revoked, bound to a key, or its client disabled; beside it
// there is what was issued when the token is known at all.
func (e *Engine) AccessToken(ctx context.Context, presented string) (Access, error) {
	found, err := e.lookUp(ctx, presented)
	if err == nil && !found.Token.JKT.IsZero() {
		err = errTokenBound
	}
	return found, err
}

// lookUp returns what an access token is good for, whoever presents it.
func (e *Engine) lookUp(ctx context.Context, presented string) (Access, error) {
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

// recent returns an access token that is in memory, spent and revoked ones included; nil if
// there is none. Its authentication code has been verified, or made, when it came there: it
// guards the database, which is not asked here.
func (e *Engine) recent(kind storage.TokenKind, presented string, now time.Time) *Issued {
	if kind != storage.AccessToken {
		return nil
	}
	digest, ok := e.maker.Tokens.DigestOf(kind, presented)
	if !ok {
		return nil
	}
	return e.Grants.Recent(digest, now)
}

// active looks up a token that is in force.
func (e *Engine) active(ctx context.Context, kind storage.TokenKind, presented string) (Access, error) {
	now := e.Clock()
	found := e.recent(kind, presented, now)
	if found == nil {
		var err error
		if found, err = e.find(ctx, kind, presented); err != nil {
			return Access{}, err
		}
		now = e.Clock()
	}
	begin := found.Token.CreatedAt
	if kind == storage.RefreshToken { // it is used once, and may be of before a clock was corrected
		begin = time.Time{}
	}
	known := Access{Issued: found}
	switch {
	case !found.Token.SpentAt.IsZero(), !found.Grant.RevokedAt.IsZero():
		return known, errToken.Because(diagnosis.TokenRevoked)
	case !clock.InForce(now, begin, found.Token.ExpiresAt):
		return known, errToken.Because(diagnosis.TokenExpired)
	}
	client := e.Clients.Recent(found.Grant.ClientID, now)
	if client == nil {
		var err error
		client, err = e.Client(ctx, found.Grant.ClientID)
		if errors.Is(err, registry.ErrNoClient) {
			return known, errToken.Because(diagnosis.ApplicationDisabled)
		}
		if err != nil {
			return known, protocol.AsError(err)
		}
	}
	if found.Grant.CreatedAt.Before(client.GrantsSince) {
		return known, errToken.Because(diagnosis.TokenRevoked)
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
	if err := e.unbroken(ctx, found); err != nil {
		return known, err
	}
	return Access{Issued: found, Client: client, Scopes: scopes, Resources: resources, Own: own}, nil
}

// LooksStandard reports whether such a request has led to the access token.
func (a Access) LooksStandard() bool {
	return authorization.SeemsStandard(a.Client, a.Scopes, a.Grant.Nonce, a.Grant.Challenge)
}
