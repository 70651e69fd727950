package engine

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
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
}

// Host names where a resource is: the host of an address of the web, the URI of any other.
func (r *Resource) Host() string {
	if u, err := url.Parse(r.URI); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return u.Host
	}
	return r.URI
}

// resourceParameters name resources. The second is what clients of other providers send
// for the same; it names a resource or nothing.
var resourceParameters = []string{"resource", "audience"}

// Resource returns the resource with this URI, or nil.
func (e *Engine) Resource(uri string) *Resource {
	i := slices.IndexFunc(e.Resources, func(r Resource) bool { return r.URI == uri })
	if i < 0 {
		return nil
	}
	return &e.Resources[i]
}

// resourceMeant returns the resource that a parameter names, or nil. URIs are compared
// character by character, but for the slash that RFC 3986 section 6.2.3 has an empty path
// equal to, and which libraries add.
func (e *Engine) resourceMeant(sent string) *Resource {
	if r := e.Resource(sent); r != nil {
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
	return e.Resource(sent)
}

var errTarget = protocol.Fail(protocol.InvalidTarget, "The resource is unknown, or this application may not ask for it.")

// namedResources returns the URIs of the resources that a request names, each once; nil
// when it names none.
func (e *Engine) namedResources(form url.Values, c *Client) (uris []string, err error) {
	for _, parameter := range resourceParameters {
		for _, sent := range form[parameter] {
			found := e.resourceMeant(sent)
			switch {
			case found == nil:
				return nil, errTarget.Because(diagnosis.ResourceUnknown, "resource", diagnosis.Address(sent))
			case !c.AllowsResource(found.URI):
				return nil, errTarget.Because(diagnosis.ResourceNotAllowed, "resource", diagnosis.Address(sent),
					"registered", strings.Join(c.Client.Resources, " "))
			case !slices.Contains(uris, found.URI):
				uris = append(uris, found.URI)
			}
		}
	}
	return uris, nil
}

// askForTheirs has a request that names resources and no scope ask for all that means
// something to them (RFC 6749 section 3.3): clients of the Model Context Protocol leave the
// choice to the server.
func (e *Engine) askForTheirs(r *AuthorizeRequest) {
	if len(r.asked) > 0 || r.Client.Dialect.SingleScope {
		return
	}
	for _, uri := range r.Resources {
		for _, scope := range e.Resource(uri).Scopes {
			if allows(r.Client.Scopes, scope) && !slices.Contains(r.asked, scope) {
				r.asked = append(r.asked, scope)
			}
		}
	}
	r.Scopes = r.asked
}

// narrowedResources returns the resources that a token request names, of those that its
// grant is for; nil when it names none. What the user was not asked about is no token's:
// otherwise a code would be good for any API.
func (e *Engine) narrowedResources(form url.Values, c *Client, granted []string) ([]string, error) {
	named, err := e.namedResources(form, c)
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

// AllowsResource reports whether the client may still ask for tokens for a resource.
func (c *Client) AllowsResource(uri string) bool {
	return len(c.Client.Resources) == 0 || slices.Contains(c.Client.Resources, uri)
}

// standing returns which of the resources of a token there still are, and are still
// allowed to its client.
func (e *Engine) standing(uris []string, c *Client) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool { return e.Resource(uri) == nil || !c.AllowsResource(uri) })
}

// meaningful returns which scopes mean something to any of these resources, which need not
// learn what else an application may do.
func (e *Engine) meaningful(scopes, uris []string) []string {
	known := []string{}
	for _, uri := range uris {
		of := e.Resource(uri)
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

// introspectable returns which of these resources a client may ask about.
func (e *Engine) introspectable(uris []string, clientID string) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		of := e.Resource(uri)
		return of == nil || !slices.Contains(of.Introspectors, clientID)
	})
}
