package web

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// ValidateOrigin accepts an origin as browsers send it (RFC 6454 section 6.2).
func ValidateOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != s || s != strings.ToLower(s) || strings.Contains(s, "*") {
		return errors.New("is not an origin such as https://app.example.com")
	}
	if !engine.HasPlainPort(u) || IsDefaultPort(u) {
		return errors.New("has a port that no browser sends: they leave out that of the scheme")
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && IsLoopbackHost(u.Hostname())) {
		return errors.New("must be https; http is allowed for localhost only")
	}
	return nil
}

// IsDefaultPort reports whether an address names the port that its scheme has anyway.
func IsDefaultPort(u *url.URL) bool {
	return u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80"
}

// IsLoopbackHost reports whether a host is this machine, as browsers take it.
func IsLoopbackHost(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}

// IsLink reports whether s can be the target of a link: an http address, or a path
// that no browser takes for one of another host. A user name before the host would
// pass for the host (https://good.example@evil.example).
func IsLink(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, "\\\t\r\n ") {
		return false
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Host != "" && u.User == nil && engine.HasPlainPort(u)
	}
	return u.Scheme == "" && u.Host == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
}

// IsWebURL reports whether s is an http address that can be the target of a link.
func IsWebURL(s string) bool { return IsLink(s) && !strings.HasPrefix(s, "/") }

// IsHostPage reports whether parameters can be added to the address of a page of the
// host, return_to among them.
func IsHostPage(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.Contains(s, "#") {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	return err == nil && !query.Has("return_to")
}
