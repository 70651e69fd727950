package registry

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Client is a registered application together with what it may do of its dialect. Many
// requests may share one: nobody changes it.
type Client struct {
	storage.Client
	Dialect Dialect

	// Profile is what its profile demands beside the fields of the registration.
	Profile Profile

	// Trusted reports that the operator vouches for what a client that nobody has registered
	// calls itself.
	Trusted bool

	// digests are those of the Secrets that have been opened; nil keeps none.
	digests []atomic.Pointer[[sha256.Size]byte]
}

// SecretDigest returns the SHA-256 of the i-th of the Secrets, which open unseals. That is
// done once for a registration that is in memory: it takes longer than the rest of an
// authentication.
func (c *Client) SecretDigest(i int, open func(sealed []byte) ([]byte, error)) ([sha256.Size]byte, error) {
	if i < len(c.digests) {
		if known := c.digests[i].Load(); known != nil {
			return *known, nil
		}
	}
	secret, err := open(c.Secrets[i].Sealed)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	digest := sha256.Sum256(secret)
	if i < len(c.digests) {
		c.digests[i].Store(&digest)
	}
	return digest, nil
}

// SelfRegistered begins the ID of every client that has registered itself.
const SelfRegistered = "dyn-"

// IsUnknown reports whether nobody has registered the client.
func (c *Client) IsUnknown() bool { return c.Origin != "" }

// Title is what the client is called: its name, which for one that nobody has registered is its
// host, unless the operator vouches for another.
func (c *Client) Title() string {
	if c.Trusted {
		return c.Document.Name
	}
	return c.Name
}

// Called is the name that a decision about the client is for: that of a client that nobody has
// registered includes what it calls itself.
func (c *Client) Called() string {
	if c.IsUnknown() && c.Document.Name != "" {
		return c.Name + " (" + c.Document.Name + ")"
	}
	return c.Name
}

// AllowedResponseTypes are those of the registration; one that names none has those of its
// dialect.
func (c *Client) AllowedResponseTypes() []string {
	if len(c.ResponseTypes) > 0 {
		return c.ResponseTypes
	}
	return c.Dialect.ResponseTypes
}

// AllowedGrantTypes are those of the registration; one that names none has
// authorization_code.
func (c *Client) AllowedGrantTypes() []string {
	if len(c.GrantTypes) > 0 {
		return c.GrantTypes
	}
	return []string{protocol.GrantAuthorizationCode}
}

// AuthMethods names how the client authenticates.
func (c *Client) AuthMethods() string {
	switch {
	case c.Public:
		return protocol.AuthNone
	case c.AuthMethod == "":
		return protocol.AuthBasic + ", " + protocol.AuthPost
	default:
		return c.AuthMethod
	}
}

// IDTokenSigning is the algorithm of ID tokens and logout tokens.
func (c *Client) IDTokenSigning() string { return cmp.Or(c.IDTokenAlg, keyring.RS256) }

// UserinfoSigning is the algorithm of signed userinfo.
func (c *Client) UserinfoSigning() string { return cmp.Or(c.UserinfoAlg, keyring.RS256) }

// ResponseSigning is the algorithm of authorization responses that are JWTs.
func (c *Client) ResponseSigning() string { return cmp.Or(c.ResponseAlg, keyring.RS256) }

// AllowsGrant reports whether the client may use this grant at the token endpoint.
func (c *Client) AllowsGrant(grant string) bool { return slices.Contains(c.AllowedGrantTypes(), grant) }

// AllowsScopes reports whether the client may still ask for all of these.
func (c *Client) AllowsScopes(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !Allows(c.AllowedScopes(), s) })
}

// IsOptional reports whether a user may leave out a scope: never that of the protocol.
func (c *Client) IsOptional(scope string) bool {
	return c.Dialect.OptionalScopes && scope != protocol.ScopeOpenID && slices.Contains(c.OptionalScopes, scope)
}

// AllowsResource reports whether the client may still ask for tokens for a resource.
func (c *Client) AllowsResource(uri string) bool {
	return len(c.Client.Resources) == 0 || slices.Contains(c.Client.Resources, uri)
}

// NeedsChallenge reports whether the client has to use PKCE: one that cannot keep a secret,
// one that is registered so, and one that has to push (FAPI 2.0 Security Profile section
// 5.3.2.2).
func (c *Client) NeedsChallenge() bool { return c.Public || c.RequirePKCE || c.RequirePushed }

// NeedsRedirectURI reports whether an authorization request of the client has to name its
// redirect URI, also where only one is registered.
func (c *Client) NeedsRedirectURI() bool {
	return c.Dialect.RedirectURIRequired || c.Profile.RedirectURI
}

// Refreshes reports whether a grant of these scopes comes with a refresh token: not where
// the user could have allowed it, and has not.
func (c *Client) Refreshes(scopes []string) bool {
	if c.IsOptional(protocol.ScopeOfflineAccess) && !slices.Contains(scopes, protocol.ScopeOfflineAccess) {
		return false
	}
	return c.Dialect.AlwaysRefreshToken || c.AllowsGrant(protocol.GrantRefreshToken)
}

// AllowedScopes are those of the registration. One that has the grant for it may ask for
// offline_access, which says no more.
func (c *Client) AllowedScopes() []string {
	if len(c.Scopes) == 0 || !c.Dialect.IgnoresScopes || !c.AllowsGrant(protocol.GrantRefreshToken) {
		return c.Scopes
	}
	return append(slices.Clone(c.Scopes), protocol.ScopeOfflineAccess)
}

// Allows holds the rule for the scopes of a registration: one that names none may
// ask for all but those of programs; openid is the protocol's and always allowed.
func Allows(registered []string, scope string) bool {
	return scope == protocol.ScopeOpenID || len(registered) == 0 && !protocol.IsOfPrograms(scope) || slices.Contains(registered, scope)
}
