package sandbox

// Fault is a failure that an application asks for, to see whether it notices.
type Fault string

// The faults. A correct client notices each of them by itself, and tells its user so
// without signing anybody in.
const (
	// NoFault is that all is well.
	NoFault Fault = ""

	// AuthorizeDenied answers authorization requests with access_denied, as if the user
	// had not allowed it. The client says so, and asks again only when the user does.
	AuthorizeDenied Fault = "authorize_access_denied"

	// AuthorizeUnavailable answers them with temporarily_unavailable. The client offers
	// to try again later.
	AuthorizeUnavailable Fault = "authorize_temporarily_unavailable"

	// AuthorizeError answers them with server_error. The client says that signing in has
	// failed, and logs it.
	AuthorizeError Fault = "authorize_server_error"

	// TokenSlow has the token endpoint wait for some seconds before it does anything. The
	// client has a time limit of its own, and may try again with the same code.
	TokenSlow Fault = "token_slow"

	// TokenUnavailable answers requests to the token endpoint with 503; code and refresh
	// token stay unspent. The client tries again after Retry-After, and keeps its
	// refresh token.
	TokenUnavailable Fault = "token_unavailable"

	// RefreshRevoked ends the grant when it is to be refreshed, which is answered with
	// invalid_grant. The client forgets its tokens, and has the user sign in again.
	RefreshRevoked Fault = "refresh_revoked"

	// IDTokenSignature spoils the signature of ID tokens. The client verifies it with the
	// key set (OpenID Connect Core section 3.1.3.7).
	IDTokenSignature Fault = "id_token_signature"

	// IDTokenIssuer has ID tokens of another issuer. The client compares iss with the
	// issuer that it has discovered.
	IDTokenIssuer Fault = "id_token_issuer"

	// IDTokenAudience has ID tokens for another client. The client compares aud with its
	// client ID.
	IDTokenAudience Fault = "id_token_audience"

	// IDTokenNonce has ID tokens with another nonce. The client compares it with the one
	// that it has sent, which it keeps with the browser's session.
	IDTokenNonce Fault = "id_token_nonce"

	// IDTokenExpired has ID tokens that have expired an hour ago. The client looks at exp.
	IDTokenExpired Fault = "id_token_expired"

	// IDTokenNotYetValid has ID tokens that begin to be valid in an hour, by nbf and iat.
	// The client refuses them (RFC 7519 section 4.1.5).
	IDTokenNotYetValid Fault = "id_token_not_yet_valid"

	// KeyRotated has ID tokens of a key that has come into the key set only now. The
	// client that has kept the key set fetches it anew when it meets a kid that is not
	// in it, and then accepts the token. It works where one process serves the sandbox.
	KeyRotated Fault = "key_rotated"
)

// Faults returns all faults, in the order in which a sign-in meets them.
func Faults() []Fault {
	return []Fault{
		AuthorizeDenied, AuthorizeUnavailable, AuthorizeError, TokenSlow, TokenUnavailable,
		IDTokenSignature, IDTokenIssuer, IDTokenAudience, IDTokenNonce, IDTokenExpired, IDTokenNotYetValid, KeyRotated,
		RefreshRevoked,
	}
}
