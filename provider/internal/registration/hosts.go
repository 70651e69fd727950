package registration

import (
	"net/url"
	"slices"
	"strings"
)

// IsHostPattern reports whether a text is a host in lower case, such as app.example, or *. and one,
// for all hosts below it.
func IsHostPattern(pattern string) bool {
	host := strings.TrimPrefix(pattern, "*.")
	u, err := url.Parse("https://" + host)
	return err == nil && host != "" && u.Hostname() == host && u.Port() == "" && host == strings.ToLower(host) && !strings.ContainsAny(host, "*@")
}

// MatchesHost reports whether a host is that of one of some patterns.
func MatchesHost(patterns []string, host string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if domain, below := strings.CutPrefix(pattern, "*"); below {
			return len(host) > len(domain) && strings.HasSuffix(host, domain)
		}
		return pattern == host
	})
}

// ReversedHost returns the labels of a host in reverse order, as the scheme of an app has them (RFC
// 8252 section 7.1).
func ReversedHost(host string) string {
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// OnDevice reports whether one of some redirect URIs leads to a program on the user's device, and
// not to a page.
func OnDevice(redirectURIs []string) bool {
	return slices.ContainsFunc(redirectURIs, func(uri string) bool { return !strings.HasPrefix(uri, "https://") })
}
