package storage

import (
	"context"
	"time"
)

// Client is a registered application (RFC 6749 section 2). Lists keep their order.
type Client struct {
	ID   string
	Name string

	// Dialect is the wire form that the application was registered for.
	Dialect string

	// Public marks a client that cannot keep a secret (RFC 6749 section 2.1).
	Public bool

	// Secrets are sealed; more than one is valid while a rotation overlaps.
	Secrets []ClientSecret

	// AuthMethod is the client authentication method of OpenID Connect Core
	// section 9: client_secret_basic, client_secret_post or none.
	AuthMethod string

	RedirectURIs           []string
	PostLogoutRedirectURIs []string
	ResponseTypes          []string
	GrantTypes             []string
	Scopes                 []string

	// Origins are the web origins whose scripts may call the token and data
	// endpoints (CORS).
	Origins []string

	// UserinfoSigned makes userinfo answer with a signed JWT in the dialect
	// that offers the choice.
	UserinfoSigned bool

	// RequireVerified refuses a user whose requested groups are not verified.
	RequireVerified bool

	// SkipConsent marks a first-party application.
	SkipConsent bool

	// Disabled applications are unknown to every endpoint.
	Disabled bool

	// Logo is the digest of an image, or zero.
	Logo Digest

	// ButtonColor is #rrggbb, or empty.
	ButtonColor string

	// PolicyURI and TermsURI are shown on the consent screen when not empty.
	PolicyURI string
	TermsURI  string

	CreatedAt time.Time
	UpdatedAt time.Time
}

// ClientSecret is one sealed secret of a client.
type ClientSecret struct {
	Sealed    []byte
	CreatedAt time.Time
	// ExpiresAt ends the overlap of a rotation; zero means never.
	ExpiresAt time.Time
}

// Clients keeps the registered applications.
type Clients interface {
	// Client returns the client with this identifier, disabled ones included.
	Client(ctx context.Context, id string) (Client, error)

	// SaveClient creates the client or replaces it whole; its grants and
	// consents stay.
	SaveClient(ctx context.Context, c Client) error

	// Clients returns up to limit clients whose identifier follows after, in
	// the order of the identifiers' bytes.
	Clients(ctx context.Context, after string, limit int) ([]Client, error)

	// DeleteClient removes the client with its grants, tokens and consents. It
	// returns nil when there is none.
	DeleteClient(ctx context.Context, id string) error
}
