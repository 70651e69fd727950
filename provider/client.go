package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// The dialects: the wire format of an application.
const (
	// V3 is the older interface of identity verification services: lifetimes as strings of
	// digits, a single granted scope value, userinfo as a JWT in a JSON string, tokens in
	// the query and JSONP at the data endpoints.
	V3 = registry.DialectV3
	// Standard is RFC 6749 and OpenID Connect Core to the letter.
	Standard = registry.DialectStandard
)

// The profiles: what FAPI 2.0 demands of an application.
const (
	// ProfileFAPI2 is the FAPI 2.0 Security Profile.
	ProfileFAPI2 = registry.ProfileFAPI2
	// ProfileFAPI2Signing is FAPI 2.0 Message Signing, which includes ProfileFAPI2: signed
	// requests and signed authorization responses.
	ProfileFAPI2Signing = registry.ProfileFAPI2Signing
)

// Client is the registration of an application. Its JSON form uses the members of RFC 7591
// section 2 and OpenID Connect Registration where they exist.
type Client struct {
	// ID is the client_id: 1 to 64 letters, digits, hyphens, underscores and full stops.
	ID string `json:"client_id"`

	// Secret is the client_secret, 32 to 255 random bytes: failed guesses never lock a client
	// out. Clients.Save encrypts it, and only Clients.Secret returns it.
	// Defaults to the registered secret, or a random one for a new client.
	Secret string `json:"client_secret,omitempty"`

	// Name is shown to users: at most 120 bytes, none that change the direction of text.
	// Defaults to the ID.
	Name string `json:"name,omitempty"`

	// Dialect is V3 or Standard, and must be said.
	Dialect string `json:"dialect"`

	// Profile is ProfileFAPI2 or ProfileFAPI2Signing for an application that follows FAPI 2.0.
	// It sets the fields that the profile demands, and a field that says otherwise is refused:
	// pushed requests with PKCE, response type code, private_key_jwt, tokens bound to a key
	// (DPoPBoundAccessTokens), and PS256, ES256 or EdDSA in all signatures, of which
	// Signing.Algorithms must have one. Access tokens are opaque, a code lives for at most
	// 60 seconds, and a refresh token stays the same when it is used.
	// ProfileFAPI2Signing demands signed request objects and responses that are JWTs (JARM) as
	// well. Standard dialect only.
	// Defaults to none.
	Profile string `json:"profile,omitempty"`

	// Public marks an application that cannot keep a secret, such as a page or a phone app: it
	// must use PKCE.
	// Defaults to false.
	Public bool `json:"public,omitempty"`

	// TokenEndpointAuthMethod is the only accepted client authentication method:
	// client_secret_basic, client_secret_post, or private_key_jwt, with a key for a secret.
	// Defaults to either of the first two.
	TokenEndpointAuthMethod string `json:"token_endpoint_auth_method,omitempty"`

	// TokenEndpointAuthSigningAlg is the only accepted algorithm of private_key_jwt.
	// Defaults to any of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 and EdDSA,
	// also called Ed25519 (RFC 9864).
	TokenEndpointAuthSigningAlg string `json:"token_endpoint_auth_signing_alg,omitempty"`

	// JWKS are the application's public keys (RFC 7517 section 5) for private_key_jwt, signed
	// requests and JWT bearer grants. There are 1 to 10 keys in at most 16 KiB of JSON: RSA of
	// at least 2048 bits, EC on P-256, P-384 or P-521, or Ed25519. A set with a private
	// member is refused. Members that are not needed, such as certificates, are dropped.
	// Defaults to none.
	JWKS json.RawMessage `json:"jwks,omitempty"`

	// JWKSURI is the address of such a set, instead of JWKS: https, and not on a private
	// network unless Config.AllowPrivateNetworks is set. The provider fetches it on use,
	// every 10 minutes, or once a minute for an unknown key. If fetching fails, the last
	// set is used for an hour. Keys of unsupported types are ignored.
	// Defaults to none.
	JWKSURI string `json:"jwks_uri,omitempty"`

	// RequirePushedAuthorizationRequests refuses authorization requests that were not
	// pushed (RFC 9126 section 6).
	// Defaults to false.
	RequirePushedAuthorizationRequests bool `json:"require_pushed_authorization_requests,omitempty"`

	// RequirePKCE refuses authorization requests for a code without a code_challenge (RFC
	// 7636). Public applications and RequirePushedAuthorizationRequests require one anyway.
	// Defaults to false.
	RequirePKCE bool `json:"require_pkce,omitempty"`

	// RequireSignedRequestObject refuses authorization requests without a signed request
	// object (RFC 9101 section 10.5).
	// Defaults to false.
	RequireSignedRequestObject bool `json:"require_signed_request_object,omitempty"`

	// RequestURIs are the addresses of request objects that a request may name in request_uri,
	// by the rules of JWKSURI, at most 100; a fragment is the SHA-256 of what is there, in
	// base64url. They have an effect with Config.RequestURI (OpenID Connect Core section 6.2),
	// and need keys.
	// Defaults to none.
	RequestURIs []string `json:"request_uris,omitempty"`

	// RequestObjectSigningAlg is the only accepted algorithm of signed request objects.
	// Defaults to any of those of TokenEndpointAuthSigningAlg.
	RequestObjectSigningAlg string `json:"request_object_signing_alg,omitempty"`

	// DPoPBoundAccessTokens refuses token requests without a proof of possession (RFC 9449
	// section 5.2). Every access token is bound to a key; tokens for requests with a proof are
	// bound anyway. It excludes response types with token, which nothing could bind. Standard
	// dialect only.
	// Defaults to false.
	DPoPBoundAccessTokens bool `json:"dpop_bound_access_tokens,omitempty"`

	// RedirectURIs and PostLogoutRedirectURIs are where users may be sent: https, http on the
	// loopback interface, or an app's scheme, such as com.example.app. They have no fragment,
	// user name, wildcard, escapes in the host, port other than 1 to 65535 in plain spelling,
	// or response parameter in the query; a redirect URI of V3 may have a state, whose value is
	// not compared. Requests must match byte for byte, except for the port of a redirect URI
	// with a loopback IP address (RFC 8252 section 7.3). At least one of RedirectURIs is
	// required, unless GrantTypes are only client_credentials, token-exchange, or device_code
	// or pre-authorized_code with or without refresh_token.
	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`

	// InitiateLoginURI is where the application begins a sign-in that others start (OpenID Connect
	// Core section 4), by the rules of RedirectURIs, without an app's scheme. Users open the
	// application from the page of their applications with it; it gets the parameter iss.
	// Defaults to none.
	InitiateLoginURI string `json:"initiate_login_uri,omitempty"`

	// BackchannelLogoutURI receives a logout token when a session ends in which the
	// application got an ID token (OpenID Connect Back-Channel Logout 1.0). It is https,
	// without a fragment or a user name, and on the public internet unless
	// Config.AllowPrivateNetworks is set. Sessions from before its registration end
	// silently. Run sends the tokens; without Run none is sent.
	// Defaults to none.
	BackchannelLogoutURI string `json:"backchannel_logout_uri,omitempty"`

	// BackchannelLogoutSessionRequired says that the application needs the claim sid in logout
	// tokens. They have it whenever ID tokens have it: always with the embedded accounts, and
	// with the host's users if SignedIn.SessionID is set. It requires a BackchannelLogoutURI.
	// Defaults to false.
	BackchannelLogoutSessionRequired bool `json:"backchannel_logout_session_required,omitempty"`

	// ResponseTypes are the response types that the application may use.
	// Defaults to all but "id_token token" for V3, and code for Standard, and none without
	// RedirectURIs.
	ResponseTypes []string `json:"response_types,omitempty"`

	// GrantTypes are authorization_code, refresh_token, client_credentials,
	// urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:device_code,
	// urn:ietf:params:oauth:grant-type:token-exchange and
	// urn:ietf:params:oauth:grant-type:pre-authorized_code; a public client can use the first
	// two, device_code and pre-authorized_code. The last three are for Standard: device_code has
	// an effect with Config.DeviceAuthorization only, token-exchange for the Introspectors of a
	// Resource with ExchangesTo that are not Unreviewed, and pre-authorized_code for the
	// AnyWallet of package credential. implicit is accepted without effect: ResponseTypes
	// decide. With client_credentials an application gets an access token of its own, about no
	// user. With the JWT bearer grant it signs a user's name and gets an access token to what
	// that user has already allowed it.
	// Defaults to authorization_code.
	GrantTypes []string `json:"grant_types,omitempty"`

	// Scopes are the scope values that the application may request.
	// Defaults to all of the catalogue.
	Scopes []string `json:"scopes,omitempty"`

	// OptionalScopes are those of Scopes that a user may decline on the consent screen. Tokens
	// then lack them, and the response says so in scope. openid cannot be optional. If
	// offline_access is optional, only its approval brings a refresh token. A scope that
	// RequireVerified needs cannot be declined. Standard dialect only.
	// Defaults to none.
	OptionalScopes []string `json:"optional_scopes,omitempty"`

	// Resources are the URIs of those of Config.Resources that the application may request.
	// Defaults to all.
	Resources []string `json:"resources,omitempty"`

	// AccessTokenFormat is "jwt" for access tokens that an API verifies with the key set,
	// without introspection (RFC 9068). They contain characters that clients of V3 do not
	// expect. Standard dialect only.
	// Defaults to opaque tokens, which it introspects.
	AccessTokenFormat string `json:"access_token_format,omitempty"`

	// Origins are the web origins whose scripts may call the token and data endpoints, as
	// https://app.example.com.
	// Defaults to none.
	Origins []string `json:"origins,omitempty"`

	// NoQueryToken and NoJSONP end, for V3, access tokens in the query of the data endpoints,
	// and their JSONP responses (callback). A JSONP script can send its token in no other way,
	// so NoQueryToken leaves it only an error.
	// Defaults to false.
	NoQueryToken bool `json:"no_query_token,omitempty"`
	NoJSONP      bool `json:"no_jsonp,omitempty"`

	// IDTokenSignedResponseAlg is the algorithm of ID tokens and logout tokens, one of
	// Signing.Algorithms; in the V3 dialect RS256 only.
	// Defaults to RS256.
	IDTokenSignedResponseAlg string `json:"id_token_signed_response_alg,omitempty"`

	// AuthorizationSignedResponseAlg is that of authorization responses that are JWTs (JARM), as
	// IDTokenSignedResponseAlg.
	// Defaults to RS256.
	AuthorizationSignedResponseAlg string `json:"authorization_signed_response_alg,omitempty"`

	// UserinfoSignedResponseAlg is that of signed userinfo responses, as IDTokenSignedResponseAlg.
	// The JWT has iss, aud and iat, but no exp, so that it cannot pass for an ID token.
	// Defaults to unsigned JSON.
	UserinfoSignedResponseAlg string `json:"userinfo_signed_response_alg,omitempty"`

	// LeanIDTokens leaves the claims of scopes out of ID tokens: the application reads them at
	// userinfo. Response type id_token, which has no access token, is the exception (OpenID
	// Connect Core section 5.4). ID tokens travel as hints and fill cookies.
	// Defaults to false.
	LeanIDTokens bool `json:"lean_id_tokens,omitempty"`

	// RequireVerified keeps users from allowing a request for groups in which they are not
	// verified. A screen offers verification, and leads back to the application with
	// access_denied. Nothing is recorded. Once the user is no member any more, tokens are neither
	// refreshed nor exchanged; the grant stays.
	// Defaults to false.
	RequireVerified bool `json:"require_verified,omitempty"`

	// Requires is what the application requires of the authentication of its users, beside its
	// scopes and requests. MaxAge counts at each authorization request, Assurance at each use
	// of a refresh token as well.
	// Defaults to none.
	Requires Requirement `json:"requires,omitzero"`

	// SkipConsent marks one of the host's own applications: users see the consent screen
	// only for prompt=consent, or for a scope that they have declined. Its ID tokens have sid,
	// for People.SignedIn.
	// Defaults to false.
	SkipConsent bool `json:"skip_consent,omitempty"`

	// Unreviewed marks an application that the operator has not checked: the sign-in and
	// consent screens warn users.
	// Defaults to false.
	Unreviewed bool `json:"unreviewed,omitempty"`

	// Disabled makes the application unknown to every endpoint.
	// Defaults to false.
	Disabled bool `json:"disabled,omitempty"`

	// Logo is a picture as that of the Brand. It has the same limits, and in JSON it is base64.
	// LogoDark replaces it in dark mode.
	// Defaults to none.
	Logo     []byte `json:"logo,omitempty"`
	LogoDark []byte `json:"logo_dark,omitempty"`

	// Wordmark is a wide picture with the name in it, which replaces Logo where there is room.
	// It has the limits of Logo. WordmarkDark replaces it in dark mode.
	// Defaults to none.
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`

	// ButtonColor is #rrggbb, the colour of buttons on the screens of OpenID Connect
	// requests.
	// Defaults to that of the Brand.
	ButtonColor string `json:"button_color,omitempty"`

	// PolicyURL and TermsURL are links on the screens of sign-in and consent.
	// Defaults to none.
	PolicyURL string `json:"policy_uri,omitempty"`
	TermsURL  string `json:"tos_uri,omitempty"`

	// RegistrationAccessToken lets a program read, replace and delete the registration at
	// /oauth/register (RFC 7592), if the dashboard answers for it. Clients.Save keeps a digest;
	// nothing returns it. SelfManaged reports that there is one; Clients.Save ignores it.
	// Defaults to the registered one, or none.
	RegistrationAccessToken string `json:"-"`
	SelfManaged             bool   `json:"-"`

	// Revision changes with every save of the registration. Clients.Get returns it.
	// Clients.Save replaces only the registration with this Revision: ErrChanged if the
	// registration or its secrets have changed since, so that no change is lost. Zero
	// replaces any; NoRevision creates, and is ErrChanged if there is one.
	Revision int64 `json:"-"`
}

