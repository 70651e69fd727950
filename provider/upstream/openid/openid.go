// Package openid has the connectors of upstream providers that speak OpenID Connect: [New] for
// any that can be discovered, and [Google], [Microsoft] and [Apple], which differ from it.
//
//	provider.Upstream{ID: "campus", Title: "State University", Connector: openid.New(openid.Options{
//		Issuer: "https://login.uni.example", ClientID: id, Secret: secret,
//	})}
//
// The address BASE/signin/with/ID/callback is registered there as the redirect URI.
//
// That somebody comes back proves nothing. A code is redeemed, with PKCE, for an ID token whose
// signature, issuer, audience, time and nonce are checked (OpenID Connect Core 1.0 section
// 3.1.3.7), and a response that names another issuer is refused before the code is sent to
// anybody (RFC 9207).
package openid

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// maxFinish limits all calls together that a return takes.
const maxFinish = 10 * time.Second

// Options configure a connector. Issuer and ClientID are required.
type Options struct {
	// Issuer is the issuer identifier of the upstream, which its ID tokens have letter by
	// letter. Its configuration is found below it (OpenID Connect Discovery 1.0 section 4),
	// at the first sign-in, and read again once a day, or when an ID token is not signed as it
	// says.
	Issuer string

	// ClientID and Secret are the registration at the upstream. The secret is sent as the
	// upstream's configuration says, in the header if it has the choice; it is empty for a
	// public client.
	ClientID, Secret string

	// Scopes are requested in addition to openid.
	// Defaults to email and profile.
	Scopes []string

	// Parameters are added to the authorization request.
	// Defaults to none.
	Parameters map[string]string

	// UserInfo has the userinfo endpoint asked always, for claims that ID tokens do not have.
	// Defaults to false: it is asked if an address or a name was requested and the ID token
	// has none.
	UserInfo bool
}

// Connector speaks to one upstream provider by OpenID Connect. It implements
// [upstream.Connector].
type Connector struct {
	options Options
	dialect dialect
	found   discovery
}

// New returns the connector of an upstream provider that can be discovered. It calls nobody:
// an upstream that is away keeps no host from starting.
func New(o Options) *Connector {
	return &Connector{options: o}
}

// own are the parameters that Start sets itself.
var own = []string{
	"client_id", "code_challenge", "code_challenge_method", "nonce", "redirect_uri", "request", "request_uri",
	"response_mode", "response_type", "scope", "state",
}

// Check returns what is wrong with the options: a provider.FieldError.
func (c *Connector) Check() error {
	if c.dialect.wrong != nil {
		return c.dialect.wrong
	}
	if err := outbound.ValidateURL(c.options.Issuer, true); err != nil {
		return &field.Error{Field: "Issuer", Err: err}
	}
	if strings.Contains(c.options.Issuer, "?") {
		return field.Errorf("Issuer", "has a query")
	}
	if c.options.ClientID == "" {
		return field.Errorf("ClientID", "is missing")
	}
	for name := range c.options.Parameters {
		if slices.Contains(own, name) {
			return field.Errorf(fmt.Sprintf("Parameters[%q]", name), "is set by the connector")
		}
	}
	return nil
}

// scopes are what is requested.
func (c *Connector) scopes() []string {
	if c.options.Scopes == nil {
		return []string{"openid", "email", "profile"}
	}
	return append([]string{"openid"}, slices.DeleteFunc(slices.Clone(c.options.Scopes), func(s string) bool { return s == "openid" })...)
}

var _ upstream.Connector = (*Connector)(nil)
