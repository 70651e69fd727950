package reference

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/widget"
)

// Installation is what differs from one provider to the next.
type Installation struct {
	// Installation is production.
	room.Installation[provider.Lifetimes, provider.Resource]

	// SandboxURL is the base URL of the sandbox.
	// Defaults to no sandbox.
	SandboxURL string

	// Button is where the script of the sign-in button is.
	Button widget.Script
}

// handles returns the handles that any scope releases, in the order of the attributes,
// and eid, which the application brings itself.
func (i Installation) handles() []catalogue.Attribute {
	return slices.DeleteFunc(slices.Clone(i.Attributes), func(a catalogue.Attribute) bool {
		return a.Handle != "eid" && !i.releases(a.Handle)
	})
}

// releases reports whether any scope releases an attribute.
func (i Installation) releases(handle string) bool {
	return slices.ContainsFunc(i.Scopes, func(s catalogue.Scope) bool { return slices.Contains(s.Attributes, handle) })
}

// exampleScope is a scope value for examples: the first that releases a group, or the
// first.
func (i Installation) exampleScope() string {
	for _, s := range i.Scopes {
		if len(s.Groups) > 0 {
			return s.Name
		}
	}
	if len(i.Scopes) > 0 {
		return i.Scopes[0].Name
	}
	return "openid"
}

// Document is the reference.
type Document struct {
	Installation

	// Endpoints are the addresses that applications ask.
	Endpoints []Endpoint

	// Everywhere are the errors of every endpoint that answers with JSON.
	Everywhere []Error

	// Pages are the errors that the user reads, and the application is not told.
	Pages []PageError

	// Payloads are the JSON objects that endpoints answer with.
	Payloads []Payload

	// Limits are the bounds of what may be sent and kept.
	Limits []Limit

	// Differences are what sets the two dialects apart.
	Differences []Difference
}

// New returns the reference of an installation.
func New(i Installation) *Document {
	i.Name = strings.Join(strings.Fields(i.Name), " ")
	endpoints := []Endpoint{discovery(), keySet(), authorization(i), pushing(i)}
	if i.Devices {
		endpoints = append(endpoints, deviceAuthorization(i))
	}
	if i.RegistersByToken {
		endpoints = append(endpoints, registering(i.Registers), clientConfiguration())
	}
	if i.Streams {
		endpoints = append(endpoints, streams()...)
	}
	if len(i.Credentials) > 0 {
		endpoints = append(endpoints, ofWallets()...)
	}
	return &Document{
		Installation: i,
		Endpoints:    append(endpoints, token(i), revocation(), introspection(), userinfo(), attributes(), signOut(), button()),
		Everywhere:   everywhere(),
		Pages:        pages(),
		Payloads:     payloads(i),
		Limits:       limits(i),
		Differences:  differences(),
	}
}
