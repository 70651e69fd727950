package storage

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// DeviceHost is the host under which programs on a user's device are listed that have registered
// themselves.
const DeviceHost = "localhost"

// Hosts returns the sorted hosts of a client, in lower case and without port: those of its
// redirect URIs and, for one that nobody has registered, that of its document and those that its
// schemes are in reverse order.
func (c Client) Hosts() []string {
	var hosts []string
	if c.Origin == OriginDocument {
		hosts = append(hosts, hostOf(c.ID))
	}
	for _, uri := range c.RedirectURIs {
		host := hostOf(uri)
		if scheme, _, _ := strings.Cut(uri, ":"); host == "" && c.Origin != "" {
			labels := strings.Split(strings.ToLower(scheme), ".")
			slices.Reverse(labels)
			host = strings.Join(labels, ".")
		}
		hosts = append(hosts, host)
	}
	return sortedHosts(hosts)
}

// ListedHosts returns the sorted hosts under which a client is listed that nobody has registered:
// that of its document, or else of its redirect URIs, or else DeviceHost.
func (c Client) ListedHosts() []string {
	var hosts []string
	switch c.Origin {
	case "":
		return nil
	case OriginDocument:
		hosts = append(hosts, hostOf(c.ID))
	default:
		for _, uri := range c.RedirectURIs {
			if host := hostOf(uri); !isLoopback(host) {
				hosts = append(hosts, host)
			}
		}
	}
	if hosts = sortedHosts(hosts); len(hosts) == 0 {
		return []string{DeviceHost}
	}
	return hosts
}

// hostOf returns the host of an address as it is compared, or "": names that end with a dot are
// the same.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// sortedHosts sorts hosts, and returns each once.
func sortedHosts(hosts []string) []string {
	hosts = slices.DeleteFunc(hosts, func(host string) bool { return host == "" })
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// isLoopback reports whether a host is the user's device.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}
