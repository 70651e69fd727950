package unknown

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/hosts"
	"github.com/bonafide-id/bonafide/storage"
)

// ReadHost reads the host of clients as somebody writes it: its name in any case and any script,
// or an address on it. The error says why it has none that can be told from others.
func (p *Policy) ReadHost(text string) (string, error) {
	host := strings.TrimSpace(text)
	if _, rest, isURL := strings.Cut(host, "://"); isURL {
		host, _, _ = strings.Cut(rest, "/")
	}
	if u, err := url.Parse("https://" + host); err == nil && u.Port() != "" {
		host = u.Hostname()
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	} else if host, err = idna.Lookup.ToASCII(host); err != nil || host == "" || strings.Contains(host, "..") || len(host) > 253 {
		return "", errors.New("is no host, such as app.example")
	}
	if p.AllowPrivate {
		return host, nil
	}
	switch suffix, icann := publicsuffix.PublicSuffix(host); {
	case registry.IsLoopback(host):
		return "", errors.New("is every device of users; stop its programs one by one")
	case !isLiteral(host) && (!strings.Contains(host, ".") || icann && suffix == host):
		return "", errors.New("has many owners")
	}
	return host, nil
}

// Standing is what a policy says of the clients of a host.
type Standing string

// The standings.
const (
	// Admitted lets them in, Trusted by the name that they give themselves.
	Admitted Standing = "admitted"
	Trusted  Standing = "trusted"
	// Refused keeps them out by Deny, or because Allow is without the host.
	Refused Standing = "refused"
	// Off lets none in of any host.
	Off Standing = "off"
)

// Standing returns what the policy says of a host. Programs on a device have storage.DeviceHost.
func (p *Policy) Standing(host string) Standing {
	switch {
	case !p.Documents && p.Register == "", host == storage.DeviceHost && p.Register == "":
		return Off
	case host == storage.DeviceHost:
		return Admitted
	case !p.admitsHost(host):
		return Refused
	case hosts.MatchesAny(p.Trusted, host):
		return Trusted
	}
	return Admitted
}
