package outbound

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ErrForbiddenAddress says that an address may not be called.
var ErrForbiddenAddress = errors.New("the address may not be called")

// maxURL is how many bytes an address may have.
const maxURL = 2048

// ValidateURL returns why an address cannot be registered as one that the provider calls,
// or nil. It must be https; with allowPrivate also http on a loopback host. What a name
// resolves to is not looked at: that is decided with every call.
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
	case err != nil && endsInNumber(host):
		return errors.New("has a number for a host, which some read as an address; write it in full")
	}
	return nil
}

// endsInNumber reports whether browsers and resolvers may take a host for an address of IPv4:
// 127.1 and 2130706433 are 127.0.0.1 (WHATWG URL section 3.5).
func endsInNumber(host string) bool {
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

// isLoopback reports whether a host is named as the machine itself.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	literal, err := netip.ParseAddr(host)
	return err == nil && literal.Unmap().IsLoopback()
}

var (
	// global is where addresses of IPv6 begin that are routed on the internet.
	global = netip.MustParsePrefix("2000::/3")
	// nat64 holds addresses of IPv4, as a network with IPv6 only reaches them.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")

	// private are networks that a host may allow.
	private = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

	// forbidden are never called: what is no host of the internet by the registries of
	// IANA for special purposes, tunnels that carry an address of IPv4 within, and where
	// clouds serve the credentials of a machine, even among private addresses.
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

// allowed reports whether an address may be dialled.
func allowed(a netip.Addr, allowPrivate bool) bool {
	a = a.Unmap()
	if a.Zone() != "" {
		return false // a zone is of a link
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
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
