package unknown

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
)

// maxAddress is the maximum length of a client ID that is an address, in bytes.
const maxAddress = 512

// IsAddress reports whether a client ID claims to be the address of a document.
func (p *Policy) IsAddress(id string) bool {
	return p.Documents && (strings.HasPrefix(id, "https://") || p.AllowPrivate && strings.HasPrefix(id, "http://"))
}

// validateAddress reports why a client ID is not the address of a document that may be read,
// or nil (sections 3 and 6.5 of the draft). An address has one spelling, because client IDs are
// compared byte for byte.
func (p *Policy) validateAddress(id string) error {
	u, err := url.Parse(id)
	switch {
	case len(id) > maxAddress:
		return errors.New("is longer than 512 bytes")
	case !registry.IsPrintableASCII(id):
		return errors.New("has a character that is not of printable ASCII")
	case err != nil || u.Host == "" || u.Opaque != "":
		return errors.New("is not an absolute address")
	case u.User != nil:
		return errors.New("has a user name")
	case strings.ContainsAny(id, "#\\"):
		return errors.New("has a fragment or a backslash")
	case !strings.HasPrefix(id, u.Scheme+"://"+strings.ToLower(u.Host)+"/"):
		return errors.New("has a host that is not in lower case, or no path")
	case u.Path == "/":
		return errors.New("has no path")
	case hasDots(u):
		return errors.New("has a segment of dots in its path")
	case p.isOwn(u):
		return errors.New("is on the host of the provider")
	case slices.Contains(p.Resources, id):
		return errors.New("is the URI of an API")
	case !p.admitsHost(u.Hostname()):
		return errors.New("is on a host that may have no clients")
	}
	if !p.AllowPrivate {
		if err := validatePublic(u); err != nil {
			return err
		}
	}
	return outbound.ValidateURL(id, p.AllowPrivate)
}

// isOwn reports whether an address is on the host of the provider; where ports tell hosts
// apart, at its port.
func (p *Policy) isOwn(u *url.URL) bool {
	own, _, _ := strings.Cut(p.Own, ":")
	return u.Host == p.Own || !p.AllowPrivate && u.Hostname() == own
}

// validatePublic refuses hosts that are no names of the internet, and ports.
func validatePublic(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "https":
		return errors.New("is not https")
	case u.Host != host:
		return errors.New("has a port")
	case isLiteral(host) || !strings.Contains(strings.Trim(host, "."), ".") || strings.HasSuffix(host, "."):
		return errors.New("has a host that is not a name with a dot in it")
	}
	return nil
}

// hasDots reports whether a path has a segment that is resolved, however it is escaped.
func hasDots(u *url.URL) bool {
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// sameSite reports whether two hosts have one owner: they are the same, or have the same
// registrable domain.
func sameSite(a, b string) bool {
	if a == b {
		return a != ""
	}
	if isLiteral(a) || isLiteral(b) {
		return false
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(a)
	if err != nil {
		return false
	}
	other, err := publicsuffix.EffectiveTLDPlusOne(b)
	return err == nil && domain == other
}

// validateOwn reports why an address that a document names is not of its owner, or nil.
func (p *Policy) validateOwn(id, address string) error {
	if err := outbound.ValidateURL(address, p.AllowPrivate); err != nil {
		return err
	}
	if !sameSite(hostOf(id), strings.ToLower(hostOf(address))) {
		return errors.New("is of another domain than the document")
	}
	return nil
}

// validateRedirect reports why a redirect URI may not be in a document, or nil. It leads to the
// owner of the document, or to a program on the user's device.
func (p *Policy) validateRedirect(id, uri string) error {
	if err := p.Addresses.ValidateRedirectURI(uri); err != nil {
		return err
	}
	u, err := url.Parse(uri)
	if err != nil {
		return errors.New("is not an absolute address")
	}
	switch {
	case u.Scheme == "http" && registry.IsLoopback(u.Hostname()):
		return nil
	case u.Scheme == "http" || u.Scheme == "https":
		if !sameSite(hostOf(id), strings.ToLower(u.Hostname())) {
			return errors.New("is of another domain than the document")
		}
		return nil
	case u.Scheme != registration.ReversedHost(hostOf(id)):
		return errors.New("has a scheme that is not the host of the document in reverse order")
	}
	return nil
}
