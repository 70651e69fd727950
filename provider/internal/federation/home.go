package federation

import (
	"slices"
	"strings"
)

// realms are upstreams by the domains of the addresses that belong to them, those of their
// subdomains not among them. Somebody belongs to one by the domain of an address and nothing else:
// the answer is the same whether an account has the address or not, so that it tells nobody who
// has one.
type realms map[string][]Upstream

// realmsOf returns those of upstreams that are offered. Domains that CheckRealm refuses are left out.
func realmsOf(offered []Upstream) realms {
	made := realms{}
	for _, one := range offered {
		for _, domain := range one.Domains {
			if CheckRealm(domain) == nil {
				key, _ := realm(domain)
				made[key] = append(made[key], one)
			}
		}
	}
	return made
}

// HasHomes reports whether users of an application may belong to an upstream by the domain of
// their address; empty for the provider's own pages.
func (u *Upstreams) HasHomes(clientID string) bool {
	return slices.ContainsFunc(u.Offered, func(one Upstream) bool { return len(one.Domains) > 0 && one.IsFor(clientID) })
}

// Home returns the upstream to which an e-mail address belongs by its domain, whether or not an
// account has it, and what it may make use of.
func (u *Upstreams) Home(email, clientID string) (one Upstream, hints Hints, ok bool) {
	hints = Hints{Email: email, Domain: domainOf(email)}
	if strings.LastIndexByte(email, '@') > 0 {
		one, ok = u.HomeOf(hints.Domain, clientID)
	}
	return one, hints, ok
}

// HomeOf returns the upstream to which a domain belongs. Of two that have it for the same
// application, the first counts.
func (u *Upstreams) HomeOf(domain, clientID string) (Upstream, bool) {
	key, _ := realm(domain)
	i := slices.IndexFunc(u.realms[key], func(one Upstream) bool { return one.IsFor(clientID) })
	if i < 0 {
		return Upstream{}, false
	}
	return u.realms[key][i], true
}
