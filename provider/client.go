package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Dialects of an application: the wire form that it was registered for.
const (
	// V3 is the older interface of identity verification services: lifetimes as
	// strings of digits, one scope value that is granted, userinfo as a JWT in
	// a JSON string, tokens in the query and JSONP at the data endpoints.
	V3 = registry.DialectV3
	// Standard is RFC 6749 and OpenID Connect Core to the letter.
	Standard = registry.DialectStandard
)

// Client is a registration of an application. Its JSON form has the members that RFC 7591
// section 2 and OpenID Connect Registration give it, where they give it one.
type Client struct {
	// ID is the client_id: 1 to 64 letters, digits and -_.: only.
	ID string `json:"client_id"`

	// Secret is the client_secret, 32 to 255 bytes that nobody can guess: a
	// client is never held up, however often others guess. Clients.Save seals
	// it; no method returns it but Clients.Secret.
	// Defaults to the one that is registered, and a random one for a new client.
	Secret string `json:"client_secret,omitempty"`

	// Name is shown to users, at most 120 bytes, without what turns the direction of text.
	// Defaults to the ID.
	Name string `json:"name,omitempty"`

	// Dialect is V3 or Standard.
	// Defaults to V3.
	Dialect string `json:"dialect,omitempty"`

	// Public marks an application that cannot keep a secret, such as a page or
	// an app on a phone. It must use PKCE.
	// Defaults to false.
	Public bool `json:"public,omitempty"`

	// TokenEndpointAuthMethod restricts how the secret is sent, client_secret_basic or
	// client_secret_post, or is private_key_jwt for an application that has no secret
	// and signs with a key of its own.
	// Defaults to either of the first two.
	TokenEndpointAuthMethod string `json:"token_endpoint_auth_method,omitempty"`

	// TokenEndpointAuthSigningAlg is the only algorithm of private_key_jwt that is
	// accepted: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA.
	// Defaults to any of these.
	TokenEndpointAuthSigningAlg string `json:"token_endpoint_auth_signing_alg,omitempty"`

	// JWKS are the public keys of the application (RFC 7517 section 5), for
	// private_key_jwt, signed requests and JWT bearer grants: 1 to 10 keys in at most 16
	// KiB of JSON, RSA of at least 2048 bits, EC on P-256, P-384 or P-521, or Ed25519. A
	// set with a private member is refused. What is not needed of a key, such as
	// certificates, is not kept.
	// Defaults to none.
	JWKS json.RawMessage `json:"jwks,omitempty"`

	// JWKSURI is where such a set is, instead of JWKS: https, and not on a private
	// network unless Config.AllowPrivateNetworks says so. It is read when it is needed,
	// every 10 minutes, or once a minute when a key is not known; when it cannot be read
	// what was there last counts for an hour. A key of a kind that is not supported is
	// left out.
	// Defaults to none.
	JWKSURI string `json:"jwks_uri,omitempty"`

	// RequirePushedAuthorizationRequests refuses authorization requests that the
	// application has not pushed (RFC 9126 section 6).
	// Defaults to false.
	RequirePushedAuthorizationRequests bool `json:"require_pushed_authorization_requests,omitempty"`

	// RequirePKCE refuses authorization requests for a code without a code_challenge (RFC
	// 7636). An application that is Public, or has to push, needs one anyway.
	// Defaults to false.
	RequirePKCE bool `json:"require_pkce,omitempty"`

	// RequireSignedRequestObject refuses authorization requests that the application has
	// not signed (RFC 9101 section 10.5).
	// Defaults to false.
	RequireSignedRequestObject bool `json:"require_signed_request_object,omitempty"`

	// RequestObjectSigningAlg is the only algorithm of signed requests that is accepted,
	// one of those of TokenEndpointAuthSigningAlg.
	// Defaults to any of these.
	RequestObjectSigningAlg string `json:"request_object_signing_alg,omitempty"`

	// RedirectURIs and PostLogoutRedirectURIs are where users may be sent: https,
	// http on the loopback interface, or the scheme of an app, such as
	// com.example.app. None has a fragment, a user name, a wildcard, escapes in its
	// host, a port other than 1 to 65535 in its plain spelling, or a parameter of the
	// response in its query; a redirect URI of V3 may have a state, whose value is not
	// compared. What a request names is compared byte for byte, save for
	// the port of a redirect URI that names the loopback interface by its IP address
	// (RFC 8252 section 7.3). At least one of RedirectURIs is required, unless the only
	// of GrantTypes is client_credentials.
	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`

	// BackchannelLogoutURI is told when a session ends in which the application got an ID
	// token: the provider posts a logout token there (OpenID Connect Back-Channel Logout
	// 1.0). It is https, without a fragment or a user name, and of the public internet
	// unless Config.AllowPrivateNetworks says otherwise. Sessions from before it was
	// registered end silently. Run tells; without one nobody is told.
	// Defaults to none.
	BackchannelLogoutURI string `json:"backchannel_logout_uri,omitempty"`

	// BackchannelLogoutSessionRequired says that the application needs the claim sid in
	// logout tokens. They have it whenever the ID tokens have it: always with the embedded
	// accounts, and with users of the host where SignedIn.SessionID is given. It needs a
	// BackchannelLogoutURI.
	// Defaults to false.
	BackchannelLogoutSessionRequired bool `json:"backchannel_logout_session_required,omitempty"`

	// ResponseTypes are those that the application may use.
	// Defaults to all but "id_token token" for V3, and code for Standard; without RedirectURIs there are
	// none.
	ResponseTypes []string `json:"response_types,omitempty"`

	// GrantTypes are authorization_code, refresh_token, client_credentials and
	// urn:ietf:params:oauth:grant-type:jwt-bearer, of which a public client has no use for
	// the last two. implicit may stand beside them and means nothing of its own:
	// ResponseTypes say it. The others: with client_credentials an application asks for itself, for an access
	// token that is about no user; with the JWT bearer grant it signs the name of a user,
	// for an access token to what that user has allowed it before.
	// Defaults to the first.
	GrantTypes []string `json:"grant_types,omitempty"`

	// Scopes are those that the application may ask for.
	// Defaults to all of the catalogue.
	Scopes []string `json:"scopes,omitempty"`

	// OptionalScopes are those of Scopes that a user may leave out on the consent screen:
	// tokens then lack them, and their response says so in scope. openid is none of them;
	// offline_access may be, and then a refresh token comes with nothing else. What
	// RequireVerified demands cannot be left out. They are for the Standard dialect only.
	// Defaults to none.
	OptionalScopes []string `json:"optional_scopes,omitempty"`

	// Resources are the URIs of those of Config.Resources that the application may ask
	// access tokens for.
	// Defaults to all.
	Resources []string `json:"resources,omitempty"`

	// AccessTokenFormat is jwt for access tokens that an API verifies by the key set,
	// without asking (RFC 9068). They hold letters that clients of V3 do not expect, and
	// are for the Standard dialect only.
	// Defaults to opaque tokens, which an API has to ask about.
	AccessTokenFormat string `json:"access_token_format,omitempty"`

	// Origins are the web origins whose scripts may call the token and data
	// endpoints, for example https://app.example.com.
	// Defaults to none.
	Origins []string `json:"origins,omitempty"`

	// NoQueryToken and NoJSONP switch off what only the V3 dialect has: access
	// tokens in the query of the data endpoints, and responses of these as scripts
	// that call the function named by callback. A script can send its token in no
	// other way, so NoQueryToken leaves it the error only.
	// Defaults to false.
	NoQueryToken bool `json:"no_query_token,omitempty"`
	NoJSONP      bool `json:"no_jsonp,omitempty"`

	// UserinfoSignedResponseAlg is RS256 for a JWT as the response of userinfo in the
	// Standard dialect. It has iss, aud and iat, and no exp, so that it cannot pass for
	// an ID token.
	// Defaults to JSON that is not signed.
	UserinfoSignedResponseAlg string `json:"userinfo_signed_response_alg,omitempty"`

	// LeanIDTokens leaves what scopes release out of ID tokens, but for those of the response
	// type id_token, which bring no access token: the application asks userinfo (OpenID Connect
	// Core section 5.4). ID tokens are sent to others as hints, and fill cookies.
	// Defaults to false.
	LeanIDTokens bool `json:"lean_id_tokens,omitempty"`

	// RequireVerified lets users allow nothing whose requested groups are not verified: a
	// screen leads to Config.Verifiers, and back with access_denied. Nothing is recorded.
	// Defaults to false.
	RequireVerified bool `json:"require_verified,omitempty"`

	// SkipConsent marks an application of the host's own: its users are asked only when
	// the request says so (prompt=consent), or is for what they have left out.
	// Defaults to false.
	SkipConsent bool `json:"skip_consent,omitempty"`

	// Unreviewed marks an application that the operator has not checked: the screens
	// say so to users, before they sign in and before they allow it anything.
	// Defaults to false.
	Unreviewed bool `json:"unreviewed,omitempty"`

	// Disabled applications are unknown to every endpoint.
	// Defaults to false.
	Disabled bool `json:"disabled,omitempty"`

	// Logo is a PNG, JPEG, WebP or GIF of at most 512 KiB and 2048 pixels a side, which
	// is kept as a PNG of at most 512 pixels a side (LogoPNG); in JSON it is in base64.
	// Why one is refused is an error such as ErrLogoSVG. LogoDark takes its place by night.
	// Defaults to none.
	Logo     []byte `json:"logo,omitempty"`
	LogoDark []byte `json:"logo_dark,omitempty"`

	// Wordmark is a picture like Logo, wide and with the name in it, which takes its place
	// where there is room. WordmarkDark takes its place by night.
	// Defaults to none.
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`

	// ButtonColor is #rrggbb, for the buttons of the screens when the request
	// is one of OpenID Connect.
	// Defaults to that of the Brand.
	ButtonColor string `json:"button_color,omitempty"`

	// PolicyURL and TermsURL are linked from the consent screen.
	// Defaults to no link.
	PolicyURL string `json:"policy_uri,omitempty"`
	TermsURL  string `json:"tos_uri,omitempty"`

	// Revision differs for every registration that is saved. Clients.Get returns it, and
	// Clients.Save replaces the registration that has it: ErrChanged when another has been
	// saved since, or its secrets were changed, so that nobody's change is lost. With
	// zero it replaces whichever there is, with NoRevision none: it is ErrChanged when
	// there is one.
	Revision int64 `json:"-"`
}

