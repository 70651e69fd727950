package ratelimit

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

const (
	// maxHops is the maximum number of entries that are read.
	maxHops = 16
	// maxHopSize exceeds any address with a port. A zone has no maximum length, and the
	// standard library keeps a copy of each.
	maxHopSize = 64
)

// ClientAddr returns the network address of the client: that of the peer or, if the
// peer is a trusted proxy, the last address in X-Forwarded-For that is not a trusted
// proxy. The client may have written everything to the left of it. If the peer is not
// trusted, the header is ignored; other headers always are.
//
// At an entry that is no address, and after 16 entries, the result is the last trusted
// proxy before it. The result has no zone and is never an IPv4-mapped IPv6 address. It is
// the zero Addr if the peer has no address, as on a Unix socket.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	addr, ok := parseHop(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for range maxHops {
		if !contains(trusted, addr) {
			break
		}
		comma := strings.LastIndexByte(forwarded, ',')
		hop, ok := parseHop(forwarded[comma+1:])
		if !ok {
			break
		}
		addr = hop
		forwarded = forwarded[:max(comma, 0)]
	}
	return addr
}

// Ignored reports whether a request has an X-Forwarded-For that ClientAddr ignores.
func Ignored(r *http.Request, trusted []netip.Prefix) bool {
	if len(r.Header["X-Forwarded-For"]) == 0 {
		return false
	}
	peer, ok := parseHop(r.RemoteAddr)
	return ok && !contains(trusted, peer)
}

// Unsaid reports whether a trusted proxy sends a form without an X-Forwarded-For. Its own looks at
// whether the service is alive are no forms.
func Unsaid(r *http.Request, trusted []netip.Prefix) bool {
	if len(trusted) == 0 || r.Method != http.MethodPost || len(r.Header["X-Forwarded-For"]) > 0 {
		return false
	}
	peer, ok := parseHop(r.RemoteAddr)
	return ok && contains(trusted, peer)
}

// parseHop reads an address with or without a port, as proxies write it.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.Trim(s, " \t")
	if len(s) > maxHopSize {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		withPort, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = withPort.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// Network returns the network of an address in CIDR notation, coarse enough to display and
// store: 24 bits of IPv4, 48 of IPv6. It is empty for the zero Addr.
func Network(addr netip.Addr) string { return prefix(addr, 24, 48) }

// network is a network that counts as one address, and the factor of its limit.
type network struct {
	prefix string
	size   int
}

// networks returns the networks in which an address counts, the smallest first. For IPv4
// that is the address itself: a household or a campus has one. A subscriber of IPv6 has
// between one network of 64 bits and one of 48 bits, which holds 65,536 of those. The
// larger one has ten times the limit and is checked last, so that no single network of 64
// bits uses it up.
func networks(addr netip.Addr) []network {
	all := []network{{prefix(addr, 32, 64), 1}}
	if addr.IsValid() && !addr.Unmap().Is4() {
		all = append(all, network{prefix(addr, 32, 48), 10})
	}
	return all
}

func prefix(addr netip.Addr, bits4, bits6 int) string {
	addr = addr.Unmap()
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, err := addr.Prefix(bits)
	if err != nil || !p.IsValid() {
		return ""
	}
	return p.String()
}
