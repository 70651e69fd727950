package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Requirement is a condition on the authentication of a user: of a scope (Scope.Requires)
// or of an application (Client.Requires). All that apply must be met, and so must those of
// the request, by any factors that suffice. In JSON its times are text such as "15m".
// Its fields: go doc storage.Requirement
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
		field := fmt.Sprintf("SignIn.Classes[%q]", name)
		if name == "" || len(name) > maxClass || !registry.IsPrintableASCII(name) {
			return wrongField(field, "a name has 1 to %d printable ASCII characters, without spaces", maxClass)
		}
		if authorization.IsWord(name) {
			return wrongField(field, "is the name of a level")
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
	set.Links = slices.DeleteFunc(slices.Clone(set.Links), func(l storage.Link) bool {
		return !slices.ContainsFunc(p.cfg.Upstreams, func(u Upstream) bool { return u.ID == l.Upstream })
	})
	return assurance.Of(set), nil
}

// Resource is a further API, such as an MCP server, for which applications can request
// access tokens (RFC 8707). Such a token is accepted nowhere else, not even by the
// provider's own endpoints.
type Resource struct {
	// URI identifies the resource: in its metadata (RFC 9728), as the parameter resource of
	// applications, and as aud of its tokens. It is an address with a host and without a
	// fragment, at most 255 printable ASCII characters. It is compared character by
	// character, except that a slash after a host without a path makes no difference.
	URI string `json:"uri"`

	// Name is shown on the consent screen beside the host of the URI, at most 120 bytes.
	// Defaults to the host.
	Name string `json:"name,omitempty"`

	// Scopes are the scope values that the resource understands; tokens for it carry no
	// others. They are from the catalogue; a scope without attributes and groups releases
	// no claims, and the consent screen shows its title.
	// Defaults to all.
	Scopes []string `json:"scopes,omitempty"`

	// Introspectors are the client IDs of the resource itself: confidential applications
	// that may introspect its tokens.
	// Defaults to none.
	Introspectors []string `json:"introspectors,omitempty"`

	// Clients are the client IDs of the only applications that may request tokens for it. The
	// dashboard offers it to nobody then.
	// Defaults to all.
	Clients []string `json:"clients,omitempty"`

	// SigningAlgorithm is that of its access tokens that are JWTs (Client.AccessTokenFormat),
	// one of Signing.Algorithms. A token for several has one signature: a request for resources
	// whose algorithms differ is invalid_target.
	// Defaults to RS256.
	SigningAlgorithm string `json:"signing_algorithm,omitempty"`

	// ExchangesTo are the URIs of other resources that this one calls for a user, by token
	// exchange (RFC 8693). Its Introspectors, with that grant (Client.GrantTypes), get a token
	// for one of these in exchange for one for it. The user must have been asked about both,
	// and the new token has no more scopes; see docs/resources.md. New refuses the URI of no
	// other resource, and any without Introspectors.
	// Defaults to none.
	ExchangesTo []string `json:"exchanges_to,omitempty"`
}

// maxResourceURI is the maximum length of a URI in bytes; every token is stored with one.
const maxResourceURI = 255

// validateResources returns an error for the first invalid field of the resources.
func (c Config) validateResources(known *claims.Catalogue) error {
	if len(c.Resources) > 100 {
		return wrongField("Resources", "must be at most 100")
	}
	seen := map[string]bool{}
	for i, r := range c.Resources {
		in := func(field string, err error) error {
			return &FieldError{fmt.Sprintf("Resources[%d].%s", i, field), err}
		}
		err := validateResourceURI(r.URI)
		bare := withoutSlash(r.URI)
		switch {
		case err != nil:
			return in("URI", fmt.Errorf("%q %w", r.URI, err))
		case seen[bare]:
			return in("URI", fmt.Errorf("%q is there already", r.URI))
		case bare == withoutSlash(c.BaseURL) || bare == issuerOf(c.BaseURL):
			return in("URI", fmt.Errorf("%q is the provider itself", r.URI))
		case len(r.Name) > 120 || !web.IsPlainText(r.Name) || r.Name != "" && !web.IsVisible(r.Name):
			return in("Name", errors.New("must be at most 120 bytes of text that can be seen"))
		case !c.signsWith(r.SigningAlgorithm):
			return in("SigningAlgorithm", fmt.Errorf("%q is none of Signing.Algorithms: %s", r.SigningAlgorithm, strings.Join(c.Algorithms, ", ")))
		}
		seen[bare] = true
		for j, s := range r.Scopes {
			if !known.Known(s) && !protocol.IsOfPrograms(s) {
				return in(fmt.Sprintf("Scopes[%d]", j), fmt.Errorf("%q is not a scope of the catalogue", s))
			}
		}
		for _, list := range []struct {
			name string
			ids  []string
		}{{"Introspectors", r.Introspectors}, {"Clients", r.Clients}} {
			for j, id := range list.ids {
				if !claims.IsName(id) {
					return in(fmt.Sprintf("%s[%d]", list.name, j), fmt.Errorf("%q is no client_id", id))
				}
			}
		}
	}
	return c.validateExchanges()
}

// validateExchanges returns an error for the first resource that tokens cannot be exchanged for.
func (c Config) validateExchanges() error {
	for i, r := range c.Resources {
		field := fmt.Sprintf("Resources[%d].ExchangesTo", i)
		if len(r.ExchangesTo) > 0 && len(r.Introspectors) == 0 {
			return wrongField(field, "is for the Introspectors, of whom there are none")
		}
		for j, uri := range r.ExchangesTo {
			if uri == r.URI || !slices.ContainsFunc(c.Resources, func(other Resource) bool { return other.URI == uri }) {
				return wrongField(fmt.Sprintf("%s[%d]", field, j), "%q is the URI of no other resource", uri)
			}
		}
	}
	return nil
}

// validateResourceURI accepts a URI by RFC 8707 section 2 that has a host: no client_id is one,
// so that an access token for a resource cannot pass for a client's ID token. A registered
// client_id has no slash, and the address of a document is refused if it is a resource's.
func validateResourceURI(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" || u.Opaque != "":
		return errors.New("is not an absolute address with a host")
	case u.User != nil || slices.Contains([]byte(uri), '#'):
		return errors.New("must have no user name and no fragment")
	case len(uri) > maxResourceURI || !registry.IsPrintableASCII(uri):
		return fmt.Errorf("must be at most %d printable ASCII characters", maxResourceURI)
	default:
		return nil
	}
}

// withoutSlash returns a URI without a path that is only a slash.
func withoutSlash(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Path == "/" && u.RawQuery == "" && !u.ForceQuery {
		return uri[:len(uri)-1]
	}
	return uri
}

// engineResources returns the resources in the engine's form.
func (c Config) engineResources() registry.Resources {
	resources := make(registry.Resources, len(c.Resources))
	for i, r := range c.Resources {
		resources[i] = registry.Resource{
			URI: r.URI, Name: r.Name, Scopes: r.Scopes, Introspectors: r.Introspectors, Clients: r.Clients,
			SigningAlgorithm: r.SigningAlgorithm, ExchangesTo: r.ExchangesTo,
		}
		if r.Name == "" {
			resources[i].Name = resources[i].Host()
		}
	}
	if c.Credentials == nil {
		return resources
	}
	itself := registry.Resource{URI: issuerOf(c.BaseURL), Itself: true}
	for _, s := range c.Credentials.Scopes() {
		itself.Scopes = append(itself.Scopes, s.Name)
	}
	itself.Name = itself.Host()
	return append(resources, itself)
}
