package registry

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
)

// ValidateRedirectURI reports why an address cannot be registered as a redirect
// URI, or nil. Allowed are https, http where AllowsHTTP has it, and private-use
// schemes with a dot in their name (RFC 8252 section 7.1) or of Schemes; without fragment, user
// information, wildcard, escapes in the host, a port that is none, or a query that
// carries names of the response.
func (a Addresses) ValidateRedirectURI(uri string) error {
	return a.ValidateRedirectURIIn(Dialect{}, uri)
}

// ValidateRedirectURIIn is ValidateRedirectURI for an application of a dialect.
func (a Addresses) ValidateRedirectURIIn(d Dialect, uri string) error {
	if len(uri) > input.MaxValue {
		return errors.New("is longer than 2048 bytes")
	}
	if uri == "" || !IsPrintableASCII(uri) {
		return errors.New("must be an absolute address of printable ASCII characters, without spaces")
	}
	if strings.ContainsAny(uri, "\\*#\"<>^`{|}") {
		return errors.New("must not contain a fragment, a wildcard, a backslash or characters that need escaping")
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return errors.New("is not an absolute address")
	}
	if u.User != nil {
		return errors.New("must not contain a user name or password")
	}
	if !HasPlainPort(u) {
		return errors.New("must have a port from 1 to 65535, without zeros before it, or no port and no colon")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errors.New("has a query that is not encoded correctly")
	}
	for _, name := range responseParameters {
		if query.Has(name) && !(name == "state" && d.StateInRedirectURI) {
			return errors.New("must not carry the response parameter " + name + " in its query")
		}
	}
	return a.validateScheme(u, uri)
}

// responseParameters are the names that an authorization response uses. A
// registered address that carries one would let its owner forge a response.
var responseParameters = []string{
	"code", "state", "iss", "error", "error_description", "error_uri", "response",
	"access_token", "token_type", "expires_in", "id_token", "scope", "session_state",
}

func (a Addresses) validateScheme(u *url.URL, uri string) error {
	scheme, _, _ := strings.Cut(uri, ":")
	switch {
	case scheme != strings.ToLower(scheme):
		return errors.New("must be written with a lower-case scheme")
	case u.Scheme == "https" && u.Hostname() != "" && namesHost(uri, u):
		return nil
	case u.Scheme == "http" && a.AllowsHTTP(u.Hostname()) && namesHost(uri, u):
		return nil
	case u.Scheme == "https":
		return errors.New("must name a host, without escapes in it")
	case u.Scheme == "http" && a.PrivateHTTP:
		return errors.New("must be https; http is allowed for localhost and hosts of a private network only")
	case u.Scheme == "http":
		return errors.New("must be https; http is allowed for localhost and loopback addresses only")
	case strings.Contains(u.Scheme, "."), slices.Contains(a.Schemes, u.Scheme):
		return nil
	default:
		return errors.New("must be https, http to localhost, or a private-use scheme in reverse domain form such as com.example.app")
	}
}

// namesHost reports whether an address leads to the host that one reads in it. Escapes
// such as %C3%A9 would be decoded on the way, by url.Parse and by browsers.
func namesHost(uri string, u *url.URL) bool {
	return strings.HasPrefix(uri, u.Scheme+"://"+u.Host)
}

// HasPlainPort reports whether an address has no port, or one that somebody can listen
// at, in the one spelling that it has. Another spelling (:080) or none (:) would make
// two addresses of one, and a number beyond 65535 is another port to whoever cuts it
// down to 16 bits.
func HasPlainPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == port && n > 0
}

// IsPrintableASCII reports whether a text has neither spaces, control characters nor
// what is beyond ASCII.
func IsPrintableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Matches reports whether a redirect URI is registered: byte for byte,
// save that a loopback address may use any port (RFC 8252 section 7.3). A URI that
// could not be registered never matches, even if the database holds it.
func (a Addresses) Matches(c *Client, sent string) bool {
	return a.ValidateRedirectURIIn(c.Dialect, sent) == nil && IsRegistered(c, sent)
}

// IsRegistered is Matches for what it has accepted before.
func IsRegistered(c *Client, sent string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		return registered == sent || sameLoopback(registered, sent) ||
			c.IsUnknown() && sameLocalhost(registered, sent) ||
			c.Dialect.StateInRedirectURI && sameButState(registered, sent)
	})
}

// SameRedirectURI reports whether the redirect_uri of a token request is that of the
// authorization request.
func (d Dialect) SameRedirectURI(sent, granted string) bool {
	if d.StateInRedirectURI {
		sent, granted = withoutParameters(sent, "code", "state", "iss"), WithoutState(granted)
	}
	return sent == granted
}

// sameButState reports whether two addresses have a state each and differ in its value only.
func sameButState(registered, sent string) bool {
	a, b := WithoutState(registered), WithoutState(sent)
	return a == b && a != registered && b != sent && strings.Count(sent, "&") == strings.Count(registered, "&")
}

// WithoutState returns an address without the state in its query.
func WithoutState(uri string) string { return withoutParameters(uri, "state") }

// withoutParameters returns an address without these parameters of its query. The rest is
// byte for byte what it was.
func withoutParameters(uri string, names ...string) string {
	address, query, found := strings.Cut(uri, "?")
	if !found {
		return uri
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(names, name)
	})
	if len(kept) == 0 {
		return address
	}
	return address + "?" + strings.Join(kept, "&")
}

func sameLoopback(registered, sent string) bool { return sameButPort(registered, sent, isLoopbackIP) }

// sameLocalhost is sameLoopback for the name localhost, which programs use that nobody has
// registered (Client Identifier Metadata Document names one address for all of them). Another
// program may listen there by IPv6 or IPv4; that is why such users are asked every time.
func sameLocalhost(registered, sent string) bool {
	return sameButPort(registered, sent, func(host string) bool { return host == "localhost" })
}

func sameButPort(registered, sent string, isHost func(host string) bool) bool {
	a, ok := withoutPort(registered, isHost)
	if !ok {
		return false
	}
	b, ok := withoutPort(sent, isHost)
	return ok && a == b
}

func withoutPort(loopback string, isHost func(host string) bool) (string, bool) {
	u, err := url.Parse(loopback)
	if err != nil || u.Scheme != "http" || !isHost(u.Hostname()) {
		return "", false
	}
	return strings.Replace(loopback, u.Host, strings.TrimSuffix(u.Host, ":"+u.Port()), 1), true
}
