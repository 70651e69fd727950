package provider

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// Dialects of an application: the wire form that it was registered for.
const (
	// V3 is the older interface of identity verification services: lifetimes as
	// strings of digits, one scope value per request, userinfo as a JWT in a
	// JSON string, tokens in the query and JSONP at the data endpoints.
	V3 = engine.DialectV3
	// Standard is RFC 6749 and OpenID Connect Core to the letter.
	Standard = engine.DialectStandard
)

// Client is a registration of an application (RFC 7591 section 2 names the
// fields). The zero value of every field but ID and RedirectURIs has a default.
type Client struct {
	// ID is the client_id: letters, digits and -_.: only.
	ID string

	// Secret is the client_secret. SaveClient seals it; no method returns it
	// but ClientSecret. Empty keeps the one that is registered.
	Secret string

	// Name is shown to users; the ID when empty.
	Name string

	// Dialect is V3 or Standard; V3 when empty.
	Dialect string

	// Public marks an application that cannot keep a secret, such as a page or
	// an app on a phone. It must use PKCE.
	Public bool

	// TokenEndpointAuthMethod restricts how the secret is sent:
	// client_secret_basic or client_secret_post; either when empty.
	TokenEndpointAuthMethod string

	// RedirectURIs and PostLogoutRedirectURIs are where users may be sent: https,
	// http on the loopback interface, or the scheme of an app, such as
	// com.example.app. None has a fragment, a user name, a wildcard, escapes in its
	// host, or a parameter of the response in its query. What a request names is
	// compared byte for byte, save for the port of a redirect URI that names the
	// loopback interface by its IP address (RFC 8252 section 7.3).
	RedirectURIs           []string
	PostLogoutRedirectURIs []string

	// ResponseTypes are those that the application may use; all six for V3 and
	// code for Standard when empty.
	ResponseTypes []string

	// GrantTypes are authorization_code and refresh_token; the first when empty.
	GrantTypes []string

	// Scopes are those that the application may ask for; all of the catalogue
	// when empty.
	Scopes []string

	// Origins are the web origins whose scripts may call the token and data
	// endpoints, for example https://app.example.com.
	Origins []string

	// UserinfoSigned makes userinfo answer with a JWT
	// (userinfo_signed_response_alg) in the Standard dialect.
	UserinfoSigned bool

	// RequireVerified refuses users whose requested groups are not verified,
	// with access_denied.
	RequireVerified bool

	// SkipConsent marks an application of the host's own.
	SkipConsent bool

	// Disabled applications are unknown to every endpoint.
	Disabled bool

	// Logo is a PNG, JPEG or GIF of at most 512 KiB and 2048 pixels a side, or
	// nil.
	Logo []byte

	// ButtonColor is #rrggbb, for the buttons of the screens when the request
	// is one of OpenID Connect.
	ButtonColor string

	// PolicyURL and TermsURL are linked from the consent screen when not empty.
	PolicyURL, TermsURL string
}

// ErrNoClient says that there is no such application.
var ErrNoClient = errors.New("provider: no such client")

// SaveClient registers an application, or brings its registration up to date. The
// error names the field that cannot be accepted. The change is in force within a
// second in every process. A new confidential client without a Secret gets one;
// ClientSecret returns it.
func (p *Provider) SaveClient(ctx context.Context, c Client) error {
	if err := c.validate(p.catalogue); err != nil {
		return fmt.Errorf("client %q: %w", c.ID, err)
	}
	old, err := p.cfg.Store.Client(ctx, c.ID)
	known := err == nil
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("read client: %w", err)
	}
	record := c.record()
	record.CreatedAt, record.UpdatedAt = old.CreatedAt, old.UpdatedAt
	record.Secrets = p.clientSecrets(c, old)
	if len(c.Logo) > 0 {
		if record.Logo, err = p.saveImage(ctx, c.Logo); err != nil {
			return fmt.Errorf("client %q: Logo: %w", c.ID, err)
		}
	}
	if known && reflect.DeepEqual(old, record) {
		return nil
	}
	record.UpdatedAt = p.cfg.Clock()
	if !known {
		record.CreatedAt = record.UpdatedAt
	}
	if err := p.cfg.Store.SaveClient(ctx, record); err != nil {
		return fmt.Errorf("save client: %w", err)
	}
	p.engine.ForgetClient(c.ID)
	p.recordClient(ctx, known, old, record)
	return nil
}

// recordClient tells the audit trail what a registration has changed.
func (p *Provider) recordClient(ctx context.Context, known bool, old, current storage.Client) {
	event := Event{Name: EventClientCreated, ClientID: current.ID}
	if known {
		event.Name = EventClientChanged
	}
	p.record(ctx, event)
	if len(old.Secrets) > 0 && !slices.EqualFunc(old.Secrets, current.Secrets, sameSecret) {
		p.record(ctx, Event{Name: EventSecretChanged, ClientID: current.ID})
	}
}