// formatJWT is the AccessTokenFormat of RFC 9068.
const formatJWT = "jwt"

// ErrNoClient says that there is no such application.
var ErrNoClient = clients.ErrNotFound

// Save registers an application, or brings its registration up to date. A field that
// cannot be accepted is a FieldError; ErrChanged when the Revision is that of another
// registration than the one there is. The change is in force within a
// second in every process. One with the ID of an application that was deleted is registered
// when nothing of that is left, for which Clients.Save waits, until ctx ends. A new confidential client without a Secret gets one, unless it
// has a key; Clients.Secret returns it.
func (p Clients) Save(ctx context.Context, c Client) error {
	err := p.Validate(c)
	if err == nil {
		err = asFieldError(p.clients.Save(ctx, c.record(), c.Secret, c.pictures()))
	}
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("provider: save client %q: %w", c.ID, err)
	}
	return nil
}

// Secret returns the newest secret of an application, for the eyes of its
// owner after a fresh sign-in. ErrNoClient when there is none. It is written to the
// audit log.
func (p Clients) Secret(ctx context.Context, id string) (string, error) {
	secret, err := p.clients.Secret(ctx, id)
	return secret, asClientError("read client secret", err)
}

// RotateSecret gives an application a new secret and returns it. The secrets
// that it had stay valid for overlap, so that the application can be changed over
// without an interruption; zero ends them at once. ErrNoClient when there is none,
// ErrTooManySecrets when ten would stay valid.
//
// Of any number of calls with one Client.Revision one makes a secret, and the others are
// ErrChanged: two people who press a button at once do not each end the secret that the other
// has just read. With revision zero each call makes one.
func (p Clients) RotateSecret(ctx context.Context, id string, overlap time.Duration, revision int64) (string, error) {
	secret, err := p.clients.RotateSecret(ctx, id, overlap, revision)
	if errors.Is(err, storage.ErrChanged) {
		return "", ErrChanged
	}
	return secret, asClientError("rotate client secret", err)
}