// formatJWT is the AccessTokenFormat of RFC 9068.
const formatJWT = "jwt"

func (c Client) pictures() clients.Pictures {
	return clients.Pictures{Logo: c.Logo, LogoDark: c.LogoDark, Wordmark: c.Wordmark, WordmarkDark: c.WordmarkDark}
}

func (c Client) record() storage.Client {
	keys, _ := clientkeys.Registered(c.JWKS) // validated, or there are none
	record := storage.Client{
		ID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, AuthMethod: c.TokenEndpointAuthMethod,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs, InitiateLoginURI: c.InitiateLoginURI, RequestURIs: c.RequestURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, OptionalScopes: c.OptionalScopes, Origins: c.Origins, Resources: c.Resources, JWTAccessTokens: c.AccessTokenFormat == formatJWT,
		NoQueryToken: c.NoQueryToken, NoJSONP: c.NoJSONP,
		BackchannelLogoutURI: c.BackchannelLogoutURI, BackchannelLogoutSession: c.BackchannelLogoutSessionRequired,
		LeanIDTokens:   c.LeanIDTokens,
		UserinfoSigned: c.UserinfoSignedResponseAlg != "", UserinfoAlg: c.UserinfoSignedResponseAlg,
		IDTokenAlg: c.IDTokenSignedResponseAlg, ResponseAlg: c.AuthorizationSignedResponseAlg, RequireVerified: c.RequireVerified, Requires: c.Requires, SkipConsent: c.SkipConsent,
		Unreviewed: c.Unreviewed, Disabled: c.Disabled, Version: c.Revision, ButtonColor: c.ButtonColor, PolicyURL: c.PolicyURL, TermsURL: c.TermsURL,
		AuthSigningAlg: c.TokenEndpointAuthSigningAlg, JWKS: keys, JWKSURI: c.JWKSURI,
		RequirePushed: c.RequirePushedAuthorizationRequests, RequirePKCE: c.RequirePKCE, RequireSignedRequest: c.RequireSignedRequestObject, RequestSigningAlg: c.RequestObjectSigningAlg,
		RequireDPoP: c.DPoPBoundAccessTokens, Profile: c.Profile,
	}
	if c.RegistrationAccessToken != "" {
		record.RegistrationToken = sha256.Sum256([]byte(c.RegistrationAccessToken))
	}
	if record.Name == "" {
		record.Name = c.ID
	}
	if c.Public {
		record.AuthMethod = protocol.AuthNone
	}
	return record
}

