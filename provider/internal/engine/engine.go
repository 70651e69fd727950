package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/engine/signed"
	"github.com/bonafide-id/bonafide/storage"
)

// Options are what an engine works with. All fields but Unknown, UnknownKeys, Verified and Details are
// required.
type Options struct {
	// Issuer is the iss of ID tokens and authorization responses (RFC 9207).
	Issuer string

	Clients registry.Source
	Grants  Grants

	// Unknown are the clients that nobody has registered, which authorization requests may
	// name; everywhere else Clients are all. Nil has none.
	Unknown Unknown

	// Addresses decides which redirect URIs are accepted.
	Addresses registry.Addresses

	// Tokens makes and recognizes opaque tokens.
	Tokens issue.Tokens

	// Sign returns claims as a JWT signed with an algorithm.
	Sign func(ctx context.Context, alg string, claims []byte) (string, error)

	// SignAccessToken and VerifyAccessToken write and read access tokens that are JWTs (RFC
	// 9068); no other JWT passes for one.
	SignAccessToken   func(alg string, claims []byte) (string, error)
	VerifyAccessToken func(ctx context.Context, token string) (claims []byte, err error)

	// SignResponse returns claims as an authorization response that is a JWT (JARM); it passes
	// for no other JWT.
	SignResponse func(alg string, claims []byte) (string, error)

	// Signs reports whether anything is signed with an algorithm.
	Signs func(alg string) bool

	// Resources are the APIs that access tokens can be for, beside the provider's own
	// endpoints.
	Resources registry.Resources

	// OpenSecret unseals a client secret.
	OpenSecret func(sealed []byte) ([]byte, error)

	// ClientKeys verify what applications sign, and UsedIDs keep what of that they may
	// present once.
	ClientKeys *clientkeys.Source
	UsedIDs    storage.UsedIDs

	// FetchObject reads the address of a request object, unless it must not be called; its error says why, for the
	// developers of the application. Nil where no request is by an address.
	FetchObject func(ctx context.Context, address string) ([]byte, error)

	// UnknownKeys verify what applications sign that nobody has registered; nil has
	// ClientKeys do so.
	UnknownKeys *clientkeys.Source

	// Proofs are how proofs of possession are read.
	Proofs Proofs

	// Audiences are the names by which an assertion may address the provider: its issuer
	// and the addresses of its endpoints.
	Audiences []string

	// PushedRequests keep authorization requests that were sent ahead, sealed for their
	// client.
	PushedRequests storage.PushedRequests
	SealPushed     func(clientID string, request []byte) []byte
	OpenPushed     func(clientID string, sealed []byte) ([]byte, error)

	// Devices is how devices get tokens that a user allows in a browser.
	Devices Devices

	// Allowed returns what of the scopes asked for, or of all when none is, a user has
	// allowed a client before. ErrNoUser when there is no such user, ErrNotAllowed when
	// it is nothing.
	Allowed func(ctx context.Context, subject string, c *registry.Client, asked []string) (Allowed, error)

	// Classes are the classes of authentication.
	Classes authorization.Classes

	// Requires returns what is required now of the authentication behind a grant, for tokens
	// with these scopes and for data that is read with them.
	Requires func(g storage.Grant, c *registry.Client, scopes []string) assurance.Requirement

	// Scopes are the values of the catalogue, in its order. ScopeKnown reports whether one
	// is among them.
	Scopes     []string
	ScopeKnown func(scope string) bool

	// Verified reads requests for verified_claims; nil ignores them.
	Verified authorization.VerifiedReader

	// Details reads authorization_details; nil ignores them.
	Details authorization.DetailReader

	// Claims returns what a grant releases about its subject in a place, read now.
	// ErrNoUser when the subject is gone.
	Claims func(ctx context.Context, g storage.Grant, c *registry.Client, in authorization.Place) (issue.Claims, error)

	// Admits is asked before a code or a token of this client is exchanged for tokens with these
	// scopes. ErrNoUser when it must not be, ErrNotAllowed when the user is no longer as the
	// client requires; the grant stays.
	Admits func(ctx context.Context, presented *Issued, c *registry.Client, scopes []string) error

	// RecordReuse makes the write that revokes a grant of which a code or refresh token was presented
	// a second time, and records that in its step.
	RecordReuse func(ctx context.Context, g storage.Grant, kind storage.TokenKind, revoke func(context.Context) error) error

	// RecordRevocation makes the write by which an application revokes a token, or with a refresh token
	// its grant, and records that in its step; nothing of one that has changed nothing.
	RecordRevocation func(ctx context.Context, g storage.Grant, kind storage.TokenKind, end func(context.Context) (bool, error)) error

	// RecordExchange makes the write by which a client exchanges a token of a grant for one for a
	// resource, and records that in its step.
	RecordExchange func(ctx context.Context, g storage.Grant, clientID, resource string, write func(context.Context) error) error

	// OnSecretUse is called after a client has authenticated with the secret that was
	// made at created. It holds up the answer.
	OnSecretUse func(clientID string, created time.Time)

	Lifetimes Lifetimes
	Clock     func() time.Time
}

