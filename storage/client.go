package storage

import (
	"context"
	"encoding/json"
	"time"
)

// Client is a registered application (RFC 6749 section 2). Lists keep their order.
//
// Its JSON form lets a store keep it in one document: without ID and Version, which a store
// searches and compares, and with times as [UnixMicro]. Stored documents are read by member
// name, so a member is never renamed.
type Client struct {
	ID   string `json:"-"`
	Name string `json:"name"`

	// Dialect is the wire format of the application.
	Dialect string `json:"dialect"`

	// Profile is the profile of FAPI 2.0 that the application follows, or empty.
	Profile string `json:"profile,omitempty"`

	// Public marks a client that cannot keep a secret (RFC 6749 section 2.1).
	Public bool `json:"public,omitempty"`

	// Secrets are encrypted; more than one is valid while a rotation overlaps.
	Secrets []ClientSecret `json:"secrets,omitempty"`

	// AuthMethod is the client authentication method of OpenID Connect Core
	// section 9: client_secret_basic, client_secret_post, private_key_jwt or none.
	// AuthSigningAlg is the algorithm of the third, or empty for any.
	AuthMethod     string `json:"auth_method"`
	AuthSigningAlg string `json:"auth_signing_alg,omitempty"`

	// JWKS are the client's public keys (RFC 7517), JWKSURI is their address; at most one
	// of them is set.
	JWKS    json.RawMessage `json:"jwks,omitempty"`
	JWKSURI string          `json:"jwks_uri,omitempty"`

	// RequirePushed refuses authorization requests that were not pushed (RFC 9126 section
	// 6), RequireSignedRequest unsigned ones (RFC 9101 section 10.5), RequirePKCE those for
	// a code without a challenge (RFC 7636). RequestSigningAlg is the algorithm of signed
	// ones, or empty for any.
	RequirePushed        bool   `json:"require_pushed,omitempty"`
	RequirePKCE          bool   `json:"require_pkce,omitempty"`
	RequireSignedRequest bool   `json:"require_signed_request,omitempty"`
	RequestSigningAlg    string `json:"request_signing_alg,omitempty"`

	// RequestURIs are the addresses of request objects that may be fetched (OpenID Connect Core section 6.2).
	RequestURIs []string `json:"request_uris,omitempty"`

	// RequireDPoP refuses token requests without a proof of possession (RFC 9449 section 5.2).
	RequireDPoP bool `json:"require_dpop,omitempty"`

	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris"`

	// InitiateLoginURI is where the application begins a sign-in that others start (OpenID
	// Connect Core section 4), or empty.
	InitiateLoginURI string `json:"initiate_login_uri,omitempty"`

	ResponseTypes []string `json:"response_types"`
	GrantTypes    []string `json:"grant_types"`
	Scopes        []string `json:"scopes"`

	// Origins are the web origins whose scripts may call the token and data
	// endpoints (CORS).
	Origins []string `json:"origins"`

	// NoQueryToken and NoJSONP disable features of the dialect at the data endpoints:
	// access tokens in the query, and JSONP responses.
	NoQueryToken bool `json:"no_query_token,omitempty"`
	NoJSONP      bool `json:"no_jsonp,omitempty"`

	// UserinfoSigned makes userinfo respond with a signed JWT in the dialect that offers
	// the choice.
	UserinfoSigned bool `json:"userinfo_signed,omitempty"`

	// IDTokenAlg is the algorithm of ID tokens and logout tokens, UserinfoAlg that of signed
	// userinfo, ResponseAlg that of signed authorization responses; empty is RS256 (OpenID
	// Connect Registration section 2).
	IDTokenAlg  string `json:"id_token_alg,omitempty"`
	UserinfoAlg string `json:"userinfo_alg,omitempty"`
	ResponseAlg string `json:"response_alg,omitempty"`

	// LeanIDTokens leaves the claims of scopes to userinfo (OpenID Connect Core section
	// 5.4).
	LeanIDTokens bool `json:"lean_id_tokens,omitempty"`

	// JWTAccessTokens makes access tokens JWTs (RFC 9068).
	JWTAccessTokens bool `json:"jwt_access_tokens,omitempty"`

	// Resources are the resource servers for which the client may request tokens; none for
	// all.
	Resources []string `json:"resources,omitempty"`

	// BackchannelLogoutURI receives logout tokens (OpenID Connect Back-Channel Logout
	// section 2.2), always with a sid if BackchannelLogoutSession is true.
	BackchannelLogoutURI     string `json:"backchannel_logout_uri,omitempty"`
	BackchannelLogoutSession bool   `json:"backchannel_logout_session,omitempty"`

	// RequireVerified refuses a user whose requested groups are not verified.
	RequireVerified bool `json:"require_verified,omitempty"`

	// Requires is what the client requires of the authentication of its users.
	Requires Requirement `json:"requires,omitzero"`

	// SkipConsent marks a first-party application.
	SkipConsent bool `json:"skip_consent,omitempty"`

	// Unreviewed marks an application that the operator has not checked.
	Unreviewed bool `json:"unreviewed,omitempty"`

	// Disabled applications are unknown to every endpoint.
	Disabled bool `json:"disabled,omitempty"`

	// Unreadable reports, in a list, that the registration is damaged: the rest but ID and
	// Version is missing, and it is Disabled. It is not stored.
	Unreadable bool `json:"-"`

	// Deleted marks a client whose removal is under way, and which everybody else regards
	// as gone. Any process that finds it (ClientFilter) continues the removal.
	Deleted bool `json:"deleted,omitempty"`

	// OptionalScopes are those of Scopes that a user may decline.
	OptionalScopes []string `json:"optional_scopes,omitempty"`

	// Logo is the digest of an image, or zero; LogoDark is one for dark mode, Wordmark and
	// WordmarkDark contain the name.
	Logo         Digest `json:"logo,omitzero"`
	LogoDark     Digest `json:"logo_dark,omitzero"`
	Wordmark     Digest `json:"wordmark,omitzero"`
	WordmarkDark Digest `json:"wordmark_dark,omitzero"`

	// ButtonColor is #rrggbb, or empty.
	ButtonColor string `json:"button_color,omitempty"`

	// PolicyURL and TermsURL are links on the consent screen, or empty.
	PolicyURL string `json:"policy_uri,omitempty"`
	TermsURL  string `json:"terms_uri,omitempty"`

	// Origin says who has registered the client: nobody for OriginDocument, whose Document
	// then says what was read of it, or itself for OriginRegistered, of whose Document there is
	// the Name. Document is nil for the others.
	Origin   string          `json:"origin,omitempty"`
	Document *ClientDocument `json:"document,omitempty"`

	// RegistrationToken is the digest of the registration access token (RFC 7592 section 3), or
	// zero.
	RegistrationToken Digest `json:"registration_token,omitzero"`

	// GrantsSince ends all grants that were made before it; zero ends none. ExpiresAt is when
	// a client that nobody uses may be removed; zero for never.
	GrantsSince time.Time `json:"grants_since,omitzero"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`

	// Version is unique to each saved registration; the store assigns it.
	Version int64 `json:"-"`
}

