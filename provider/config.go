package provider

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Config says what a provider is. BaseURL, Secret and Store are required; every
// other field has a default that is safe.
//
// Its JSON form has what a config file can say. Secrets, functions and what else a
// program hands over are not in it, nor are KeyRotation and KeepEvents.
type Config struct {
	// BaseURL is where browsers and clients reach the provider, without a slash
	// at its end; it may have a path, as in https://host.example/id. The issuer
	// is BaseURL + "/oidc". It must be https, or http on a loopback host for
	// development, or as InsecureHTTP has it. Nothing is ever derived from the Host header or from
	// forwarding headers.
	BaseURL string `json:"base_url"`

	// PreviousBaseURLs are former values of BaseURL. The database knows whose it is:
	// New refuses one of another issuer, unless it is one of these, and then makes it
	// that of BaseURL. Tokens issued under a former one are of no use any more, and
	// applications have to use the new one. Those on loopback hosts, for
	// development, need not be named when BaseURL is another.
	// Defaults to none.
	PreviousBaseURLs []string `json:"previous_base_urls,omitempty"`

	// Secret seals private keys, client secrets and what is known about people at
	// rest, and authenticates tokens and cookies. At least 32 bytes from a random source; every process
	// of one provider needs the same.
	Secret []byte `json:"-"`

	// PreviousSecrets are former values of Secret. Tokens issued with them stay
	// valid until they are removed here; what they seal in the database, Run seals
	// anew. New logs what that still is.
	// Defaults to none.
	PreviousSecrets [][]byte `json:"-"`

	// Store is the database. The provider owns it: Close closes it.
	Store storage.Store `json:"-"`

	// Signer replaces the provider's own signing keys, for instance by one in a
	// hardware module or a key service. Its public key must be RSA of at least 2048
	// bits. It makes PKCS #1 v1.5 signatures and is safe for concurrent use. A call
	// may take five seconds; an error, or a signature that the public key does not
	// verify, is answered with 503 before anything is issued or spent. It is then the
	// host that rotates: see PublicKeys.
	// Defaults to the provider's own keys.
	Signer crypto.Signer `json:"-"`

	// PublicKeys are others of the Signer's: those that it has signed with, and that
	// are to verify until all ID tokens of them have expired, and the one that comes
	// next, a day before it signs. They are in the key set beside the Signer's own.
	// Defaults to none.
	PublicKeys []*rsa.PublicKey `json:"-"`

	// WrapSigner returns the signer to use in place of one of the provider's own
	// keys, for instance one of a faster library:
	// github.com/bonafide-id/bonafide/provider/opensslsigner. Keys are made, sealed
	// and rotated as without it. It is called when a key is loaded or made; the
	// signer must have the key's public key, make PKCS #1 v1.5 signatures, and be
	// safe for concurrent use, and is tried once. When it fails, New fails, and a
	// running provider keeps the keys that it has. Each signature is bounded in time
	// and verified before it is used; those of opensslsigner by samples.
	// Defaults to the key itself.
	WrapSigner func(*rsa.PrivateKey) (crypto.Signer, error) `json:"-"`

	// KeyRotation is how long one of the provider's own keys signs. A successor is in
	// the key set for a day before it signs.
	// Defaults to 90 days.
	KeyRotation time.Duration `json:"-"`

	// Brand is what people see.
	Brand Brand `json:"brand,omitzero"`

	// Texts are files of texts that replace those of the screens and mails: de.json has any
	// part of what ui/text/en.json of this module has, in the same structure. One in
	// another language adds it. ui.NewLocaleSet says what is accepted.
	// Defaults to none.
	Texts fs.FS `json:"-"`

	// Screens replaces screens by components of the host's own.
	// Defaults to those of package ui.
	Screens ui.Screens `json:"-"`

	// Scopes are what applications can ask for.
	// Defaults to DefaultScopes.
	Scopes []Scope `json:"scopes,omitempty"`

	// Attributes are facts about people beside those of the default catalogue.
	// Defaults to none.
	Attributes []Attribute `json:"attributes,omitempty"`

	// Groups are those whose members can be verified.
	// Defaults to DefaultGroups.
	Groups []Group `json:"groups,omitempty"`

	// Resources are APIs beside the provider's own that applications can ask access tokens
	// for (RFC 8707), such as MCP servers.
	// Defaults to none.
	Resources []Resource `json:"resources,omitempty"`

	// Users connects users that the host keeps itself.
	// Defaults to the embedded accounts.
	Users Users `json:"-"`

	// Authorize may refuse an application what it asks for about a user, with words
	// for that user (Refusal). It is asked before the consent screen, again before
	// the response to the application, and whenever it redeems a code or refreshes its
	// tokens, which is then invalid_grant until Authorize allows it again; not for tokens
	// that were issued before. ErrNoUser refuses as well; any other error is answered with
	// 503. Beside its scopes an application may ask for single attributes, which
	// RequestOf tells.
	// Defaults to refusing nobody.
	Authorize func(ctx context.Context, userID, clientID string, scopes []string) error `json:"-"`

	// Verifiers are the way on for users who are not verified, by the name of the group:
	// the consent screen and the account page offer it beside the group. Without
	// one they only say that the user is not verified.
	// Defaults to none.
	Verifiers map[string]Verifier `json:"-"`

	// Mailer sends codes and notices to users of the embedded accounts. Without
	// one nobody can sign up or reset a password; the host creates accounts
	// with Accounts.Save.
	// Defaults to none.
	Mailer Mailer `json:"-"`

	// PasswordMinLength is the least number of characters of a new password, from 8
	// to 64.
	// Defaults to 10.
	PasswordMinLength int `json:"password_min_length,omitempty"`

	// Lifetimes bound sessions and issued tokens.
	Lifetimes Lifetimes `json:"lifetimes,omitzero"`

	// Limits bound how often somebody may guess, and have mail sent.
	Limits Limits `json:"limits,omitzero"`

	// KeepEvents is how long the audit log is kept; negative for ever. Run removes
	// what is older.
	// Defaults to 400 days.
	KeepEvents time.Duration `json:"-"`

	// TrustedProxies are the networks whose X-Forwarded-For is believed when
	// attempts are counted by address. Without them, behind a proxy, all browsers
	// have one address, and one share of each of the Limits. A network of all
	// addresses, which would believe everybody, is refused, and so is an IPv4 network
	// in the form of IPv6 (::ffff:192.0.2.0/120).
	// Defaults to believing nobody.
	TrustedProxies []netip.Prefix `json:"trusted_proxies,omitempty"`

	// AllowPrivateNetworks lets applications register addresses that the provider calls
	// (Client.BackchannelLogoutURI) on private networks and on the
	// provider's own machine, there by http as well. Whoever can register an application
	// can then make the provider connect to services that only it can reach; what clouds
	// serve to their machines alone, such as 169.254.169.254, is refused all the same. It
	// is for networks that are trusted, and for developers, who listen on localhost.
	// Defaults to false.
	AllowPrivateNetworks bool `json:"allow_private_networks,omitempty"`

	// Sandbox marks every screen as a test environment.
	// Defaults to false.
	Sandbox bool `json:"sandbox,omitempty"`

	// InsecureHTTP lets a sandbox, and the redirect URIs and origins of its
	// applications, be http on a private network, as between containers: on an address
	// that is not routed, a name of one label, or a name in .test, .local, .internal or
	// .home.arpa. Passwords, cookies and tokens can then be read by everybody on the
	// way. It needs Sandbox.
	// Defaults to false: http is for loopback hosts only.
	InsecureHTTP bool `json:"insecure_http,omitempty"`

	// Testing is what developers of applications can do in a sandbox. It needs Sandbox.
	// Defaults to nothing.
	Testing Testing `json:"-"`

	// Logger receives what happened, never a secret. What concerns a request comes
	// with its request_id, and with trace_id and span_id when it is traced.
	// Defaults to slog.Default().
	Logger *slog.Logger `json:"-"`

	// TracerProvider and MeterProvider receive spans and metrics of OpenTelemetry,
	// named by its semantic conventions for HTTP servers and databases. Those of the
	// process are otel.GetTracerProvider() and otel.GetMeterProvider(). A trace that a
	// proxy has begun is continued when a propagator is set
	// (otel.SetTextMapPropagator). Beside the metrics of requests there are
	// bonafide.audit.events, the number of audit events by event.name, and
	// db.client.operation.duration, if the Store has the method Observe, as those of
	// this module do.
	// Defaults to none.
	TracerProvider trace.TracerProvider `json:"-"`
	MeterProvider  metric.MeterProvider `json:"-"`

	// OnEvent is called with every audit event after it is stored. It must
	// return quickly: after two seconds it is waited for no longer. That, and a
	// panic in it, is logged and does no harm.
	// Defaults to none.
	OnEvent func(Event) `json:"-"`

	// Clock tells the time. It is meant for tests.
	// Defaults to time.Now.
	Clock func() time.Time `json:"-"`
}

