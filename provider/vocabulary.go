package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// The vocabulary is that of package catalogue.
type (
	// Scope is a scope value, which requests its attributes and groups.
	Scope = catalogue.Scope
	// Attribute is a user attribute that scopes can release.
	Attribute = catalogue.Attribute
	// AttributeType is the JSON type of an attribute's value.
	AttributeType = catalogue.AttributeType
	// ScopeTranslation is the text of a scope in another language.
	ScopeTranslation = catalogue.ScopeTranslation
	// GroupTranslation is the text of a group in another language.
	GroupTranslation = catalogue.GroupTranslation
	// Group is a group of people in which membership can be verified.
	Group = catalogue.Group
)

// The types of attributes.
const (
	String  = catalogue.String
	Integer = catalogue.Integer
	Date    = catalogue.Date
	Boolean = catalogue.Boolean
	Strings = catalogue.Strings
	Object  = catalogue.Object
	Objects = catalogue.Objects
)

// DefaultScopes are the scopes in force while Config.Scopes is empty.
func DefaultScopes() []Scope { return catalogue.DefaultScopes() }

// StandardScopes are the scopes of OpenID Connect Core section 5.4: profile, email, address
// and phone. DefaultScopes include them.
func StandardScopes() []Scope { return catalogue.StandardScopes() }

// DefaultGroups are the groups in force while Config.Groups is empty.
func DefaultGroups() []Group { return catalogue.DefaultGroups() }

// Requirement is a condition on the authentication of a user: of a scope (Scope.Requires)
// or of an application (Client.Requires). All that apply must be met, and so must those of
// the request, by any factors that suffice. In JSON its times are text such as "15m".
type Requirement = storage.Requirement

// maxRequired is the longest time of a requirement.
const maxRequired = 10 * 365 * 24 * time.Hour

// checkRequirement returns an error for an invalid requirement in a field.
func checkRequirement(field string, r Requirement) error {
	switch {
	case r.Assurance > PhishingResistant:
		return wrongField(field+".Assurance", "%d is no level", r.Assurance)
	case r.MaxAge < 0 || r.MaxAge > maxRequired:
		return wrongField(field+".MaxAge", "%v is not from 0 to %v", r.MaxAge, maxRequired)
	case r.MaxAge%time.Second != 0:
		return wrongField(field+".MaxAge", "%v is not in whole seconds", r.MaxAge)
	case r.Enrolled < 0 || r.Enrolled > maxRequired:
		return wrongField(field+".Enrolled", "%v is not from 0 to %v", r.Enrolled, maxRequired)
	}
	return nil
}

// maxClass is the maximum length of the name of a class of authentication.
const maxClass = 255

// classes returns the classes of authentication: how well users can sign in, and the names
// for it.
func (c Config) classes() authorization.Classes {
	others := map[string]assurance.Requirement{}
	for name, required := range c.SignIn.Classes {
		others[name] = assurance.Required(required)
	}
	return authorization.Classes{Highest: c.highestAssurance(), Others: others}
}

// highestAssurance is the highest level that a sign-in can reach.
func (c Config) highestAssurance() Assurance {
	switch {
	case c.Sandbox: // by a persona
		return PhishingResistant
	case !c.hasAccounts() && c.Users.Assurance == AnyAssurance:
		return TwoFactors
	case !c.hasAccounts():
		return c.Users.Assurance
	case c.rpID() != "":
		return PhishingResistant
	case !c.SignIn.TOTP.Off:
		return TwoFactors
	default:
		return OneFactor
	}
}

// validateReachable returns an error if no user can meet a requirement.
func (c Config) validateReachable(field string, r Requirement) error {
	if highest := c.highestAssurance(); r.Assurance > highest {
		return wrongField(field+".Assurance", "nobody can reach %s: the highest level is %s", r.Assurance, highest)
	}
	return nil
}

// validateClasses returns an error for the first invalid class.
func (s SignIn) validateClasses() error {
	for _, name := range slices.Sorted(maps.Keys(s.Classes)) {
		field := "SignIn.Classes[" + name + "]"
		if name == "" || len(name) > maxClass || !registry.IsPrintableASCII(name) {
			return wrongField(field, "a name has 1 to %d printable ASCII characters, without spaces", maxClass)
		}
		if err := checkRequirement(field, s.Classes[name]); err != nil {
			return err
		}
	}
	return nil
}

// has returns what an account can present, as far as this provider takes it.
func (p *Provider) has(ctx context.Context, account storage.Account) (assurance.Has, error) {
	set, err := p.store.Authenticators(ctx, account.ID)
	if err != nil {
		return assurance.Has{}, fmt.Errorf("read authenticators: %w", err)
	}
	set.Passkeys = slices.DeleteFunc(slices.Clone(set.Passkeys), func(k storage.Passkey) bool { return k.RPID != p.cfg.rpID() })
	return assurance.Of(set), nil
}
