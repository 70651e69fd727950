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

	// DPoPNonce is for the next proof of the client, or empty; proof is that of the request,
	// or nil.
	DPoPNonce string
	proof     *dpop.Proof
}

var errToken = protocol.Fail(protocol.InvalidToken, "The access token is unknown, expired or revoked.")

// tokens are the access tokens that are presented, and the refresh tokens that are asked about.
type tokens struct {
	maker   *issue.Maker
	clients registry.Source
	grants  Grants
	clock   func() time.Time

	resources registry.Resources
}

// AccessToken returns what the token of a bearer is good for. An *Error with code invalid_token
// when it is unknown, expired, revoked, bound to a key, or its client disabled; beside it
// there is what was issued when the token is known at all.
func (t *tokens) AccessToken(ctx context.Context, presented string) (Access, error) {
	found, err := t.lookUp(ctx, presented)
	if err == nil && !found.Token.JKT.IsZero() {
		err = errTokenBound
	}
	return found, err
}

// lookUp returns what an access token is good for, whoever presents it.
func (t *tokens) lookUp(ctx context.Context, presented string) (Access, error) {
	found, err := t.active(ctx, storage.AccessToken, presented)
	if found.Issued != nil {
		request.InFlow(ctx, found.Grant.Flow)
	}
	return found, err
}

// TokenClient returns the client that an access token was issued to, in force or
// not: the client's script has to learn that its token has expired.
func (t *tokens) TokenClient(ctx context.Context, presented string) (*registry.Client, error) {
	found, err := t.find(ctx, storage.AccessToken, presented)
	if err != nil {
		return nil, err
	}
	return t.clients.Client(ctx, found.Grant.ClientID)
}

// find looks up a token, spent, expired and revoked ones included.
func (t *tokens) find(ctx context.Context, kind storage.TokenKind, presented string) (*Issued, error) {
	digest, ok := t.maker.DigestOf(ctx, kind, presented)
	if !ok {
		return nil, errToken.Because(diagnosis.TokenUnknown)
	}
	found, err := t.grants.Issued(ctx, kind, digest)
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
func (t *tokens) recent(kind storage.TokenKind, presented string, now time.Time) *Issued {
	if kind != storage.AccessToken {
		return nil
	}
	digest, ok := t.maker.Tokens.DigestOf(kind, presented)
	if !ok {
		return nil
	}
	return t.grants.Recent(digest, now)
}

// active looks up a token that is in force.
func (t *tokens) active(ctx context.Context, kind storage.TokenKind, presented string) (Access, error) {
	now := t.clock()
	found := t.recent(kind, presented, now)
	if found == nil {
		var err error
		if found, err = t.find(ctx, kind, presented); err != nil {
			return Access{}, err
		}
		now = t.clock()
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
	client := t.clients.Recent(found.Grant.ClientID, now)
	if client == nil {
		var err error
		client, err = t.clients.Client(ctx, found.Grant.ClientID)
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
	resources, own := t.maker.AudienceOf(found.Grant, found.Token, client)
	if !own && len(resources) == 0 {
		return known, errToken.Because(diagnosis.ResourceWithdrawn, "resource", strings.Join(found.Token.Resources, " "))
	}
	if err := t.unbroken(ctx, found); err != nil {
		return known, err
	}
	return Access{Issued: found, Client: client, Scopes: scopes, Resources: resources, Own: own}, nil
}

// LooksStandard reports whether such a request has led to the access token.
func (a Access) LooksStandard() bool {
	return authorization.SeemsStandard(a.Client, a.Scopes, a.Grant.Nonce, a.Grant.Challenge)
}

// unbroken refuses a token whose chain is broken: one that it was exchanged for was revoked, or a
// client that has exchanged one may not any more. It was issued to the clients of the chain as
// much as to that of its grant.
func (t *tokens) unbroken(ctx context.Context, found *Issued) error {
	for i, id := range found.Token.Actors {
		actor, err := t.clients.Client(ctx, id)
		switch {
		case errors.Is(err, registry.ErrNoClient):
			return errToken.Because(diagnosis.ApplicationDisabled)
		case err != nil:
			return protocol.AsError(err)
		case !mayExchange(actor), found.Token.CreatedAt.Before(actor.GrantsSince):
			return errToken.Because(diagnosis.TokenRevoked)
		case i == 0 && len(t.resources.Standing(found.Token.Resources, actor)) == 0:
			return errToken.Because(diagnosis.ResourceWithdrawn, "resource", strings.Join(found.Token.Resources, " "))
		}
	}
	for of := found; len(of.Token.Actors) > 0; {
		parent, err := t.grants.Issued(ctx, storage.AccessToken, of.Token.Parent)
		switch {
		case errors.Is(err, storage.ErrNotFound), err == nil && !parent.Token.SpentAt.IsZero():
			return errToken.Because(diagnosis.TokenRevoked)
		case err != nil:
			return protocol.AsError(err)
		}
		of = parent
	}
	return nil
}
