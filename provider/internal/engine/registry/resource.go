package registry

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Resource is an API beside the provider's own that access tokens can be for (RFC 8707
// section 1: a protected resource).
type Resource struct {
	// URI identifies it, and is the aud of its tokens.
	URI string

	// Name is what people read.
	Name string

	// Scopes are those that mean something to it, or none for all.
	Scopes []string

	// Introspectors are the clients that may ask about its tokens.
	Introspectors []string

	// Clients are the only ones that tokens for it are issued to, or none for all.
	Clients []string

	// SigningAlgorithm is that of tokens for it that are JWTs, or empty for RS256.
	SigningAlgorithm string

	// ExchangesTo are the URIs of the resources for whose tokens its introspectors exchange a
	// user's token for it.
	ExchangesTo []string

	// Itself reports that it is the provider, as the issuer of credentials: whoever asks for one
	// of its scopes has named it, whatever a registration says.
	Itself bool
}

// allows reports whether tokens for the resource may be a client's.
func (r *Resource) allows(c *Client) bool {
	return r.Itself || c.AllowsResource(r.URI) && (len(r.Clients) == 0 || slices.Contains(r.Clients, c.ID))
}

// Host names where a resource is: the host of an address of the web, the URI of any other.
func (r *Resource) Host() string {
	if u, err := url.Parse(r.URI); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return u.Host
	}
	return r.URI
}

// Resources are all that there are.
type Resources []Resource

// Find returns the resource with this URI, or nil.
func (all Resources) Find(uri string) *Resource {
	i := slices.IndexFunc(all, func(r Resource) bool { return r.URI == uri })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// meant returns the resource that a parameter names, or nil. URIs are compared
// character by character, but for the slash that RFC 3986 section 6.2.3 has an empty path
// equal to, and which libraries add.
func (all Resources) meant(sent string) *Resource {
	if r := all.Find(sent); r != nil {
		return r
	}
	if host, ok := strings.CutSuffix(sent, "/"); ok {
		sent = host
	} else {
		sent += "/"
	}
	u, err := url.Parse(sent)
	if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery {
		return nil
	}
	return all.Find(sent)
}

var errTarget = protocol.Fail(protocol.InvalidTarget, "The resource is unknown, or this application may not ask for it.")

// Named returns the URIs of the resources that a request names, each once; nil
// when it names none.
func (all Resources) Named(form url.Values, c *Client) (uris []string, err error) {
	for _, parameter := range input.ResourceParameters {
		for _, sent := range form[parameter] {
			found := all.meant(sent)
			switch {
			case found == nil:
				return nil, errTarget.Because(diagnosis.ResourceUnknown, "resource", diagnosis.Address(sent))
			case !found.allows(c):
				return nil, errTarget.Because(diagnosis.ResourceNotAllowed, "resource", diagnosis.Address(sent),
					"registered", strings.Join(c.Client.Resources, " "))
			case !slices.Contains(uris, found.URI):
				uris = append(uris, found.URI)
			}
		}
	}
	return uris, nil
}

// Beside returns which of these resources are not the provider itself, which nobody has to be
// asked about; nil for none.
func (all Resources) Beside(uris []string) []string {
	if i := all.itself(); i >= 0 {
		uris = slices.DeleteFunc(uris, func(uri string) bool { return uri == all[i].URI })
	}
	if len(uris) == 0 {
		return nil
	}
	return uris
}

// Granted returns the resources that tokens of a grant can be for: those that were named, and the
// provider itself if a scope means something to it.
func (all Resources) Granted(g storage.Grant) []string {
	if !slices.ContainsFunc(g.Scopes, all.IsItself) {
		return g.Resources
	}
	return append(slices.Clone(g.Resources), all[all.itself()].URI)
}

// IsItself reports whether a scope means something to the provider itself as the issuer of
// credentials.
func (all Resources) IsItself(scope string) bool {
	i := all.itself()
	return i >= 0 && slices.Contains(all[i].Scopes, scope)
}

// itself returns the place of the provider itself, or a negative number.
func (all Resources) itself() int {
	return slices.IndexFunc(all, func(r Resource) bool { return r.Itself })
}

// Narrowed returns the resources that a token request names, of those that its
// grant is for; nil when it names none. What the user was not asked about is no token's:
// otherwise a code would be good for any API.
func (all Resources) Narrowed(form url.Values, c *Client, granted []string) ([]string, error) {
	named, err := all.Named(form, c)
	if err != nil {
		return nil, err
	}
	for _, uri := range named {
		if !slices.Contains(granted, uri) {
			return nil, protocol.Fail(protocol.InvalidTarget, "Name only resources that the authorization request has named.").
				Because(diagnosis.ResourceWider, "resource", diagnosis.Address(uri), "allowed", strings.Join(granted, " "))
		}
	}
	return named, nil
}

// Standing returns which of the resources of a token there still are, and are still
// allowed to its client.
func (all Resources) Standing(uris []string, c *Client) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		found := all.Find(uri)
		return found == nil || !found.allows(c)
	})
}

// Meaningful returns which scopes mean something to any of these resources, which need not
// learn what else an application may do.
func (all Resources) Meaningful(scopes, uris []string) []string {
	known := []string{}
	for _, uri := range uris {
		of := all.Find(uri)
		if of == nil {
			continue
		}
		if len(of.Scopes) == 0 {
			return scopes
		}
		known = append(known, of.Scopes...)
	}
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return !slices.Contains(known, s) })
}

// Signing returns the algorithm of a JWT for all of these resources. A signature has one: what
// is for two that differ is for neither.
func (all Resources) Signing(uris []string) (alg string, err error) {
	for _, uri := range uris {
		of := all.Find(uri)
		if of == nil {
			continue
		}
		switch own := cmp.Or(of.SigningAlgorithm, keyring.RS256); alg {
		case "":
			alg = own
		case own:
		default:
			return "", protocol.Fail(protocol.InvalidTarget, "Name resources one by one: their tokens are signed with different algorithms.").
				Because(diagnosis.ResourceAlgorithms, "resource", diagnosis.Address(uri))
		}
	}
	return cmp.Or(alg, keyring.RS256), nil
}

// Introspectable returns which of these resources a client may ask about.
func (all Resources) Introspectable(uris []string, clientID string) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		of := all.Find(uri)
		return of == nil || !slices.Contains(of.Introspectors, clientID)
	})
}

// Exchange returns the one resource that a request names, of those for which any of these
// resources exchanges its tokens (RFC 8693 section 2.1).
func (all Resources) Exchange(form url.Values, c *Client, from []string) (string, error) {
	named, err := all.Named(form, c)
	switch {
	case err != nil:
		return "", err
	case len(named) != 1:
		return "", protocol.Fail(protocol.InvalidTarget, "Name exactly one resource.").Because(diagnosis.ParameterMissing, "parameter", "resource")
	}
	for _, uri := range from {
		if of := all.Find(uri); of != nil && slices.Contains(of.ExchangesTo, named[0]) {
			return named[0], nil
		}
	}
	return "", protocol.Fail(protocol.InvalidTarget, "Tokens for your API are not exchanged for tokens for this resource.").
		Because(diagnosis.ResourceNotExchanged, "resource", diagnosis.Address(named[0]), "from", strings.Join(from, " "))
}

// Exchanging reports whether tokens for any resource are exchanged.
func (all Resources) Exchanging() bool {
	return slices.ContainsFunc(all, func(r Resource) bool { return len(r.ExchangesTo) > 0 })
}
