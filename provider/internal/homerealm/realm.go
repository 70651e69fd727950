// Package homerealm finds the upstream provider to which somebody belongs, by the domain of
// an e-mail address and nothing else. The answer is the same for every address of a domain,
// whether an account has it or not, so that it tells nobody who has one. It is pure.
package homerealm

import (
	"slices"
	"strings"
)

// Realm is an upstream provider with its domains.
type Realm struct {
	// Upstream is its ID.
	Upstream string

	// Domains are those of the addresses that belong to it, without their subdomains.
	Domains []string

	// Clients are the IDs of the applications whose users are sent there; none for all.
	Clients []string
}

// serves reports whether users of an application are sent there; the empty one stands for the
// provider's own pages.
func (r Realm) serves(client string) bool {
	return client == "" || len(r.Clients) == 0 || slices.Contains(r.Clients, client)
}

// Realms are those of a provider. The zero value is none.
type Realms struct {
	all      []Realm
	byDomain map[string][]int
}

// New returns the realms. Of two that have a domain for the same application, the first counts.
// Domains that Check refuses are left out.
func New(realms ...Realm) Realms {
	made := Realms{byDomain: map[string][]int{}}
	for _, r := range realms {
		if len(r.Domains) == 0 {
			continue
		}
		for _, domain := range r.Domains {
			if Check(domain) == nil {
				key, _ := key(domain)
				made.byDomain[key] = append(made.byDomain[key], len(made.all))
			}
		}
		made.all = append(made.all, r)
	}
	return made
}

// Any reports whether users of an application may belong to one.
func (r Realms) Any(client string) bool {
	return slices.ContainsFunc(r.all, func(one Realm) bool { return one.serves(client) })
}

// OfAddress returns the upstream of an e-mail address; empty for none.
func (r Realms) OfAddress(address, client string) string {
	local, domain := cutLast(address)
	if local == "" {
		return ""
	}
	return r.OfDomain(domain, client)
}

// OfDomain returns the upstream of a domain; empty for none.
func (r Realms) OfDomain(domain, client string) string {
	key, err := key(domain)
	if err != nil {
		return ""
	}
	for _, i := range r.byDomain[key] {
		if r.all[i].serves(client) {
			return r.all[i].Upstream
		}
	}
	return ""
}

// cutLast cuts an address at its last @, behind which mail is delivered.
func cutLast(address string) (local, domain string) {
	at := strings.LastIndexByte(address, '@')
	return address[:max(0, at)], address[at+1:]
}
