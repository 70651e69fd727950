package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

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
	case !c.SignIn.Passkeys.Off:
		return PhishingResistant
	case !c.SignIn.TOTP.Off:
		return TwoFactors
	default:
		return OneFactor
	}
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
	has := assurance.Of(set)
	has.Passkey = has.Passkey && !p.cfg.SignIn.Passkeys.Off
	return has, nil
}
