package samples

import (
	"cmp"
	"fmt"
	"html"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/widget"
)

// Application is what samples are filled with.
type Application struct {
	ClientID string

	// RedirectURI is the one that the sample serves; empty for a machine client.
	RedirectURI string

	// Dialect is provider.V3 or provider.Standard.
	Dialect string

	// Public marks an application without a secret.
	Public bool

	// Machine marks an application at which nobody signs in.
	Machine bool

	// DPoP marks an application whose access tokens are bound to a key (RFC 9449).
	DPoP bool

	// Scopes are those that the sample asks for; with openid for OpenID Connect. In the
	// dialect v3 it asks for the first that is a scope value.
	Scopes []string

	// BaseURL is that of the provider, without a slash at its end.
	BaseURL string

	// Brand is what the provider calls itself.
	Brand string

	// Code is what the provider is called in programs; empty for the Brand.
	Code string

	// Button is where the script of the sign-in button is.
	Button widget.Script

	// Look are the attributes of the button that say how it looks, without data-, and their values.
	Look []Attribute
}

// Attribute is one of the button.
type Attribute struct{ Name, Value string }

// values are what a template is filled with.
type values struct {
	Application

	redirect *url.URL
}

func newValues(a Application) (values, error) {
	u, err := url.Parse(a.RedirectURI)
	if err != nil {
		return values{}, fmt.Errorf("read redirect URI: %w", err)
	}
	return values{a, u}, nil
}

// Standard reports whether the application speaks the dialect standard.
func (v values) Standard() bool { return v.Dialect == provider.Standard }

// Issuer is the issuer identifier.
func (v values) Issuer() string { return v.BaseURL + "/oidc" }

// AuthorizeURL, TokenURL, UserinfoURL and KeysURL are the endpoints, for programs that do not look
// for them.
func (v values) AuthorizeURL() string { return v.BaseURL + "/oauth/authorize" }
func (v values) TokenURL() string     { return v.BaseURL + "/oauth/token" }
func (v values) UserinfoURL() string  { return v.BaseURL + "/api/public/v3/userinfo" }
func (v values) KeysURL() string      { return v.Issuer() + "/.well-known/jwks" }

// Placeholder stands for the client secret in a file.
func (v values) Placeholder() string { return Placeholder }

// Scope is what the sample asks for, as a parameter.
func (v values) Scope() string { return strings.Join(v.Asked(), " ") }

// Asked is what the sample asks for.
func (v values) Asked() []string {
	others := slices.DeleteFunc(slices.Clone(v.Scopes), func(s string) bool { return s == "openid" || s == "offline_access" })
	if v.Machine {
		return others
	}
	if v.Standard() {
		return append([]string{"openid"}, others...)
	}
	return others[:min(1, len(others))]
}

// IsWeb reports whether a server of the application gets the response.
func (v values) IsWeb() bool { return v.redirect.Scheme == "https" || v.redirect.Scheme == "http" }

// Secure reports whether the site of the application is reached by https.
func (v values) Secure() bool { return v.redirect.Scheme == "https" }

// Insecure reports whether the provider is reached without TLS, as on a developer's
// machine: some libraries have to be told.
func (v values) Insecure() bool { return strings.HasPrefix(v.BaseURL, "http:") }

// Path is where the response comes, and Start where the flow begins.
func (v values) Path() string {
	if p := v.redirect.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// Start is where the flow begins.
func (v values) Start() string {
	if v.Path() == "/login" {
		return "/start"
	}
	return "/login"
}

// Host is where the sample listens: at the redirect URI itself when that is on the
// developer's machine, else behind what ends TLS.
func (v values) Host() string {
	host := v.redirect.Hostname()
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return host
	}
	return "127.0.0.1"
}

// Port is the port that the sample listens at.
func (v values) Port() string {
	if v.Secure() {
		return "8080"
	}
	if port := v.redirect.Port(); port != "" {
		return port
	}
	return "80"
}

// Address is Host and Port.
func (v values) Address() string { return net.JoinHostPort(v.Host(), v.Port()) }

// HasHome reports whether there is a page that leads to where the flow begins: not where the
// response comes to it.
func (v values) HasHome() bool { return v.Path() != "/" }

// Link is that page.
func (v values) Link() string {
	return `<!doctype html><meta charset="utf-8"><title>Sign in</title><a href="` + html.EscapeString(v.Start()) + `">Sign in with ` + html.EscapeString(v.Brand) + `</a>`
}

// Open is the address that a browser is to open.
func (v values) Open() string {
	if v.HasHome() {
		return v.Site() + "/"
	}
	return v.Site() + v.Start()
}

// Variable is the environment variable with the client secret, called after the provider:
// of Café 24 it is CAFE_24_CLIENT_SECRET. Its code comes first.
func (v values) Variable() string {
	var name strings.Builder
	for _, r := range norm.NFKD.String(strings.ToUpper(cmp.Or(v.Code, v.Brand) + "_client_secret")) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent, which its letter does without
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			name.WriteRune(r)
		case !strings.HasSuffix(name.String(), "_"):
			name.WriteByte('_')
		}
	}
	return strings.TrimLeft(name.String(), "0123456789_") // no name begins with a digit
}

// Missing is what a program says that does not find its secret.
func (v values) Missing() string {
	return v.Variable() + " is not set: set it to the client secret, and start again."
}

// Room is the height of the button in pixels, which a page keeps until the script has come.
func (v values) Room() int {
	for _, a := range v.Look {
		switch a {
		case Attribute{"size", "small"}:
			return 37
		case Attribute{"size", "large"}:
			return 52
		}
	}
	return 44
}

// Site is the origin of the redirect URI.
func (v values) Site() string { return v.redirect.Scheme + "://" + v.redirect.Host }
