package storage

import (
	"context"
	"encoding/json"
	"time"
)

// Client is a registered application (RFC 6749 section 2). Lists keep their order.
//
// Its JSON form is how a store may keep it in one document: without ID and Version,
// which a store looks for and compares, and with the times as [UnixMicro] has them. What
// is stored is read by the members' names, so a member is never renamed.
type Client struct {
	ID   string `json:"-"`
	Name string `json:"name"`

	// Dialect is the wire form that the application was registered for.
	Dialect string `json:"dialect"`

	// Public marks a client that cannot keep a secret (RFC 6749 section 2.1).
	Public bool `json:"public,omitempty"`

	// Secrets are sealed; more than one is valid while a rotation overlaps.
	Secrets []ClientSecret `json:"secrets,omitempty"`

	// AuthMethod is the client authentication method of OpenID Connect Core
	// section 9: client_secret_basic, client_secret_post, private_key_jwt or none.
	// AuthSigningAlg is the algorithm of the third, or empty for any.
	AuthMethod     string `json:"auth_method"`
	AuthSigningAlg string `json:"auth_signing_alg,omitempty"`

	// JWKS are the client's public keys (RFC 7517), JWKSURI where they are; one of them
	// at most.
	JWKS    json.RawMessage `json:"jwks,omitempty"`
	JWKSURI string          `json:"jwks_uri,omitempty"`

	// RequirePushed refuses authorization requests that were not pushed (RFC 9126
	// section 6), RequireSignedRequest those that are not signed (RFC 9101 section
	// 10.5), RequirePKCE those for a code without a challenge (RFC 7636). RequestSigningAlg
	// is the algorithm of signed ones, or empty for any.
	RequirePushed        bool   `json:"require_pushed,omitempty"`
	RequirePKCE          bool   `json:"require_pkce,omitempty"`
	RequireSignedRequest bool   `json:"require_signed_request,omitempty"`
	RequestSigningAlg    string `json:"request_signing_alg,omitempty"`

	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris"`
	ResponseTypes          []string `json:"response_types"`
	GrantTypes             []string `json:"grant_types"`
	Scopes                 []string `json:"scopes"`

	// Origins are the web origins whose scripts may call the token and data
	// endpoints (CORS).
	Origins []string `json:"origins"`

	// NoQueryToken and NoJSONP switch off what the dialect has at the data
	// endpoints: access tokens in the query, and answers as scripts.
	NoQueryToken bool `json:"no_query_token,omitempty"`
	NoJSONP      bool `json:"no_jsonp,omitempty"`

	// UserinfoSigned makes userinfo answer with a signed JWT in the dialect
	// that offers the choice.
	UserinfoSigned bool `json:"userinfo_signed,omitempty"`

	// LeanIDTokens leaves what scopes release to userinfo (OpenID Connect Core section
	// 5.4).
	LeanIDTokens bool `json:"lean_id_tokens,omitempty"`

	// JWTAccessTokens makes access tokens JWTs (RFC 9068).
	JWTAccessTokens bool `json:"jwt_access_tokens,omitempty"`

	// Resources are the resource servers that the client may ask tokens for, or none
	// for all.
	Resources []string `json:"resources,omitempty"`

	// BackchannelLogoutURI is told when a session ends (OpenID Connect Back-Channel
	// Logout section 2.2), always with its sid when BackchannelLogoutSession is true.
	BackchannelLogoutURI     string `json:"backchannel_logout_uri,omitempty"`
	BackchannelLogoutSession bool   `json:"backchannel_logout_session,omitempty"`

	// RequireVerified refuses a user whose requested groups are not verified.
	RequireVerified bool `json:"require_verified,omitempty"`

	// SkipConsent marks a first-party application.
	SkipConsent bool `json:"skip_consent,omitempty"`

	// Unreviewed applications are ones that the operator has not checked.
	Unreviewed bool `json:"unreviewed,omitempty"`

	// Disabled applications are unknown to every endpoint.
	Disabled bool `json:"disabled,omitempty"`

	// Deleted marks one that is being removed, and is gone for everybody else. Whoever finds
	// it (DeletedClients) goes on with the removal.
	Deleted bool `json:"deleted,omitempty"`

	// OptionalScopes are those of Scopes that a user may leave out.
	OptionalScopes []string `json:"optional_scopes,omitempty"`

	// Logo is the digest of an image, or zero; LogoDark is one for dark screens, Wordmark
	// and WordmarkDark have the name in them.
	Logo         Digest `json:"logo,omitzero"`
	LogoDark     Digest `json:"logo_dark,omitzero"`
	Wordmark     Digest `json:"wordmark,omitzero"`
	WordmarkDark Digest `json:"wordmark_dark,omitzero"`

	// ButtonColor is #rrggbb, or empty.
	ButtonColor string `json:"button_color,omitempty"`

	// PolicyURL and TermsURL are linked from the consent screen when not empty.
	PolicyURL string `json:"policy_uri,omitempty"`
	TermsURL  string `json:"terms_uri,omitempty"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`

	// Version differs for every registration that is saved; the store gives it.
	Version int64 `json:"-"`
}

// ClientSecret is one sealed secret of a client.
type ClientSecret struct {
	Sealed    []byte    `json:"sealed"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	// ExpiresAt ends the overlap of a rotation; zero means never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// SecretUse is the last time that a client authenticated with one of its secrets.
type SecretUse struct {
	// CreatedAt is that of the secret, by which it is known.
	CreatedAt time.Time
	UsedAt    time.Time
}

// Clients keeps the registered applications.
type Clients interface {
	// Client returns the client with this identifier, disabled ones included.
	Client(ctx context.Context, id string) (Client, error)

	// SaveClient replaces the registration that has this Version, whole; with
	// Version zero it creates one. Grants and consents stay. ErrChanged when the
	// registration has another version, is gone, or, for Version zero, exists.
	SaveClient(ctx context.Context, c Client) error

	// Clients returns up to limit clients whose identifier follows after, in
	// the order of the identifiers' bytes.
	Clients(ctx context.Context, after string, limit int) ([]Client, error)

	// DeletedClients returns up to limit clients that are marked as Deleted, and whose
	// identifier follows after, in the order of the identifiers' bytes.
	DeletedClients(ctx context.Context, after string, limit int) ([]Client, error)

	// DeleteClient removes the registration that has this version with its grants,
	// tokens, consents and the uses of its secrets, all of them in one step: when there
	// may be many, they are removed before (RemoveGrants, RemoveConsents). ErrChanged
	// when it has another version, or is gone.
	DeleteClient(ctx context.Context, id string, version int64) error

	// RecordSecretUse notes that the client has authenticated at a moment with the
	// secret that was made at created. An earlier use than is noted changes nothing.
	// ErrNotFound when the client does not exist.
	RecordSecretUse(ctx context.Context, clientID string, created, at time.Time) error

	// SecretUses returns when secrets of a client, of the past as well, were last used:
	// those that have been, in the order in which they were made.
	SecretUses(ctx context.Context, clientID string) ([]SecretUse, error)
}
