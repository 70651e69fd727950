// Package upstream is how people sign in with an account that they have elsewhere. A
// [Connector] speaks to one upstream provider: package openid has those of OpenID Connect,
// package github that of GitHub. A host may bring its own, for example for SAML by a bridge.
// What an upstream says is believed as far as the host's provider.Upstream says, and no
// further: the connector tells who somebody is there, the provider who that is here.
package upstream

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Connector speaks to one upstream provider. It is safe for concurrent use. If it has a
// method Check() error, that is called once before the first use, and its error says what of
// its options is wrong.
type Connector interface {
	// Start returns the address at which the upstream provider authenticates somebody, and
	// what Finish needs of this attempt, such as a nonce and a PKCE verifier. It travels
	// sealed in the browser. An error means that the provider cannot be reached.
	Start(ctx context.Context, r Request) (address string, keep []byte, err error)

	// Finish returns who has authenticated. Errors are ErrDenied, if the person or the
	// upstream has refused; ErrUnavailable, if the upstream did not answer; and any other if
	// what it says cannot be believed. None of them contains a code, a token or a secret.
	Finish(ctx context.Context, c Callback) (Identity, error)
}

// Request is what is asked of an upstream provider.
type Request struct {
	// State must return unchanged in the parameter state of the callback.
	State string

	// Callback is the redirect URI, fixed for each upstream.
	Callback string

	// LoginHint is the address that the person has typed, DomainHint its domain or that of
	// the application's request; empty for none.
	LoginHint, DomainHint string

	// Languages are the person's, the preferred one first (BCP 47).
	Languages []string

	// Afresh asks for an authentication now, even if the upstream has a session. Whether it
	// was is in Identity.AuthTime, which Google, Apple and GitHub never say.
	Afresh bool

	// SelectAccount asks that the person choose an account, even if the upstream has a session
	// of one. Apple has no such choice.
	SelectAccount bool

	// ACRValues are the classes of authentication that would do, the best first (OpenID
	// Connect Core section 3.1.2.1); empty for any.
	ACRValues []string

	// HTTP is the client for every call: with limits of time, size and address.
	HTTP *http.Client

	// Now is the time by which what is known of the upstream is too old.
	Now time.Time
}

// Callback is the return of a person from an upstream provider.
type Callback struct {
	// Values are the parameters of the response, of a query or a form. The state was
	// compared already.
	Values url.Values

	// Keep is what Start returned, Address the redirect URI.
	Keep    []byte
	Address string

	HTTP *http.Client

	// Now is the time by which what the upstream says is judged.
	Now time.Time
}

// Identity is who has authenticated at an upstream provider.
type Identity struct {
	// Issuer and Subject identify the person, and nothing else does. Both are what the
	// upstream has signed, or said over TLS.
	Issuer, Subject string

	// Email is the person's address there, EmailVerified what the upstream says of that very
	// address.
	Email         string
	EmailVerified bool

	// Authoritative is set if the upstream looks after the mailboxes of that address's domain
	// itself, so that nobody else can have the address. The host may say so of more domains
	// in provider.Upstream.
	Authoritative bool

	// Name is the person's name there, to be shown.
	Name string

	// AuthTime is when the person has authenticated there; zero if it is not said. ACR and
	// AMR are how (OpenID Connect Core section 2).
	AuthTime time.Time
	ACR      string
	AMR      []string

	// Claims are all claims of the upstream about the person, for provider.Upstream.Groups.
	Claims map[string]any
}

// Errors of connectors.
var (
	// ErrDenied means that the person, or the upstream, has refused.
	ErrDenied = errors.New("upstream: refused")

	// ErrUnavailable means that the upstream did not answer as a provider does. A later
	// attempt may succeed.
	ErrUnavailable = errors.New("upstream: unavailable")
)
