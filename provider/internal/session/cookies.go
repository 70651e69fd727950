package session

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"
)

// Kind is the purpose of a cookie.
type Kind string

// The cookies of a provider.
const (
	// Session holds the session token.
	Session Kind = "session"
	// FedCM names, sealed, the session to the requests that a browser makes for a page of another site.
	FedCM Kind = "fedcm"
	// Browser holds a random value that binds unfinished flows and forms to their browser.
	Browser Kind = "browser"
	// Device proves that its account has signed in from this browser before.
	Device Kind = "device"
	// Trusted makes the browser a trusted device: the second step of an account is left out.
	Trusted Kind = "trusted"
	// Offered says that a passkey was offered in this browser.
	Offered Kind = "offered"
	// Staff holds, sealed, when a member of the staff has last used the desk.
	Staff Kind = "staff"
	// Upstream names the upstream provider at which the last sign-in was.
	Upstream Kind = "upstream"
	// Language holds the user's choice of language.
	Language Kind = "language"
)

// Cookies names, sets and reads the cookies of one provider. The names differ from those of
// any other provider at the same host, whatever its path.
type Cookies struct {
	prefix string
	secure bool
}

// NewCookies returns the cookies of the provider with this base URL and issuer. Over https
// they have the prefix __Host- (RFC 6265bis section 4.1.3.2), so that no sibling domain can
// plant them; over http, for development on localhost, they cannot.
func NewCookies(base *url.URL, issuer string) Cookies {
	sum := sha256.Sum256([]byte(issuer))
	c := Cookies{prefix: "bonafide_" + hex.EncodeToString(sum[:4]) + "_", secure: base.Scheme == "https"}
	if c.secure {
		c.prefix = "__Host-" + c.prefix
	}
	return c
}

// Name returns the name of a cookie.
func (c Cookies) Name(kind Kind) string { return c.prefix + string(kind) }

// Get returns the value of a cookie, or "". Two different cookies of one name count as
// none: another site or program of the host has planted one of them, and their order does
// not show which.
func (c Cookies) Get(r *http.Request, kind Kind) string {
	value := ""
	for i, cookie := range r.CookiesNamed(c.Name(kind)) {
		if i > 0 && cookie.Value != value {
			return ""
		}
		value = cookie.Value
	}
	return value
}

// Set sends a cookie that scripts cannot read and other sites cannot send, except by a
// link, unless its kind is FedCM. A zero lifetime lasts until the browser closes.
func (c Cookies) Set(w http.ResponseWriter, kind Kind, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: c.Name(kind), Value: value, Path: "/", MaxAge: int(life / time.Second),
		Secure: c.secure, HttpOnly: true, SameSite: c.sameSite(kind),
	})
}

// sameSite says on whose pages a browser sends a cookie. Over http, for development, all of
// localhost is one site, and browsers take no cookie for all sites.
func (c Cookies) sameSite(kind Kind) http.SameSite {
	if kind == FedCM && c.secure {
		return http.SameSiteNoneMode
	}
	return http.SameSiteLaxMode
}

// Assume replaces the cookies of its name in a request by the one that its response sets,
// for later readers of the request.
func (c Cookies) Assume(r *http.Request, kind Kind, value string) {
	sent := r.Cookies()
	r.Header.Del("Cookie")
	for _, cookie := range sent {
		if cookie.Name != c.Name(kind) {
			r.AddCookie(cookie)
		}
	}
	r.AddCookie(&http.Cookie{Name: c.Name(kind), Value: value})
}

// Clear removes a cookie from the browser.
func (c Cookies) Clear(w http.ResponseWriter, kind Kind) {
	http.SetCookie(w, &http.Cookie{
		Name: c.Name(kind), Path: "/", MaxAge: -1,
		Secure: c.secure, HttpOnly: true, SameSite: c.sameSite(kind),
	})
}