func (c Config) withDefaults() Config {
	if c.PasswordMinLength == 0 {
		c.PasswordMinLength = 10
	}
	if c.KeepEvents == 0 {
		c.KeepEvents = 400 * 24 * time.Hour
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Logger = request.Logger(c.Logger)
	if c.Clock == nil {
		c.Clock = time.Now
	}
	c.Lifetimes = c.Lifetimes.withDefaults()
	return c
}

// validate names the first field that cannot work. It expects defaults in place.
func (c Config) validate() error {
	if err := c.validateBaseURL(c.BaseURL); err != nil {
		return &FieldError{"BaseURL", err}
	}
	for i, base := range c.PreviousBaseURLs {
		if err := c.validateBaseURL(base); err != nil {
			return &FieldError{fmt.Sprintf("PreviousBaseURLs[%d]", i), err}
		}
	}
	switch {
	case c.Store == nil:
		return wrongField("Store", "is missing; open one with sqlite.Open or postgres.Open")
	case c.Signer != nil && c.WrapSigner != nil:
		return wrongField("WrapSigner", "is for the provider's own keys, which Signer replaces; set one of them")
	case c.InsecureHTTP && !c.Sandbox:
		return wrongField("InsecureHTTP", "is for a sandbox; set Sandbox, or serve https")
	case c.PasswordMinLength < 8 || c.PasswordMinLength > 64:
		return wrongField("PasswordMinLength", "must be from 8 to 64")
	case c.Users.SignedIn != nil && c.Users.SignInURL == "":
		return wrongField("Users.SignInURL", "is missing; users who are not signed in are sent there")
	case c.Users.SignedIn == nil && c.Users.SignInURL != "":
		return wrongField("Users.SignedIn", "is missing; Users.SignInURL needs it")
	}
	for _, f := range []struct{ name, value string }{
		{"Users.SignInURL", c.Users.SignInURL}, {"Users.SignOutURL", c.Users.SignOutURL},
	} {
		if f.value != "" && !web.IsLink(f.value) {
			return wrongField(f.name, "%q is not an http address without a user name, or a path", f.value)
		}
		if !web.IsHostPage(f.value) {
			return wrongField(f.name, "%q must have no fragment, and no parameter return_to: the provider adds it", f.value)
		}
	}
	for i, proxy := range c.TrustedProxies {
		if err := validateProxy(proxy); err != nil {
			return &FieldError{fmt.Sprintf("TrustedProxies[%d]", i), err}
		}
	}
	if err := c.checkPublicKeys(); err != nil {
		return err
	}
	if err := c.validateTesting(); err != nil {
		return err
	}
	if err := c.Limits.validate(); err != nil {
		return err
	}
	return c.Lifetimes.validate()
}

func (c Config) validateBaseURL(s string) error {
	if s == "" {
		return errors.New("is missing; for example https://id.example.com")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return fmt.Errorf("%q is not an absolute address", s)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.Contains(s, "#") || strings.Contains(s, "?"):
		return fmt.Errorf("%q must have no query, fragment or user name", s)
	case !registry.IsPrintableASCII(s):
		return fmt.Errorf("%q must be of ASCII characters; a host with others has a name that begins with xn--", s)
	case strings.HasSuffix(s, "/"):
		return fmt.Errorf("%q must not end with a slash", s)
	case !strings.HasPrefix(s, u.Scheme+"://"+strings.ToLower(u.Host)) || u.EscapedPath() != u.Path || u.Path != "" && path.Clean(u.Path) != u.Path:
		return fmt.Errorf("%q must be in lower case, without escapes in its host, and with a plain path", s)
	case !registry.HasPlainPort(u) || registry.IsDefaultPort(u):
		return fmt.Errorf("%q must have a port from 1 to 65535, or none where it is that of the scheme", s)
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && c.addresses().AllowsHTTP(u.Hostname()):
		return nil
	case c.InsecureHTTP:
		return fmt.Errorf("%q must be https; http is allowed for localhost and hosts of a private network only", s)
	default:
		return fmt.Errorf("%q must be https; http is allowed for localhost only", s)
	}
}

// addresses are the rules for addresses of the provider and of applications.
func (c Config) addresses() registry.Addresses {
	return registry.Addresses{PrivateHTTP: c.InsecureHTTP}
}

// hasAccounts reports whether the provider keeps the users itself.
func (c Config) hasAccounts() bool { return c.Users.SignedIn == nil }

// secrets returns what seals and authenticates.
func (c Config) secrets() (*keyring.Secrets, error) {
	secrets, err := keyring.NewSecrets(c.Secret, c.PreviousSecrets...)
	if err == nil {
		return secrets, nil
	}
	wrong := "Secret"
	if _, alone := keyring.NewSecrets(c.Secret); alone == nil {
		wrong = "PreviousSecrets"
	}
	return nil, &FieldError{wrong, err}
}

// configError gives an error of New its form.
func configError(err error) error {
	err = asFieldError(err)
	var wrong *FieldError
	if errors.As(err, &wrong) {
		return fmt.Errorf("provider: Config.%w", wrong)
	}
	return fmt.Errorf("provider: %w", err)
}

// validateProxy accepts a network that can match somebody's address, and not everybody's.
func validateProxy(network netip.Prefix) error {
	switch {
	case !network.IsValid():
		return errors.New("is no network such as 10.0.0.0/8")
	case network.Bits() == 0:
		return fmt.Errorf("%s are all addresses: everybody could choose theirs", network)
	case network.Addr().Is4In6():
		return fmt.Errorf("%s never matches; write it as an IPv4 network", network)
	}
	return nil
}