// Unknown are the clients that nobody has registered.
type Unknown interface {
	// Resolve returns the enabled client that an authorization request names, registered or
	// not. registry.ErrNoClient if there is none.
	Resolve(ctx context.Context, id string) (*registry.Client, error)

	// Keep makes a client a row of the database, because a user decides about it or it has
	// proved to have its key. It does nothing for one that is. registry.ErrNoClient if it may
	// not be one any longer.
	Keep(ctx context.Context, c *registry.Client) error

	// Use records that a client is in use.
	Use(ctx context.Context, c *registry.Client) error
}

// Lifetimes bound what is issued.
type Lifetimes struct {
	Code    time.Duration
	Access  time.Duration
	ID      time.Duration
	Refresh time.Duration

	// Grant bounds how long a grant can be refreshed.
	Grant time.Duration

	// RefreshGrace is how long a refresh token that was used may be used again;
	// zero for not at all.
	RefreshGrace time.Duration
}

// Engine handles requests of the protocol. Make one with New; it may be used by
// any number of goroutines.
type Engine struct {
	Options
	fosite     *fosite.Fosite
	auth       *clientauth.Authenticator
	signatures *signed.Verifier
	maker      *issue.Maker
	requests   authorization.Reader
	polls      polls
	anyWallet  atomic.Pointer[anyWallet]
	*tokens
	*prover
}

// New returns an engine.
func New(o Options) *Engine {
	if o.Unknown == nil {
		o.Unknown = registered{o.Clients}
	}
	if o.UnknownKeys == nil {
		o.UnknownKeys = o.ClientKeys
	}
	e := &Engine{Options: o}
	e.requests = authorization.Reader{Addresses: o.Addresses, Resources: o.Resources, Scopes: o.Scopes, ScopeKnown: o.ScopeKnown, Verified: o.Verified, Details: o.Details}
	e.signatures = &signed.Verifier{Issuer: o.Issuer, Audiences: o.Audiences, Keys: o.ClientKeys, UnknownKeys: o.UnknownKeys, UsedIDs: o.UsedIDs, Clock: o.Clock}
	e.auth = &clientauth.Authenticator{
		Clients: requested{o.Clients}, Signatures: e.signatures, OpenSecret: o.OpenSecret, OnSecretUse: o.OnSecretUse, Clock: o.Clock,
	}
	e.maker = &issue.Maker{
		Issuer: o.Issuer, Tokens: o.Tokens, Sign: o.Sign, SignAccessToken: o.SignAccessToken, VerifyAccessToken: o.VerifyAccessToken,
		SignResponse: o.SignResponse, Clock: o.Clock,
		Resources: o.Resources, Claims: o.Claims, Classes: o.Classes, IDLife: o.Lifetimes.ID,
	}
	e.tokens = &tokens{maker: e.maker, clients: o.Clients, grants: o.Grants, resources: o.Resources, clock: o.Clock}
	e.prover = &prover{proofs: o.Proofs, usedIDs: o.UsedIDs, clients: o.Clients, clock: o.Clock}
	e.fosite = newFosite(e)
	return e
}

// Client returns an enabled client. registry.ErrNoClient if there is none.
func (e *Engine) Client(ctx context.Context, id string) (*registry.Client, error) {
	return e.Clients.Client(ctx, id)
}

// Resource returns the resource with this URI, or nil.
func (e *Engine) Resource(uri string) *registry.Resource { return e.Resources.Find(uri) }

// UserinfoJWT returns the payload of a userinfo response that is a JWT.
func (e *Engine) UserinfoJWT(g storage.Grant, d registry.Dialect, released issue.Claims, now time.Time) ([]byte, error) {
	return e.maker.UserinfoJWT(g, d, released, now)
}
