package outbound

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ErrForbiddenAddress means that the provider does not call an address.
var ErrForbiddenAddress = errors.New("the address may not be called")

// maxURL is the maximum length of a URL in bytes.
const maxURL = 2048

// ValidateURL returns nil for a URL that an application may register for calls by the
// provider. The scheme is https or, with allowPrivate and on a loopback host, http. It does
// not resolve the host: each call checks the resolved address.
func ValidateURL(address string, allowPrivate bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Opaque != "" || len(address) > maxURL {
		return errors.New("is not an absolute address of at most 2048 bytes")
	}
	host := u.Hostname()
	switch {
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("has a character that is not of printable ASCII")
	case u.User != nil:
		return errors.New("has a user name")
	case strings.Contains(address, "#"):
		return errors.New("has a fragment")
	case !hasPlainPort(u):
		return errors.New("has a port other than 1 to 65535")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("is not https")
	case u.Scheme == "http" && !(allowPrivate && isLoopback(host)):
		return errors.New("is not https; http is for the machine itself only, where private networks are allowed")
	case isLoopback(host) && !allowPrivate:
		return errors.New("is on the machine itself, where nothing is called")
	}
	literal, err := netip.ParseAddr(host)
	switch {
	case err == nil && !allowed(literal, allowPrivate):
		return errors.New("is an address that is not of the public internet")
	case err != nil && EndsInNumber(host):
		return errors.New("has a number for a host, which some read as an address; write it in full")
	}
	return nil
}

// EndsInNumber reports whether browsers and resolvers may read a host as an IPv4 address:
// 127.1 and 2130706433 are 127.0.0.1 (WHATWG URL section 3.5).
func EndsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

func hasPlainPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}

// isLoopback reports whether a host is a name or address of the machine itself.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	literal, err := netip.ParseAddr(host)
	return err == nil && literal.Unmap().IsLoopback()
}

var (
	// global is the range of global unicast addresses of IPv6.
	global = netip.MustParsePrefix("2000::/3")
	// nat64 embeds IPv4 addresses for networks that have IPv6 only (RFC 6052).
	nat64 = netip.MustParsePrefix("64:ff9b::/96")

	// private are the networks that Options.AllowPrivate allows.
	private = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

	// forbidden are never called: special-purpose addresses of the IANA registries, tunnels
	// that embed an IPv4 address, and the metadata services of clouds, which serve the
	// credentials of a machine.
	forbidden = prefixes(
		"0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
		"100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::254/128",
	)
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// allowed reports whether the client may connect to an address.
func allowed(a netip.Addr, allowPrivate bool) bool {
	a = a.Unmap()
	if a.Zone() != "" {
		return false // a zone belongs to a local link
	}
	if nat64.Contains(a) {
		bytes := a.As16()
		a = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	switch {
	case in(forbidden, a):
		return false
	case in(private, a):
		return allowPrivate
	default:
		return a.Is4() || global.Contains(a)
	}
}

func in(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}
