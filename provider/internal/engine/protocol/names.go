package protocol

import (
	"slices"
	"strings"
)

// ResponseMode is how an authorization response reaches the client.
type ResponseMode string

// The response modes (OAuth 2.0 Multiple Response Type Encoding Practices section
// 2.1, OAuth 2.0 Form Post Response Mode).
const (
	ModeQuery    ResponseMode = "query"
	ModeFragment ResponseMode = "fragment"
	ModeFormPost ResponseMode = "form_post"

	// ModeFedCM hands the address of a ModeQuery to the browser that brought the request (Federated
	// Credential Management API). No request can name it.
	ModeFedCM ResponseMode = "fedcm"
)

// ResponseModes are those of plain parameters, SignedModes those of responses that are JWTs
// (JWT Secured Authorization Response Mode, JARM, section 2.3).
var (
	ResponseModes = []ResponseMode{ModeQuery, ModeFragment, ModeFormPost}
	SignedModes   = []ResponseMode{"jwt", "query.jwt", "fragment.jwt", "form_post.jwt"}
)

// Unsigned returns the mode in which a JWT of a signed mode reaches the client: empty for that
// of the response type. An unsigned mode is returned as it is.
func (m ResponseMode) Unsigned() (mode ResponseMode, signed bool) {
	if !slices.Contains(SignedModes, m) {
		return m, false
	}
	return ResponseMode(strings.TrimSuffix(strings.TrimSuffix(string(m), "jwt"), ".")), true
}

// ResponseTypes are all response types that are supported, each in its
// canonical order (OAuth 2.0 Multiple Response Type Encoding Practices).
var ResponseTypes = []string{
	"code", "token", "id_token", "id_token token", "code id_token", "code token", "code id_token token",
}

// GrantTypes are the grants of the token endpoint.
var GrantTypes = []string{GrantAuthorizationCode, GrantRefreshToken, GrantClientCredentials, GrantJWTBearer, GrantDeviceCode, GrantTokenExchange, GrantPreAuthorized}

// RegisteredGrantTypes are those that a registration may name: beside them implicit, which
// RFC 7591 section 2.1 wants with the response types of the front channel, and which these
// say already.
var RegisteredGrantTypes = append(slices.Clone(GrantTypes), "implicit")

// Grants of the token endpoint (RFC 6749 sections 4.1.3, 6 and 4.4.2, RFC 7523 section 2.1, RFC
// 8628 section 3.4, RFC 8693 section 2.1, OpenID for Verifiable Credential Issuance 1.0 section 3.5).
const (
	GrantAuthorizationCode = "authorization_code"
	GrantRefreshToken      = "refresh_token"
	GrantClientCredentials = "client_credentials"
	GrantJWTBearer         = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	GrantDeviceCode        = "urn:ietf:params:oauth:grant-type:device_code"
	GrantTokenExchange     = "urn:ietf:params:oauth:grant-type:token-exchange"
	GrantPreAuthorized     = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
)

// DetailType is the type of authorization_details that ask for a credential, the only one that there
// is (OpenID for Verifiable Credential Issuance 1.0 section 5.1.1).
const DetailType = "openid_credential"

// TypeAccessToken is the only type of token that is exchanged, and issued in exchange (RFC 8693
// section 3).
const TypeAccessToken = "urn:ietf:params:oauth:token-type:access_token"

// Scopes of the protocol: ScopeOpenID makes a request one of OpenID Connect,
// ScopeOfflineAccess is that of its section 11.
const (
	ScopeOpenID        = "openid"
	ScopeOfflineAccess = "offline_access"
)

// DeskScopes are those of the Admin API of package desk, SignalScopes those of the API of Shared
// Signals. They are no part of a catalogue: no user is asked for them, nobody is offered them, and
// an application has those that its registration names.
var (
	DeskScopes = []string{
		"desk.people.read", "desk.people.act", "desk.applications.read", "desk.applications.act", "desk.events.read", "desk.cases",
	}
	SignalScopes = []string{ScopeSignalsRead, ScopeSignalsManage}
)

// The scopes of Shared Signals, by its interoperability profile.
const (
	ScopeSignalsRead   = "ssf.read"
	ScopeSignalsManage = "ssf.manage"
)

// IsOfPrograms reports whether a scope is one of DeskScopes or SignalScopes.
func IsOfPrograms(scope string) bool {
	return slices.Contains(DeskScopes, scope) || slices.Contains(SignalScopes, scope)
}

// Client authentication methods (OpenID Connect Core section 9).
const (
	AuthBasic      = "client_secret_basic"
	AuthPost       = "client_secret_post"
	AuthPrivateKey = "private_key_jwt"
	AuthNone       = "none"
)

// AuthMethods are all that are accepted.
var AuthMethods = []string{AuthBasic, AuthPost, AuthPrivateKey, AuthNone}
