package provider

import (
	"context"
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

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Config configures a provider. BaseURL, Secret and Store are required; every other field has a
// safe default. A first host sets the first five. Behind them are
//
//   - your own users: Users, Authorize
//   - your look, beside Brand: Texts, Screens
//   - groups and claims: Scopes, Attributes, Groups, Verifiers, VerifiedClaims, Credentials
//   - how people sign in: SignIn, Upstreams, PasswordMinLength
//   - lifetimes and limits: Lifetimes, Limits, TrustedProxies
//   - applications and APIs: Resources, UnknownClients, DeviceAuthorization, FedCM, RequestURI, DPoP, AllowPrivateNetworks
//   - keys, and former secrets and addresses: Signing, PreviousSecrets, PreviousBaseURLs
//   - watching: Logger, TracerProvider, MeterProvider, OnEvent, KeepEvents, Signals
//   - testing: Sandbox, InsecureHTTP, Testing, Clock
//
// Its JSON form is for config files. It leaves out secrets, functions, other values that
// only a program can pass, Rotation and KeepEvents.
type Config struct {
	// BaseURL is the address at which browsers and clients reach the provider, without a
	// trailing slash; it may have a path, as in https://host.example/id. The issuer is
	// BaseURL + "/oidc". It must be https, or http on a loopback host for development or as
	// InsecureHTTP allows. The Host header and forwarding headers are never used in its
	// place.
	BaseURL string `json:"base_url"`

	// Secret encrypts private keys, client secrets and personal data at rest and
	// authenticates tokens and cookies. It is at least 32 bytes from a random source. All
	// processes of a provider share it.
	Secret []byte `json:"-"`

	// Store is the database. The provider owns it: Close closes it.
	Store storage.Store `json:"-"`

	// Mailer sends codes and notices to users of the embedded accounts: a host with Users of
	// its own needs none. Without one, users can neither sign up nor reset a password; the
	// host creates accounts with Accounts.Save.
	// Defaults to none.
	Mailer Mailer `json:"-"`

	// Brand is the look of the screens and mails.
	// Defaults to the name and the look of Bonafide.
	Brand Brand `json:"brand,omitzero"`

	// Users connects the host's own users.
	// Defaults to the embedded accounts.
	Users Users `json:"-"`

	// Authorize can refuse an application's request for a user's data, with a message for
	// that user (Refusal). It is called before the consent screen, before the response to
	// the application, and whenever the application redeems a code or refreshes tokens; a
	// refusal is then invalid_grant until Authorize allows it again. Tokens already issued
	// are not affected. ErrNoUser refuses as well; any other error gets 503. Applications
	// can also request single attributes; see RequestOf.
	// Defaults to refusing nobody.
	Authorize func(ctx context.Context, userID, clientID string, scopes []string) error `json:"-"`

	// Texts are files that replace texts of the screens and mails: de.json holds any part
	// of ui/text/en.json of this module, in the same structure, and of
	// ui/developer/text/en.json below Developer. A file for a new language adds the language.
	// ui.NewLocaleSet documents the format.
	// Defaults to none.
	Texts fs.FS `json:"-"`

	// Screens replaces screens with components of the host's own.
	// Defaults to those of package ui.
	Screens ui.Screens `json:"-"`

	// Scopes are the scope values that applications can request.
	// Defaults to catalogue.DefaultScopes.
	Scopes []catalogue.Scope `json:"scopes,omitempty"`

	// Attributes are user attributes beside the default catalogue.
	// Defaults to none.
	Attributes []catalogue.Attribute `json:"attributes,omitempty"`

	// Groups are the groups in which membership can be verified.
	// Defaults to catalogue.DefaultGroups.
	Groups []catalogue.Group `json:"groups,omitempty"`

	// Verifiers verify users, by group name: the consent screen and the account page offer
	// verification beside the group. Without a verifier they only say that the user is not
	// verified.
	// Defaults to none.
	Verifiers map[string]Verifier `json:"-"`

	// VerifiedClaims tells applications that ask for verified_claims how and when a group was
	// verified: what verifiedclaims.New returns.
	// Defaults to none.
	VerifiedClaims claims.Verified `json:"-"`

	// Credentials lets wallets have verified groups as credentials: the Kinds of package
	// credential.
	// Defaults to none.
	Credentials claims.Credentials `json:"-"`

	// SignIn is how users of the embedded accounts sign in.
	// Defaults to passwords, passkeys and authenticator apps.
	SignIn SignIn `json:"sign_in,omitzero"`

	// Upstreams are providers at which users of the embedded accounts have an account with
	// which they sign in here, such as Google. They have no key in a config file: each has a
	// Connector, which is code.
	// Defaults to none.
	Upstreams []Upstream `json:"-"`

	// PasswordMinLength is the minimum length of a new password in characters, from 8 to 64.
	// Defaults to 10.
	PasswordMinLength int `json:"password_min_length,omitempty"`

	// Lifetimes limit sessions and tokens.
	// Defaults to those of its fields.
	Lifetimes Lifetimes `json:"lifetimes,omitzero"`

	// Limits throttle guesses and mails.
	// Defaults to those of its fields.
	Limits Limits `json:"limits,omitzero"`

	// TrustedProxies are the networks whose X-Forwarded-For header is trusted when attempts are
	// counted by address. Without them, all browsers behind a proxy have one address and share
	// its Limits. New refuses a network of all addresses, which would trust everybody, and an
	// IPv4 network in IPv6 form (::ffff:192.0.2.0/120).
	// Defaults to none.
	TrustedProxies []netip.Prefix `json:"trusted_proxies,omitempty"`

	// Resources are APIs for which applications can request access tokens (RFC 8707), such as
	// MCP servers.
	// Defaults to none.
	Resources []Resource `json:"resources,omitempty"`

	// UnknownClients lets applications in that nobody has registered.
	// Defaults to none.
	UnknownClients UnknownClients `json:"unknown_clients,omitzero"`

	// DeviceAuthorization lets devices without a browser in, such as televisions.
	// Defaults to none.
	DeviceAuthorization DeviceAuthorization `json:"device_authorization,omitzero"`

	// FedCM has the sign-in button ask the browser first (Federated Credential Management API).
	// Defaults to off.
	FedCM FedCM `json:"fedcm,omitzero"`

	// RequestURI lets an authorization request name one of Client.RequestURIs, from which the
	// provider fetches its request object (OpenID Connect Core section 6.2). Limits.Flow bounds
	// such requests.
	// Defaults to false: only pushed requests have a request_uri.
	RequestURI bool `json:"request_uri,omitempty"`

	// DPoP is how proofs of possession are accepted.
	// Defaults to those of its fields.
	DPoP DPoP `json:"dpop,omitzero"`

	// Signals says who is told of changes: applications, and the host itself (package
	// provider/signals).
	// Defaults to nobody.
	Signals signals.Config `json:"signals,omitzero"`

	// AllowPrivateNetworks lets applications register addresses that the provider calls on private
	// networks and on its own machine, there also over http. Anybody who can register an
	// application can then make the provider connect to services that only it can reach. Metadata
	// services of clouds, such as 169.254.169.254, stay refused. Use it in trusted networks, and
	// for developers who listen on localhost.
	// Defaults to false.
	AllowPrivateNetworks bool `json:"allow_private_networks,omitempty"`

	// Signing are the keys with which tokens are signed.
	// Defaults to RSA keys of the provider's own, which it rotates.
	Signing

	// PreviousSecrets are former values of Secret. Tokens issued with them stay valid until
	// they are removed here. Run encrypts again what they encrypt in the database; New logs
	// what is left.
	// Defaults to none.
	PreviousSecrets [][]byte `json:"-"`

	// PreviousBaseURLs are former values of BaseURL. The database records its issuer: New
	// refuses the database of another issuer, unless its base URL is listed here; then New
	// records the issuer of BaseURL. Tokens of a former issuer are no longer valid, and
	// applications must use the new one. When BaseURL is on a loopback host, for development,
	// former ones on loopback hosts need not be listed.
	// Defaults to none.
	PreviousBaseURLs []string `json:"previous_base_urls,omitempty"`

	// Logger receives log records, never a secret. Records of a request have its
	// request_id, and its trace_id and span_id when it is traced.
	// Defaults to slog.Default().
	Logger *slog.Logger `json:"-"`

	// TracerProvider and MeterProvider receive OpenTelemetry spans and metrics, named by
	// the semantic conventions for HTTP servers and databases. The global ones are
	// otel.GetTracerProvider() and otel.GetMeterProvider(). A proxy's trace is continued if
	// a propagator is set (otel.SetTextMapPropagator). Beside request metrics there are
	// bonafide.audit.events, the number of audit events by event.name, and
	// db.client.operation.duration, if the Store has the method Observe, as those of this
	// module do.
	// Defaults to none.
	TracerProvider trace.TracerProvider `json:"-"`
	MeterProvider  metric.MeterProvider `json:"-"`

	// OnEvent is called with every audit event after it is stored. It must return quickly:
	// the provider waits two seconds at most. A timeout or a panic is logged and has no
	// other effect.
	// Defaults to none.
	OnEvent func(Event) `json:"-"`

	// KeepEvents is how long the audit log keeps an event, and a matter of the staff is kept;
	// negative for ever. Run removes older ones.
	// Defaults to 400 days.
	KeepEvents time.Duration `json:"-"`

	// Sandbox marks every screen as a test environment.
	// Defaults to false.
	Sandbox bool `json:"sandbox,omitempty"`

	// InsecureHTTP allows http on a private network, as between containers, for the BaseURL of a
	// sandbox and the redirect URIs and origins of its applications: an unrouted address, a name
	// of one label, or one in .test, .local, .internal or .home.arpa. Everybody on the way can
	// then read passwords, cookies and tokens. It requires Sandbox.
	// Defaults to false: http on loopback hosts only.
	InsecureHTTP bool `json:"insecure_http,omitempty"`

	// Testing gives application developers personas and faults. It requires Sandbox.
	// Defaults to neither.
	Testing Testing `json:"-"`

	// Clock returns the current time. It is meant for tests.
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
	c.Clock = clock.UTC(c.Clock)
	if c.Algorithms == nil {
		c.Algorithms = []string{keyring.RS256}
	}
	c.Lifetimes = c.Lifetimes.withDefaults()
	c.SignIn = c.SignIn.withDefaults(c.BaseURL)
	return c
}

// validate returns an error for the first invalid field, after withDefaults.
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
	case c.InsecureHTTP && !c.Sandbox:
		return wrongField("InsecureHTTP", "is for a sandbox; set Sandbox, or serve https")
	case c.PasswordMinLength < 8 || c.PasswordMinLength > 64:
		return wrongField("PasswordMinLength", "must be from 8 to 64")
	}
	if err := c.Users.validate(); err != nil {
		return err
	}
	for i, proxy := range c.TrustedProxies {
		if err := validateProxy(proxy); err != nil {
			return &FieldError{fmt.Sprintf("TrustedProxies[%d]", i), err}
		}
	}
	for _, check := range []func() error{
		c.checkKeys, c.validateTesting, c.Limits.validate, c.UnknownClients.validate, c.DeviceAuthorization.validate, c.DPoP.validate, c.validateFedCM,
		func() error { return c.SignIn.validate(c.BaseURL, c.PreviousBaseURLs) }, c.validateUpstreams,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	for i, s := range c.Scopes {
		if err := c.validateReachable(fmt.Sprintf("Scopes[%d].Requires", i), s.Requires); err != nil {
			return err
		}
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
		return fmt.Errorf("%q must be https; http is allowed for localhost and loopback addresses only", s)
	}
}

// addresses returns the rules for the addresses of the provider and of applications.
func (c Config) addresses() registry.Addresses {
	return registry.Addresses{PrivateHTTP: c.InsecureHTTP}
}

// hasAccounts reports whether the provider uses the embedded accounts.
func (c Config) hasAccounts() bool { return c.Users.SignedIn == nil }

// configError returns an error of New with its prefix.
func configError(err error) error {
	err = asFieldError(err)
	var wrong *FieldError
	if errors.As(err, &wrong) {
		return fmt.Errorf("provider: Config.%w", wrong)
	}
	return fmt.Errorf("provider: %w", err)
}

// validateProxy refuses networks that match no address or all of them.
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
