package provider

import (
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// Config says what a provider is. BaseURL, Secret and Store are required; every
// other field has a default that is safe.
type Config struct {
	// BaseURL is where browsers and clients reach the provider, without a slash
	// at its end; it may have a path, as in https://host.example/id. The issuer
	// is BaseURL + "/oidc". It must be https, or http on a loopback host for
	// development. Nothing is ever derived from the Host header or from
	// forwarding headers.
	BaseURL string

	// Secret seals private keys and client secrets at rest and authenticates
	// tokens and cookies. At least 32 bytes from a random source; every process
	// of one provider needs the same.
	Secret []byte

	// PreviousSecrets are former values of Secret. What was made with them
	// stays valid until they are removed here.
	PreviousSecrets [][]byte

	// Store is the database. The provider owns it: Close closes it.
	Store storage.Store

	// Signer replaces the provider's own signing keys, for instance by one in a
	// hardware module. Its public key must be RSA of at least 2048 bits. It is
	// then the host that rotates.
	Signer crypto.Signer

	// SignWith makes of each of the provider's own keys the signer to use in its
	// place, for instance one of a faster library:
	// github.com/bonafide-id/bonafide/provider/opensslsigner. Keys are made, sealed
	// and changed as without it. It is called when a key is loaded or made; the
	// signer must have the key's public key, make PKCS #1 v1.5 signatures, and be
	// safe for concurrent use, and is tried once. When it fails, New fails, and a
	// running provider goes on with the keys that it has.
	SignWith func(*rsa.PrivateKey) (crypto.Signer, error)

	// KeyRotation is how long one of the provider's own keys signs; 90 days
	// when zero. A successor is in the key set for a day before it signs.
	KeyRotation time.Duration

	// Brand is what people see.
	Brand Brand

	// Scopes, Attributes and Groups are the vocabulary. When Scopes or Groups
	// is empty, DefaultScopes or DefaultGroups is in force. Attributes come in
	// addition to DefaultAttributes.
	Scopes     []Scope
	Attributes []Attribute
	Groups     []Group

	// Users connects users that the host keeps itself.
	Users Users

	// Mailer sends codes and notices to users of the embedded accounts. Without
	// one nobody can sign up or reset a password; the host creates accounts
	// with CreateAccount.
	Mailer Mailer

	// PasswordMinLength is the least number of characters of a new password;
	// 10 when zero, never less than 8.
	PasswordMinLength int

	// Lifetimes bound what is issued.
	Lifetimes Lifetimes

	// KeepEvents is how long the audit trail is kept; for ever when zero. Run
	// removes what is older.
	KeepEvents time.Duration

	// TrustedProxies are the networks whose X-Forwarded-For is believed when
	// attempts are counted by address. Empty believes nobody.
	TrustedProxies []netip.Prefix

	// Sandbox marks every screen as a test environment.
	Sandbox bool

	// Logger receives what happened, never a secret; slog.Default() when nil. What
	// concerns a request comes with its request_id, and with trace_id and span_id
	// when it is traced.
	Logger *slog.Logger

	// TracerProvider and MeterProvider receive spans and metrics of OpenTelemetry,
	// named by its semantic conventions for HTTP servers and databases; with nil
	// there are none. Those of the process are otel.GetTracerProvider() and
	// otel.GetMeterProvider(). A trace that a proxy has begun is continued when a
	// propagator is set (otel.SetTextMapPropagator). Beside the metrics of requests
	// there are bonafide.audit.events, the number of audit events by event.name, and
	// db.client.operation.duration, if the Store has the method Observe, as those of
	// this module do.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider

	// OnEvent is called with every audit event after it is stored. It must
	// return quickly; a panic in it is logged and does no harm.
	OnEvent func(Event)

	// Clock tells the time; time.Now when nil. It is meant for tests.
	Clock func() time.Time
}

// Brand is what people see of the service.
type Brand struct {
	// Name is the name of the service; "Bonafide" when empty.
	Name string

	// Logo is a PNG, JPEG or GIF of at most 512 KiB and 2048 pixels a side, or
	// nil.
	Logo []byte

	// ButtonColor is #rrggbb; #0b5cff when empty. The label of a button becomes
	// black or white, whichever is readable.
	ButtonColor string

	// HomeURL, TermsURL, PolicyURL and HelpURL are linked from the screens when
	// not empty.
	HomeURL, TermsURL, PolicyURL, HelpURL string
}

// Lifetimes bound what is issued. A zero field has its default.
type Lifetimes struct {
	// Code is the life of an authorization code; 60 s, at most 10 minutes.
	Code time.Duration
	// AccessToken is the life of an access token; 300 s.
	AccessToken time.Duration
	// IDToken is the life of an ID token; 300 s.
	IDToken time.Duration
	// RefreshToken is the life of a refresh token that is not used; 7 days.
	RefreshToken time.Duration
	// Grant is how long an application can go on refreshing before the user has
	// to sign in again; 30 days.
	Grant time.Duration
	// RefreshGrace is how long a refresh token that was used may be used again,
	// because the first answer may have been lost; 10 s. Negative for never:
	// then any second use ends the grant.
	RefreshGrace time.Duration
	// SessionIdle ends a browser session that is not used; 12 hours.
	SessionIdle time.Duration
	// Session ends every browser session; 14 days.
	Session time.Duration
	// Flow is how long a visitor may take from the application's request to
	// the answer; 1 hour.
	Flow time.Duration
}

func (l Lifetimes) withDefaults() Lifetimes {
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&l.Code, 60 * time.Second},
		{&l.AccessToken, 300 * time.Second},
		{&l.IDToken, 300 * time.Second},
		{&l.RefreshToken, 7 * 24 * time.Hour},
		{&l.Grant, 30 * 24 * time.Hour},
		{&l.RefreshGrace, 10 * time.Second},
		{&l.SessionIdle, 12 * time.Hour},
		{&l.Session, 14 * 24 * time.Hour},
		{&l.Flow, time.Hour},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if l.RefreshGrace < 0 {
		l.RefreshGrace = 0
	}
	return l
}

