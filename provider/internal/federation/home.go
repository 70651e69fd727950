package federation

import "github.com/bonafide-id/bonafide/provider/internal/homerealm"

// realms are the domains of the upstreams that are offered.
func realms(offered []Upstream) homerealm.Realms {
	var all []homerealm.Realm
	for _, one := range offered {
		all = append(all, homerealm.Realm{Upstream: one.ID, Domains: one.Domains, Clients: one.Clients})
	}
	return homerealm.New(all...)
}

// HasHomes reports whether users of an application may belong to an upstream by the domain of
// their address; empty for the provider's own pages.
func (u *Upstreams) HasHomes(clientID string) bool { return u.realms.Any(clientID) }

// Home returns the upstream to which an e-mail address belongs by its domain, whether or not an
// account has it, and what it may make use of.
func (u *Upstreams) Home(email, clientID string) (Upstream, Hints, bool) {
	one, ok := u.ByID(u.realms.OfAddress(email, clientID))
	return one, Hints{Email: email, Domain: domainOf(email)}, ok
}

// HomeOf returns the upstream to which a domain belongs.
func (u *Upstreams) HomeOf(domain, clientID string) (Upstream, bool) {
	return u.ByID(u.realms.OfDomain(domain, clientID))
}
