package claims

import (
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// Credentials are those that wallets are issued (OpenID for Verifiable Credential Issuance 1.0).
// Package credential has them.
type Credentials interface {
	authorization.DetailReader

	// Scopes are those by which applications ask for them; each has one group. They join those
	// of the host.
	Scopes() []catalogue.Scope

	// Metadata are members of the discovery document.
	Metadata() map[string]any
}

// AddCredentials adds the scopes by which wallets ask for credentials. An invalid one is a
// *field.Error.
func (c *Catalogue) AddCredentials(of Credentials) error {
	for i, s := range of.Scopes() {
		if err := c.addScope(s); err != nil {
			return &field.Error{Field: fmt.Sprintf("Credentials[%d].%s", i, err.Field), Err: err.Err}
		}
		c.credentials = append(c.credentials, s.Name)
	}
	return nil
}

// Credentials are the scopes by which wallets ask for credentials.
func (c *Catalogue) Credentials() []string { return c.credentials }

// IsCredential reports whether a scope is one by which wallets ask for a credential.
func (c *Catalogue) IsCredential(scope string) bool { return slices.Contains(c.credentials, scope) }

// InWallet returns the groups of which these scopes put a credential into a wallet.
func (c *Catalogue) InWallet(scopes []string) (groups []string) {
	for _, name := range scopes {
		if c.IsCredential(name) {
			groups = append(groups, c.Scope(name).Groups...)
		}
	}
	return groups
}
