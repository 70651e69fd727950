// Package federation takes people to upstream providers and back: the attempt that their
// browser carries there, and the identity that they come back with. Whose identity that is
// here, and what becomes of it, is for the pages that ask.
package federation

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Upstream is an upstream provider that is offered.
type Upstream struct {
	ID, Title string
	Mark      ui.UpstreamMark
	Logo      ui.Picture
	Connector upstream.Connector

	// Domains are those of the addresses whose owners are sent here, in lower case.
	Domains []string

	// AuthoritativeFor are the domains, in lower case, of which a verified address is proof.
	AuthoritativeFor []string

	// Classes are what an authentication of a class there is worth here, beyond one factor.
	Classes map[string]storage.Assurance

	// Groups returns the memberships that the upstream vouches for; nil for none.
	Groups func(upstream.Identity) []storage.Status

	// LinkByEmail links an account by its address alone, SignsUp creates accounts.
	LinkByEmail, SignsUp bool

	// Clients are the applications for which it is offered; none for all.
	Clients []string
}

// Upstreams are the upstream providers that are offered.
type Upstreams struct {
	Options

	realms realms
}

// Options are the dependencies of Upstreams.
type Options struct {
	Site    *web.Site
	Offered []Upstream

	// HTTP calls upstreams.
	HTTP *http.Client

	// Key is that of the digests of identities.
	Key []byte

	Store interface {
		UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error
	}
	Clock func() time.Time
}

// New returns the upstreams.
func New(o Options) *Upstreams { return &Upstreams{o, realmsOf(o.Offered)} }

// ByID returns an upstream that is offered.
func (u *Upstreams) ByID(id string) (Upstream, bool) {
	i := slices.IndexFunc(u.Offered, func(one Upstream) bool { return one.ID == id })
	if i < 0 {
		return Upstream{}, false
	}
	return u.Offered[i], true
}

// For returns the upstreams that are offered for an application; empty for the provider's own
// pages.
func (u *Upstreams) For(clientID string) []Upstream {
	var offered []Upstream
	for _, one := range u.Offered {
		if one.IsFor(clientID) {
			offered = append(offered, one)
		}
	}
	return offered
}

// IsFor reports whether an upstream is offered for an application; empty for the provider's
// own pages.
func (one Upstream) IsFor(clientID string) bool {
	return clientID == "" || len(one.Clients) == 0 || slices.Contains(one.Clients, clientID)
}

// Usable returns the links by which somebody can still sign in: the others are of upstreams
// that are no longer offered.
func (u *Upstreams) Usable(links []storage.Link) []storage.Link {
	return slices.DeleteFunc(slices.Clone(links), func(l storage.Link) bool {
		_, offered := u.ByID(l.Upstream)
		return !offered
	})
}

// Of returns the upstreams of links.
func (u *Upstreams) Of(links []storage.Link) []Upstream {
	var offered []Upstream
	for _, one := range u.Offered {
		if slices.ContainsFunc(links, func(l storage.Link) bool { return l.Upstream == one.ID }) {
			offered = append(offered, one)
		}
	}
	return offered
}

// Button is what leads to an upstream, by a form that is posted to an address.
func (one Upstream) Button(address string) ui.UpstreamButton {
	return ui.UpstreamButton{ID: one.ID, Title: one.Title, Mark: one.Mark, Logo: one.Logo, URL: address}
}

// Title returns what people call an upstream; its ID if it is no longer offered.
func (u *Upstreams) Title(id string) string {
	if one, ok := u.ByID(id); ok {
		return one.Title
	}
	return id
}

// Path is the path at which people leave for an upstream, and CallbackPath the one at which
// they come back.
func Path(id string) string { return "/signin/with/" + id }

// CallbackPath is the path of the redirect URI of an upstream.
func CallbackPath(id string) string { return Path(id) + "/callback" }

// Vouches reports whether the address of an identity is proved: the upstream has verified it,
// and is the one that gives out the addresses of its domain.
func (one Upstream) Vouches(who upstream.Identity) bool {
	return who.EmailVerified && (who.Authoritative || slices.Contains(one.AuthoritativeFor, domainOf(who.Email)))
}

// domainOf is the domain of an address, in lower case.
func domainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}

// Worth is what an authentication there is worth beyond one factor; zero for nothing.
func (one Upstream) Worth(who upstream.Identity) storage.Assurance {
	if level := one.Classes[who.ACR]; who.ACR != "" && level > storage.OneFactor {
		return level
	}
	return storage.AnyAssurance
}

// ClassesFor are the classes there that reach a level, the strongest first, to be asked for.
func (one Upstream) ClassesFor(level storage.Assurance) []string {
	var names []string
	for name, worth := range one.Classes {
		if level > storage.OneFactor && worth >= level {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if by := int(one.Classes[b]) - int(one.Classes[a]); by != 0 {
			return by
		}
		return strings.Compare(a, b)
	})
	return names
}
