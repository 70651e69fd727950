package unknown

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
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
	} else if host, err = readName(host); err != nil {
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

// readName reads a name of the DNS. One of ASCII is kept as it is, in lower case: clients come from
// hosts such as v2--app.example and my_app.example, too, which IDNA refuses.
func readName(text string) (name string, err error) {
	if name = strings.ToLower(text); strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		if name, err = idna.Lookup.ToASCII(text); err != nil {
			return "", err
		}
	}
	if len(name) > 253 || outbound.EndsInNumber(name) {
		return "", errors.New("is too long, or some read it as an address")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("has a label that is none of a host")
		}
	}
	return name, nil
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
	case registration.MatchesHost(p.Trusted, host):
		return Trusted
	}
	return Admitted
}