func asClient(c storage.Client) Client {
	registered := Client{
		ID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, TokenEndpointAuthMethod: c.AuthMethod,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs, InitiateLoginURI: c.InitiateLoginURI, RequestURIs: c.RequestURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, OptionalScopes: c.OptionalScopes, Origins: c.Origins, Resources: c.Resources,
		BackchannelLogoutURI: c.BackchannelLogoutURI, BackchannelLogoutSessionRequired: c.BackchannelLogoutSession,
		NoQueryToken: c.NoQueryToken, NoJSONP: c.NoJSONP,
		IDTokenSignedResponseAlg: c.IDTokenAlg, AuthorizationSignedResponseAlg: c.ResponseAlg,
		LeanIDTokens: c.LeanIDTokens, RequireVerified: c.RequireVerified, Requires: c.Requires, SkipConsent: c.SkipConsent,
		Unreviewed: c.Unreviewed, Disabled: c.Disabled, Revision: c.Version, ButtonColor: c.ButtonColor, PolicyURL: c.PolicyURL, TermsURL: c.TermsURL,
		TokenEndpointAuthSigningAlg: c.AuthSigningAlg, JWKS: c.JWKS, JWKSURI: c.JWKSURI,
		RequirePushedAuthorizationRequests: c.RequirePushed, RequirePKCE: c.RequirePKCE, RequireSignedRequestObject: c.RequireSignedRequest, RequestObjectSigningAlg: c.RequestSigningAlg,
		DPoPBoundAccessTokens: c.RequireDPoP, Profile: c.Profile, SelfManaged: !c.RegistrationToken.IsZero(),
	}
	if c.JWTAccessTokens {
		registered.AccessTokenFormat = formatJWT
	}
	if c.UserinfoSigned {
		registered.UserinfoSignedResponseAlg = cmp.Or(c.UserinfoAlg, keyring.RS256)
	}
	if c.Public {
		registered.TokenEndpointAuthMethod = "" // as Clients.Save accepts it
	}
	return registered
}
