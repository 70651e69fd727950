package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/recent"
	"github.com/bonafide-id/bonafide/storage"
)

// Options are what an engine works with. All fields are required.
type Options struct {
	// Issuer is the iss of everything that the engine says (RFC 9207).
	Issuer string

	Clients storage.Clients
	Grants  Grants

	// Tokens makes and recognizes opaque tokens.
	Tokens Tokens

	// Sign returns claims as a JWT signed with RS256.
	Sign func(claims []byte) (string, error)

	// OpenSecret unseals a client secret.
	OpenSecret func(sealed []byte) ([]byte, error)

	// ScopeKnown reports whether a scope value is in the catalogue.
	ScopeKnown func(scope string) bool

	// Claims returns what the grant's scopes release about its subject, read
	// now. ErrNoUser when the subject is gone.
	Claims func(ctx context.Context, g storage.Grant, c *Client) ([]Claim, error)

	// Reused is told of a code or refresh token that came a second time; its
	// grant has been ended.
	Reused func(ctx context.Context, g storage.Grant, kind storage.TokenKind)

	// Revoked is told of a token that its application has ended; the grant of a
	// refresh token has ended with it.
	Revoked func(ctx context.Context, g storage.Grant, kind storage.TokenKind)

	Lifetimes Lifetimes
	Clock     func() time.Time
}

// Tokens makes and recognizes opaque tokens.
type Tokens interface {
	New(kind storage.TokenKind) (token string, digest storage.Digest)
	Parse(kind storage.TokenKind, token string) (storage.Digest, bool)
}

// Claim is one member of an ID token beside those of the protocol.
type Claim struct {
	Name  string
	Value json.RawMessage
}

// Lifetimes bound what is issued.
type Lifetimes struct {
	Code    time.Duration
	Access  time.Duration
	ID      time.Duration
	Refresh time.Duration

	// Grant bounds how long refreshing can go on.
	Grant time.Duration

	// RefreshGrace is how long a refresh token that was used may be used again;
	// zero for not at all.
	RefreshGrace time.Duration
}

// Engine answers requests of the protocol. Make one with New; it may be used by
// any number of goroutines.
type Engine struct {
	Options
	fosite  *fosite.Fosite
	clients *recent.Cache[string, *Client]
}

// New returns an engine. The two lists are all that it can do; discovery and
// registration offer the same.
func New(o Options) *Engine {
	e := &Engine{Options: o, clients: recent.New[string, *Client](clientAge, maxCachedClients, o.Clock)}
	e.fosite = &fosite.Fosite{
		Store: contextClients{},
		Config: &fosite.Config{
			ScopeStrategy:                e.scopeAllowed,
			MinParameterEntropy:          1,
			ClientAuthenticationStrategy: e.authenticate,
			AuthorizeEndpointHandlers: fosite.AuthorizeEndpointHandlers{
				pkceChallenge{},
				issuer{e},
			},
			TokenEndpointHandlers: fosite.TokenEndpointHandlers{
				codeGrant{e},
				pkceVerifier{},
				refreshGrant{e},
			},
			RevocationHandlers: fosite.RevocationHandlers{revocation{e}},
		},
	}
	return e
}

// scopeAllowed implements fosite.ScopeStrategy by exact match: wildcards and
// hierarchies would let an application ask for what its owner never saw.
func (e *Engine) scopeAllowed(registered []string, scope string) bool {
	return allows(registered, scope) && (scope == ScopeOpenID || e.ScopeKnown(scope))
}