// Delete deletes an application with everything that was allowed to it. It returns
// nil when there is none.
//
// It is one short write, and final: in this process nobody can use the application from
// then on, and within a second in no other. Run of any process removes what was allowed to
// it, which takes minutes for a million users, and which other requests hardly notice. Until
// that has ended there is no other application with its ID: Clients.Save goes on with it, and
// then registers one.
func (p Clients) Delete(ctx context.Context, id string) error {
	return asClientError("delete client", p.clients.Delete(ctx, id))
}

// SetDisabled takes an application out of use, or back (Client.Disabled), and changes
// nothing else, so that it needs no registration that would be accepted today. It replaces the
// registration that has this Revision, in any case with another: ErrChanged when it has
// another, ErrNoClient when there is none.
func (p Clients) SetDisabled(ctx context.Context, id string, disabled bool, revision int64) error {
	err := p.clients.SetDisabled(ctx, id, disabled, revision)
	if errors.Is(err, storage.ErrChanged) {
		return ErrChanged
	}
	return asClientError("set client disabled", err)
}

// Deleting reports whether an application was deleted and something of it is still
// there, which Run is to remove.
func (p Clients) Deleting(ctx context.Context, id string) (bool, error) {
	c, err := p.store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("provider: read client: %w", err)
	}
	return c.Deleted, nil
}

