package registry

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Addresses decides which addresses of applications, and of the provider itself, are
// accepted. The zero value is the rule of production.
type Addresses struct {
	// PrivateHTTP allows http to hosts that only a private network has.
	PrivateHTTP bool

	// Schemes are private-use schemes that are accepted without being a domain in reverse
	// order (RFC 8252 section 7.1).
	Schemes []string
}

// AllowsHTTP reports whether what is sent to a host may go unencrypted.
func (a Addresses) AllowsHTTP(host string) bool {
	return IsLoopback(host) || a.PrivateHTTP && isPrivate(host)
}

// ValidateOrigin reports why an origin cannot be one of a script, or nil; it accepts what
// browsers send (RFC 6454 section 6.2).
func (a Addresses) ValidateOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != s || s != strings.ToLower(s) || strings.Contains(s, "*") {
		return errors.New("is not an origin such as https://app.example.com")
	}
	if !HasPlainPort(u) || IsDefaultPort(u) {
		return errors.New("has a port that no browser sends: they leave out that of the scheme")
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && a.AllowsHTTP(u.Hostname())) {
		return errors.New("must be https; http is allowed for localhost and loopback addresses only")
	}
	return nil
}

// IsDefaultPort reports whether an address names the port that its scheme has anyway.
func IsDefaultPort(u *url.URL) bool {
	return u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80"
}

// IsLoopback reports whether a host is this machine, as browsers take it.
func IsLoopback(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || isLoopbackIP(host)
}

func isLoopbackIP(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() && addr.Zone() == ""
}

// privateDomains are where names end that no public name server answers (RFC 6761, RFC
// 6762, RFC 8375, and .internal, which ICANN has reserved).
var privateDomains = []string{".test", ".local", ".internal", ".home.arpa"}

// isPrivate reports whether a host is one of a private network: an address that is not
// routed, a name of one label, such as that of a container, or one in a domain that the
// public does not have.
func isPrivate(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == "" && (addr.IsPrivate() || addr.IsLinkLocalUnicast())
	}
	if !strings.Contains(host, ".") {
		// Browsers read a number as an address: 134744072 is 8.8.8.8.
		return strings.ContainsFunc(host, isLetter) && !strings.HasPrefix(strings.ToLower(host), "0x")
	}
	return slices.ContainsFunc(privateDomains, func(domain string) bool { return strings.HasSuffix(host, domain) })
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