// DeleteClient removes an application with everything that was allowed to it. It
// returns nil when there is none.
func (p *Provider) DeleteClient(ctx context.Context, id string) error {
	if err := p.cfg.Store.DeleteClient(ctx, id); err != nil {
		return fmt.Errorf("delete client: %w", err)
	}
	p.engine.ForgetClient(id)
	p.record(ctx, Event{Name: EventClientDeleted, ClientID: id})
	return nil
}

func (c Client) record() storage.Client {
	record := storage.Client{
		ID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, AuthMethod: c.TokenEndpointAuthMethod,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, Origins: c.Origins,
		UserinfoSigned: c.UserinfoSigned, RequireVerified: c.RequireVerified, SkipConsent: c.SkipConsent,
		Disabled: c.Disabled, ButtonColor: c.ButtonColor, PolicyURI: c.PolicyURL, TermsURI: c.TermsURL,
	}
	if record.Name == "" {
		record.Name = c.ID
	}
	if record.Dialect == "" {
		record.Dialect = V3
	}
	if c.Public {
		record.AuthMethod = engine.AuthNone
	}
	return record
}

// validate names the first field that cannot be accepted.
func (c Client) validate(known *catalogue) error {
	if !isName(c.ID) {
		return errors.New("ID: must be 1 to 64 letters, digits, or -_.:")
	}
	if _, ok := engine.DialectNamed(c.Dialect); !ok {
		return fmt.Errorf("Dialect: %q is neither %q nor %q", c.Dialect, V3, Standard)
	}
	switch {
	case len(c.Name) > 120 || !isPlainText(c.Name):
		return errors.New("Name: must be at most 120 bytes of text")
	case c.Public && c.Secret != "":
		return errors.New("Secret: a public client has none")
	case c.Secret != "" && (len(c.Secret) < 16 || len(c.Secret) > 255):
		return errors.New("Secret: must be 16 to 255 bytes")
	case !slices.Contains([]string{"", engine.AuthBasic, engine.AuthPost}, c.TokenEndpointAuthMethod):
		return fmt.Errorf("TokenEndpointAuthMethod: %q is unknown", c.TokenEndpointAuthMethod)
	case c.ButtonColor != "" && !isColor(c.ButtonColor):
		return fmt.Errorf("ButtonColor: %q is not of the form #rrggbb", c.ButtonColor)
	case len(c.RedirectURIs) == 0 || len(c.RedirectURIs) > 100:
		return errors.New("RedirectURIs: must be 1 to 100")
	case c.PolicyURL != "" && !isWebURL(c.PolicyURL):
		return errors.New("PolicyURL: is not an http address")
	case c.TermsURL != "" && !isWebURL(c.TermsURL):
		return errors.New("TermsURL: is not an http address")
	}
	return c.validateLists(known)
}

func (c Client) validateLists(known *catalogue) error {
	for _, list := range []struct {
		name   string
		values []string
		check  func(string) error
	}{
		{"RedirectURIs", c.RedirectURIs, engine.ValidateRedirectURI},
		{"PostLogoutRedirectURIs", c.PostLogoutRedirectURIs, engine.ValidateRedirectURI},
		{"ResponseTypes", c.ResponseTypes, oneOf(engine.ResponseTypes)},
		{"GrantTypes", c.GrantTypes, oneOf(engine.GrantTypes)},
		{"Origins", c.Origins, validateOrigin},
		{"Scopes", c.Scopes, func(s string) error {
			if !known.known(s) {
				return errors.New("is not a scope of the catalogue")
			}
			return nil
		}},
	} {
		for i, v := range list.values {
			if err := list.check(v); err != nil {
				return fmt.Errorf("%s[%d]: %q %w", list.name, i, v, err)
			}
		}
	}
	return nil
}

func oneOf(known []string) func(string) error {
	return func(s string) error {
		if !slices.Contains(known, s) {
			return errors.New("is none of " + strings.Join(known, ", "))
		}
		return nil
	}
}

// validateOrigin accepts an origin as browsers send it (RFC 6454 section 6.2).
func validateOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != s || s != strings.ToLower(s) || strings.Contains(s, "*") {
		return errors.New("is not an origin such as https://app.example.com")
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && isLoopbackHost(u.Hostname())) {
		return errors.New("must be https; http is allowed for localhost only")
	}
	return nil
}

func isWebURL(s string) bool { return isLink(s) && !strings.HasPrefix(s, "/") }

func isPlainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}