// asClientError says what was attempted, unless the error says so itself.
func asClientError(what string, err error) error {
	if err == nil || errors.Is(err, ErrNoClient) || errors.Is(err, ErrLastSecret) || errors.Is(err, ErrTooManySecrets) {
		return err
	}
	return fmt.Errorf("provider: %s: %w", what, err)
}

func (c Client) pictures() clients.Pictures {
	return clients.Pictures{Logo: c.Logo, LogoDark: c.LogoDark, Wordmark: c.Wordmark, WordmarkDark: c.WordmarkDark}
}

func (c Client) record() storage.Client {
	keys, _ := clientkeys.Registered(c.JWKS) // validated, or there are none
	record := storage.Client{
		ID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, AuthMethod: c.TokenEndpointAuthMethod,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, OptionalScopes: c.OptionalScopes, Origins: c.Origins, Resources: c.Resources, JWTAccessTokens: c.AccessTokenFormat == formatJWT,
		NoQueryToken: c.NoQueryToken, NoJSONP: c.NoJSONP,
		BackchannelLogoutURI: c.BackchannelLogoutURI, BackchannelLogoutSession: c.BackchannelLogoutSessionRequired,
		LeanIDTokens:   c.LeanIDTokens,
		UserinfoSigned: c.UserinfoSignedResponseAlg != "", RequireVerified: c.RequireVerified, SkipConsent: c.SkipConsent,
		Unreviewed: c.Unreviewed, Disabled: c.Disabled, Version: c.Revision, ButtonColor: c.ButtonColor, PolicyURL: c.PolicyURL, TermsURL: c.TermsURL,
		AuthSigningAlg: c.TokenEndpointAuthSigningAlg, JWKS: keys, JWKSURI: c.JWKSURI,
		RequirePushed: c.RequirePushedAuthorizationRequests, RequirePKCE: c.RequirePKCE, RequireSignedRequest: c.RequireSignedRequestObject, RequestSigningAlg: c.RequestObjectSigningAlg,
	}
	if record.Name == "" {
		record.Name = c.ID
	}
	if record.Dialect == "" {
		record.Dialect = V3
	}
	if c.Public {
		record.AuthMethod = protocol.AuthNone
	}
	return record
}

