package registry

import (
	"slices"
	"strconv"

	"github.com/bonafide-id/bonafide/storage"
)

// Dialect is the wire form that an application was registered for. This table is
// the only place that knows the difference; all other code asks for the field.
type Dialect struct {
	Name string

	// LifetimesAsStrings writes expires_in and refresh_expires_in as strings of
	// digits.
	LifetimesAsStrings bool

	// SingleScope grants exactly one scope value beside openid: of several that a request
	// names, or of those that are registered when it names none, the user picks one.
	SingleScope bool

	// V3Attributes adds those of its scopes to what they release.
	V3Attributes bool

	// ResponseTypes are those that a client has when its registration names
	// none.
	ResponseTypes []string

	// NonceRequired demands a nonce when the authorization endpoint issues an ID
	// token (OpenID Connect Core section 3.2.2.1).
	NonceRequired bool

	// UserinfoAsString serves userinfo as the signed JWT in a JSON string.
	UserinfoAsString bool

	// UserinfoWithoutOpenID serves userinfo to tokens without the scope openid.
	UserinfoWithoutOpenID bool

	// JSONP allows the callback parameter at the data endpoints.
	JSONP bool

	// TokenInQuery allows the access token in the query of the data endpoints.
	TokenInQuery bool

	// AlwaysRefreshToken issues a refresh token with every code exchange, even
	// to clients that may not use it.
	AlwaysRefreshToken bool

	// GrantsUnknown fails with unsupported_grant_type instead of
	// unauthorized_client when the client has not registered refresh_token or
	// client_credentials.
	GrantsUnknown bool

	// RedirectURIRequired demands redirect_uri at the authorization endpoint
	// and again at the token endpoint, even where RFC 6749 lets it be omitted.
	RedirectURIRequired bool

	// StateInRedirectURI lets the query of a registered redirect URI have a state, whose value
	// is not compared, and the redirect_uri of a token request the parameters of the response:
	// libraries of 2014 to 2020 send the address that they were called at.
	StateInRedirectURI bool

	// JSONRequests allows the parameters of a token request as a JSON object.
	JSONRequests bool

	// ClaimsParameter reads the parameter claims (OpenID Connect Core section 5.5);
	// without it the parameter is ignored, as others that the contract does not have.
	ClaimsParameter bool

	// OptionalScopes lets users leave out scopes that the registration says they may.
	OptionalScopes bool

	// JWTAccessTokens allows access tokens that are JWTs (RFC 9068), which are not of word
	// characters only.
	JWTAccessTokens bool

	// IgnoresScopes ignores scope values that mean nothing, instead of refusing the
	// request, while others are left (OpenID Connect Core section 3.1.2.1).
	IgnoresScopes bool

	// DPoP binds tokens and codes to a key of which the client sends proofs (RFC 9449).
	DPoP bool

	// SignedResponses allows the response modes of JARM.
	SignedResponses bool

	// Devices allows the grant of devices (RFC 8628).
	Devices bool

	// Exchanges allows the grant of token exchange (RFC 8693).
	Exchanges bool

	// Credentials has the scopes and the authorization_details of wallets (OpenID for Verifiable
	// Credential Issuance 1.0).
	Credentials bool

	// EmailVerified adds the claim email_verified beside email.
	EmailVerified bool
}

// Names of the dialects.
const (
	DialectV3       = "v3"
	DialectStandard = "standard"
)

var dialects = []Dialect{
	{
		Name:                  DialectV3,
		LifetimesAsStrings:    true,
		SingleScope:           true,
		V3Attributes:          true,
		ResponseTypes:         []string{"code", "token", "id_token", "code id_token", "code token", "code id_token token"},
		UserinfoAsString:      true,
		UserinfoWithoutOpenID: true,
		JSONP:                 true,
		TokenInQuery:          true,
		AlwaysRefreshToken:    true,
		GrantsUnknown:         true,
		RedirectURIRequired:   true,
		StateInRedirectURI:    true,
		JSONRequests:          true,
	},
	{
		Name:            DialectStandard,
		ResponseTypes:   []string{"code"},
		NonceRequired:   true,
		ClaimsParameter: true,
		IgnoresScopes:   true,
		EmailVerified:   true,
		JWTAccessTokens: true,
		OptionalScopes:  true,
		DPoP:            true,
		SignedResponses: true,
		Devices:         true,
		Exchanges:       true,
		Credentials:     true,
	},
}

// within returns the dialect without what a registration has switched off.
func (d Dialect) within(c storage.Client) Dialect {
	d.TokenInQuery = d.TokenInQuery && !c.NoQueryToken
	d.JSONP = d.JSONP && !c.NoJSONP
	return d
}

// Lifetime returns expires_in or refresh_expires_in as it is written, given an int64 of
// seconds, or nil for none.
func (d Dialect) Lifetime(seconds any) any {
	if n, ok := seconds.(int64); ok && d.LifetimesAsStrings {
		return strconv.FormatInt(n, 10)
	}
	return seconds
}

// DialectNamed returns the dialect with this name.
func DialectNamed(name string) (Dialect, bool) {
	i := slices.IndexFunc(dialects, func(d Dialect) bool { return d.Name == name })
	if i < 0 {
		return Dialect{}, false
	}
	return dialects[i], true
}
