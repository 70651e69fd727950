package engine

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/storage"
)

// Client is a registered application together with what it may do of its dialect. Many
// requests may share one: nobody changes it.
type Client struct {
	storage.Client
	Dialect Dialect
}

func (c *Client) responseTypes() []string {
	if len(c.ResponseTypes) > 0 {
		return c.ResponseTypes
	}
	return c.Dialect.ResponseTypes
}

// grantTypes are those of the registration; one that names none has
// authorization_code.
func (c *Client) grantTypes() []string {
	if len(c.GrantTypes) > 0 {
		return c.GrantTypes
	}
	return []string{protocol.GrantAuthorizationCode}
}

// authMethod names how the client authenticates.
func (c *Client) authMethod() string {
	switch {
	case c.Public:
		return protocol.AuthNone
	case c.AuthMethod == "":
		return protocol.AuthBasic + ", " + protocol.AuthPost
	default:
		return c.AuthMethod
	}
}

// AllowsGrant reports whether the client may use this grant at the token endpoint.
func (c *Client) AllowsGrant(grant string) bool { return slices.Contains(c.grantTypes(), grant) }

// AllowsScopes reports whether the client may still ask for all of these.
func (c *Client) AllowsScopes(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !allows(c.scopes(), s) })
}

// IsOptional reports whether a user may leave out a scope: never that of the protocol.
func (c *Client) IsOptional(scope string) bool {
	return c.Dialect.OptionalScopes && scope != protocol.ScopeOpenID && slices.Contains(c.OptionalScopes, scope)
}

// refreshes reports whether a grant of these scopes comes with a refresh token: not where
// the user could have allowed it, and has not.
func (c *Client) refreshes(scopes []string) bool {
	if c.IsOptional(protocol.ScopeOfflineAccess) && !slices.Contains(scopes, protocol.ScopeOfflineAccess) {
		return false
	}
	return c.Dialect.AlwaysRefreshToken || c.AllowsGrant(protocol.GrantRefreshToken)
}

// scopes are those of the registration. One that has the grant for it may ask for
// offline_access, which says no more.
func (c *Client) scopes() []string {
	if len(c.Scopes) == 0 || !c.Dialect.IgnoresScopes || !c.AllowsGrant(protocol.GrantRefreshToken) {
		return c.Scopes
	}
	return append(slices.Clone(c.Scopes), protocol.ScopeOfflineAccess)
}

// allows holds the rule for the scopes of a registration: one that names none may
// ask for all; openid is the protocol's and always allowed.
func allows(registered []string, scope string) bool {
	return scope == protocol.ScopeOpenID || len(registered) == 0 || slices.Contains(registered, scope)
}

// canonicalResponseType orders the values of a response type, so that
// "token code" and "code token" are one. It returns "" for values that repeat or
// are unknown.
func canonicalResponseType(sent string) string {
	values := strings.Split(sent, " ")
	for _, known := range protocol.ResponseTypes {
		if sameSet(values, strings.Split(known, " ")) {
			return known
		}
	}
	return ""
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, v := range b {
		if !slices.Contains(a, v) {
			return false
		}
	}
	return true
}