// validate names the first field that cannot be accepted.
func (c Client) validate(known *claims.Catalogue, addresses registry.Addresses, resources []Resource) error {
	if !claims.IsName(c.ID) {
		return wrongField("ID", "must be 1 to 64 letters, digits, or -_.:")
	}
	dialect, ok := registry.DialectNamed(c.Dialect)
	if !ok {
		return wrongField("Dialect", "%q is neither %q nor %q", c.Dialect, V3, Standard)
	}
	switch {
	case len(c.Name) > 120 || !web.IsPlainText(c.Name) || c.Name != "" && !web.IsVisible(c.Name):
		return wrongField("Name", "must be at most 120 bytes of text that can be seen, without control characters")
	case c.Public && c.Secret != "":
		return wrongField("Secret", "a public client has none")
	case c.Secret != "" && (len(c.Secret) < 32 || len(c.Secret) > 255):
		return wrongField("Secret", "must be 32 to 255 bytes, as openssl rand -hex 32 makes them")
	case !slices.Contains([]string{"", protocol.AuthBasic, protocol.AuthPost, protocol.AuthPrivateKey}, c.TokenEndpointAuthMethod):
		return wrongField("TokenEndpointAuthMethod", "%q is unknown", c.TokenEndpointAuthMethod)
	case c.UserinfoSignedResponseAlg != "" && c.UserinfoSignedResponseAlg != "RS256":
		return wrongField("UserinfoSignedResponseAlg", "%q is not RS256", c.UserinfoSignedResponseAlg)
	case c.AccessTokenFormat != "" && c.AccessTokenFormat != formatJWT:
		return wrongField("AccessTokenFormat", "%q is not %s", c.AccessTokenFormat, formatJWT)
	case c.AccessTokenFormat != "" && !dialect.JWTAccessTokens:
		return wrongField("AccessTokenFormat", "is for the dialect %s only", Standard)
	case len(c.LogoDark) > 0 && len(c.Logo) == 0:
		return wrongField("LogoDark", "takes the place of Logo, which is missing")
	case len(c.WordmarkDark) > 0 && len(c.Wordmark) == 0:
		return wrongField("WordmarkDark", "takes the place of Wordmark, which is missing")
	case len(c.OptionalScopes) > 0 && !dialect.OptionalScopes:
		return wrongField("OptionalScopes", "are for the dialect %s only", Standard)
	case c.ButtonColor != "" && !web.IsColor(c.ButtonColor):
		return wrongField("ButtonColor", "%q is not of the form #rrggbb", c.ButtonColor)
	case len(c.RedirectURIs) == 0 && !c.asksForItselfOnly():
		return wrongField("RedirectURIs", "must be 1 to 100")
	case len(c.RedirectURIs) == 0 && len(c.ResponseTypes) > 0:
		return wrongField("ResponseTypes", "must be none without RedirectURIs")
	case c.Public && slices.Contains(c.GrantTypes, protocol.GrantClientCredentials):
		return wrongField("GrantTypes", "a public client has no credentials for %s", protocol.GrantClientCredentials)
	case c.Public && slices.Contains(c.GrantTypes, protocol.GrantJWTBearer):
		return wrongField("GrantTypes", "a public client has no credentials for %s", protocol.GrantJWTBearer)
	case c.PolicyURL != "" && !web.IsWebURL(c.PolicyURL):
		return wrongField("PolicyURL", "is not an http address without a user name")
	case c.TermsURL != "" && !web.IsWebURL(c.TermsURL):
		return wrongField("TermsURL", "is not an http address without a user name")
	}
	return c.validateLists(known, addresses, dialect, resources)
}

// asksForItselfOnly reports whether the application never asks for a user, so that nobody
// is sent back to it.
func (c Client) asksForItselfOnly() bool {
	return len(c.GrantTypes) > 0 && !slices.ContainsFunc(c.GrantTypes, func(g string) bool { return g != protocol.GrantClientCredentials })
}

func (c Client) validateLists(known *claims.Catalogue, addresses registry.Addresses, dialect registry.Dialect, resources []Resource) error {
	for _, list := range []struct {
		name   string
		values []string
		check  func(string) error
	}{
		{"RedirectURIs", c.RedirectURIs, func(uri string) error { return addresses.ValidateRedirectURIIn(dialect, uri) }},
		{"PostLogoutRedirectURIs", c.PostLogoutRedirectURIs, addresses.ValidateRedirectURI},
		{"ResponseTypes", c.ResponseTypes, oneOf(protocol.ResponseTypes)},
		{"GrantTypes", c.GrantTypes, oneOf(protocol.RegisteredGrantTypes)},
		{"Origins", c.Origins, addresses.ValidateOrigin},
		{"Scopes", c.Scopes, func(s string) error {
			if !known.Known(s) {
				return errors.New("is not a scope of the catalogue")
			}
			return nil
		}},
		{"OptionalScopes", c.OptionalScopes, c.checkOptional(known)},
		{"Resources", c.Resources, func(uri string) error {
			if !slices.ContainsFunc(resources, func(r Resource) bool { return r.URI == uri }) {
				return errors.New("is none of Config.Resources")
			}
			return nil
		}},
	} {
		// A registration is read whole with every request.
		if most := max(100, len(known.Scopes)+2); len(list.values) > most {
			return wrongField(list.name, "must be at most %d", most)
		}
		for i, v := range list.values {
			if err := list.check(v); err != nil {
				return wrongField(fmt.Sprintf("%s[%d]", list.name, i), "%q %w", v, err)
			}
		}
	}
	return nil
}

func oneOf(known []string) func(string) error {
	return func(s string) error {
		if !slices.Contains(known, s) {
			return errors.New("is none of " + strings.Join(known, ", "))
		}
		return nil
	}
}
