package provider

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Resource is a further API, such as an MCP server, for which applications can request
// access tokens (RFC 8707). Such a token is accepted nowhere else, not even by the
// provider's own endpoints.
type Resource struct {
	// URI identifies the resource: in its metadata (RFC 9728), in the parameter resource of
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
		}
		seen[bare] = true
		for j, s := range r.Scopes {
			if !known.Known(s) {
				return in(fmt.Sprintf("Scopes[%d]", j), fmt.Errorf("%q is not a scope of the catalogue", s))
			}
		}
		for j, id := range r.Introspectors {
			if !claims.IsName(id) {
				return in(fmt.Sprintf("Introspectors[%d]", j), fmt.Errorf("%q is no client_id", id))
			}
		}
	}
	return nil
}

// validateResourceURI accepts a URI by RFC 8707 section 2 that has a host: no client_id has
// a slash, so that an access token for a resource cannot pass for a client's ID token.
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
func (c Config) engineResources() []registry.Resource {
	resources := make([]registry.Resource, len(c.Resources))
	for i, r := range c.Resources {
		resources[i] = registry.Resource(r)
		if r.Name == "" {
			resources[i].Name = resources[i].Host()
		}
	}
	return resources
}