// The origins of clients beside those that somebody has registered, whose Origin is empty.
const (
	// OriginDocument is a client whose ID is the address of its metadata
	// (draft-ietf-oauth-client-id-metadata-document).
	OriginDocument = "document"

	// OriginRegistered is a client that has registered itself (RFC 7591).
	OriginRegistered = "registered"
)

// ClientDocument is what is known of the document at the address of a client.
type ClientDocument struct {
	// Name is what the client calls itself, or empty where that must not be shown. Nothing
	// proves it: the Name of the client is its host.
	Name string `json:"name,omitempty"`

	// FetchedAt is when it was last read, FreshUntil how long that may be used. LookedAt is
	// the last attempt, GoneSince the first of those in a row that found no document.
	FetchedAt  time.Time `json:"fetched_at,omitzero"`
	FreshUntil time.Time `json:"fresh_until,omitzero"`
	LookedAt   time.Time `json:"looked_at,omitzero"`
	GoneSince  time.Time `json:"gone_since,omitzero"`

	// Digest is the SHA-256 of its text. ChangedAt is when another text was found; Previous
	// is the text before.
	Digest    Digest    `json:"digest,omitzero"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
	Previous  []byte    `json:"previous,omitempty"`

	// Text is the text that the registration is of.
	Text []byte `json:"text,omitempty"`
}

// ClientSecret is one encrypted secret of a client.
type ClientSecret struct {
	Sealed    []byte    `json:"sealed"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	// ExpiresAt is the end of the overlap after a rotation; zero for never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// SecretUse is the last authentication of a client with one of its secrets.
type SecretUse struct {
	// CreatedAt is that of the secret, which it identifies.
	CreatedAt time.Time
	UsedAt    time.Time
}

// ClientFilter selects clients. All nonzero fields must match.
type ClientFilter struct {
	// Deleted selects those marked as Deleted.
	Deleted bool

	// Origin selects those of an origin, Registered those that somebody has registered.
	Origin     string
	Registered bool

	// ExpiredAt selects those whose ExpiresAt is not after it, none if it is zero, and that are not
	// marked as Deleted.
	ExpiredAt *time.Time

	// Host, without port and in any case, selects those that have it among Client.Hosts, ListedHost
	// those that are listed under it (Client.ListedHosts). At most one of the two is set.
	Host, ListedHost string
}

// Clients stores the registered applications.
type Clients interface {
	// Client returns the client with this ID, disabled ones included.
	Client(ctx context.Context, id string) (Client, error)

	// SaveClient replaces the whole registration with this Version; Version zero creates
	// one. Grants and consents stay. ErrChanged if the registration has another version, is
	// gone, or, for Version zero, exists. ErrDenied if one is to be created that nobody has
	// registered, and a HostDenial holds for one of its hosts.
	SaveClient(ctx context.Context, c Client) error

	// Clients returns up to limit matching clients with IDs after the given one, in byte order of
	// the IDs. One that cannot be decoded is Unreadable; Client returns an error for it.
	Clients(ctx context.Context, match ClientFilter, after string, limit int) ([]Client, error)

	// DeleteClient removes the registration with this version and its grants, tokens,
	// consents and secret uses, all in one step: if there may be many, they are removed
	// before (RemoveGrants, RemoveConsents). ErrChanged if it has another version, or is
	// gone.
	DeleteClient(ctx context.Context, id string, version int64) error

	// RecordSecretUse records that the client has authenticated at a moment with the secret
	// that was made at created. An earlier use than the recorded one changes nothing.
	// ErrNotFound if the client does not exist.
	RecordSecretUse(ctx context.Context, clientID string, created, at time.Time) error

	// SecretUses returns the last uses of a client's secrets, former ones included and
	// unused ones left out, in the order in which the secrets were made.
	SecretUses(ctx context.Context, clientID string) ([]SecretUse, error)
}
