package ratelimit

import (
	"net/http"
	"net/netip"
	"strings"
)

const (
	// maxHops is how many forwarding proxies are followed.
	maxHops = 16
	// maxHopSize is longer than any address with a port. A zone could be endless,
	// and the standard library keeps one copy of each.
	maxHopSize = 64
)

// ClientAddr returns the network address that a request comes from: that of the
// peer or, when that is one of the trusted proxies, the last address in
// X-Forwarded-For that is not. Everything left of it is what the client itself may
// have written. The header is not read when the peer is not trusted, and no other
// header ever is.
//
// When an entry is no address, or there are more than 16, the result is the nearest
// trusted proxy found before it. The result is never an IPv4-mapped IPv6
// address and has no zone. It is the zero Addr when the peer has no address, as on a
// Unix socket.
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
	for _, p := range prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// Network returns the network of an address in CIDR notation, coarse enough to be
// shown and kept: 24 bits of IPv4, 48 of IPv6. It is empty for the zero Addr.
func Network(addr netip.Addr) string { return prefix(addr, 24, 48) }

// network is what is counted as one address, and how many times the limit of an
// address it has.
type network struct {
	prefix string
	size   int
}

// networks returns those that an address is counted in, the smallest first: itself
// for IPv4, which a household or a campus has one of. A subscriber of IPv6 has a
// network of 64 bits at least and of 48 at most, with 65,536 of the others in it: it
// counts as one, and ten of those that it has together use up the larger one. That is
// checked last, so that nobody uses it up from one of 64 bits.
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