func (l Lifetimes) validate() error {
	for _, f := range []struct {
		name          string
		value, lowest time.Duration
	}{
		{"Code", l.Code, time.Second}, {"AccessToken", l.AccessToken, time.Second},
		{"IDToken", l.IDToken, time.Second}, {"RefreshToken", l.RefreshToken, time.Second},
		{"Grant", l.Grant, l.RefreshToken}, {"SessionIdle", l.SessionIdle, time.Minute},
		{"Session", l.Session, l.SessionIdle}, {"Flow", l.Flow, time.Minute},
	} {
		if f.value < f.lowest {
			return fmt.Errorf("Lifetimes.%s: %v is shorter than %v", f.name, f.value, f.lowest)
		}
	}
	if l.Code > 10*time.Minute {
		return fmt.Errorf("Lifetimes.Code: %v is longer than 10m, the most that RFC 6749 section 4.1.2 recommends", l.Code)
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.Brand.Name == "" {
		c.Brand.Name = "Bonafide"
	}
	if c.Brand.ButtonColor == "" {
		c.Brand.ButtonColor = "#0b5cff"
	}
	if c.PasswordMinLength == 0 {
		c.PasswordMinLength = 10
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Logger = slog.New(requestLog{c.Logger.Handler()})
	if c.Clock == nil {
		c.Clock = time.Now
	}
	c.Lifetimes = c.Lifetimes.withDefaults()
	return c
}

// validate names the first field that cannot work. It expects defaults in place.
func (c Config) validate() error {
	if _, err := parseBaseURL(c.BaseURL); err != nil {
		return fmt.Errorf("BaseURL: %w", err)
	}
	switch {
	case c.Store == nil:
		return errors.New("Store: is missing; open one with sqlite.Open or postgres.Open")
	case c.Signer != nil && c.SignWith != nil:
		return errors.New("SignWith: is for the provider's own keys, which Signer replaces; set one of them")
	case !isColor(c.Brand.ButtonColor):
		return fmt.Errorf("Brand.ButtonColor: %q is not of the form #rrggbb", c.Brand.ButtonColor)
	case len(c.Brand.Name) > 64:
		return errors.New("Brand.Name: is longer than 64 bytes")
	case c.PasswordMinLength < 8 || c.PasswordMinLength > 64:
		return errors.New("PasswordMinLength: must be from 8 to 64")
	case c.KeepEvents < 0:
		return fmt.Errorf("KeepEvents: %v is negative; zero keeps the audit trail for ever", c.KeepEvents)
	case c.Users.SignedIn != nil && c.Users.SignInURL == "":
		return errors.New("Users.SignInURL: is missing; visitors who are not signed in are sent there")
	case c.Users.SignedIn == nil && c.Users.SignInURL != "":
		return errors.New("Users.SignedIn: is missing; Users.SignInURL needs it")
	}
	for _, f := range []struct{ name, value string }{
		{"Users.SignInURL", c.Users.SignInURL}, {"Users.SignOutURL", c.Users.SignOutURL},
		{"Brand.HomeURL", c.Brand.HomeURL}, {"Brand.TermsURL", c.Brand.TermsURL},
		{"Brand.PolicyURL", c.Brand.PolicyURL}, {"Brand.HelpURL", c.Brand.HelpURL},
	} {
		if f.value != "" && !isLink(f.value) {
			return fmt.Errorf("%s: %q is not an http address or a path", f.name, f.value)
		}
	}
	return c.Lifetimes.validate()
}

func parseBaseURL(s string) (*url.URL, error) {
	if s == "" {
		return nil, errors.New("is missing; for example https://id.example.com")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is not an absolute address", s)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.Contains(s, "#") || strings.Contains(s, "?"):
		return nil, fmt.Errorf("%q must have no query, fragment or user name", s)
	case !engine.IsPrintableASCII(s):
		return nil, fmt.Errorf("%q must be of ASCII characters; a host with others has a name that begins with xn--", s)
	case strings.HasSuffix(s, "/"):
		return nil, fmt.Errorf("%q must not end with a slash", s)
	case !strings.HasPrefix(s, u.Scheme+"://"+strings.ToLower(u.Host)) || u.EscapedPath() != u.Path || strings.Contains(u.Path, "//"):
		return nil, fmt.Errorf("%q must be in lower case, without escapes in its host, and with a plain path", s)
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && isLoopbackHost(u.Hostname()):
		return u, nil
	default:
		return nil, fmt.Errorf("%q must be https; http is allowed for localhost only", s)
	}
}

func isLoopbackHost(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.IsLoopback()
}

var color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func isColor(s string) bool { return color.MatchString(s) }

// isLink reports whether s can be the target of a link: an http address, or a path
// that no browser takes for one of another host.
func isLink(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, "\\\t\r\n ") {
		return false
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Host != ""
	}
	return u.Scheme == "" && u.Host == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
}
