package unknown

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/storage"
)

// maxAddresses is the maximum number of addresses of a kind in a registration.
const maxAddresses = 20

// selfMetadata are the members of a registration that are read (RFC 7591 section 2). Others,
// software statements among them, are ignored.
type selfMetadata struct {
	Name                   string   `json:"client_name"`
	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris"`
	GrantTypes             []string `json:"grant_types"`
	ResponseTypes          []string `json:"response_types"`
	AuthMethod             string   `json:"token_endpoint_auth_method"`
	Scope                  string   `json:"scope"`
}

// Registered is what has been registered (RFC 7591 section 3.2.1).
type Registered struct {
	ClientID               string   `json:"client_id"`
	IssuedAt               int64    `json:"client_id_issued_at"`
	Secret                 string   `json:"client_secret,omitempty"`
	SecretExpiresAt        *int64   `json:"client_secret_expires_at,omitempty"`
	Name                   string   `json:"client_name,omitempty"`
	RedirectURIs           []string `json:"redirect_uris"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`
	GrantTypes             []string `json:"grant_types"`
	ResponseTypes          []string `json:"response_types"`
	AuthMethod             string   `json:"token_endpoint_auth_method"`
	Scope                  string   `json:"scope"`
}

// Register makes a client of the metadata that it sends, within what the policy allows it. Equal
// metadata make another client: they are no sign of the same program. Its row ends like that of
// a document. The error is a protocol.Error where the metadata are wrong.
func (s *Clients) Register(ctx context.Context, text []byte) (Registered, error) {
	var m selfMetadata
	if len(text) > registration.MaxBytes || json.Unmarshal(text, &m) != nil {
		return Registered{}, protocol.Fail(protocol.InvalidClientMetadata, "The body must be a JSON object with the metadata of RFC 7591, of at most 8 KiB.")
	}
	now := s.Clock()
	c, err := s.Policy.register(m, now)
	if err != nil {
		return Registered{}, err
	}
	names, err := s.Names(ctx)
	if err != nil {
		return Registered{}, err
	}
	c.Document = &storage.ClientDocument{Name: shownName(m.Name, names)}
	answer := Registered{
		ClientID: c.ID, IssuedAt: now.Unix(), Name: c.Document.Name, RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		GrantTypes: c.GrantTypes, ResponseTypes: c.ResponseTypes, AuthMethod: c.AuthMethod, Scope: strings.Join(c.Scopes, " "),
	}
	if !c.Public {
		answer.Secret, answer.SecretExpiresAt = random.Text(32), new(int64)
		c.Secrets = []storage.ClientSecret{{Sealed: s.Seal(answer.Secret), CreatedAt: now}}
	}
	err = s.Limits.Log.Step(ctx, func(ctx context.Context) error { return s.Store.SaveClient(ctx, c) },
		storage.Event{Name: event.ClientCreated, ClientID: c.ID, Detail: "registered"})
	if errors.Is(err, storage.ErrDenied) {
		return Registered{}, protocol.Fail(protocol.InvalidRedirectURI, "redirect_uris has an address on a host that the operator has not allowed.")
	}
	return answer, err
}

// register returns the client of a registration. The error is a protocol.Error.
func (p *Policy) register(m selfMetadata, now time.Time) (storage.Client, error) {
	if err := p.checkRegistered(m); err != nil {
		return storage.Client{}, err
	}
	c := storage.Client{
		ID: registry.SelfRegistered + random.Text(16), Name: namesOf(m.RedirectURIs), Dialect: registry.DialectStandard, Origin: storage.OriginRegistered,
		Unreviewed: true, NoQueryToken: true, NoJSONP: true, RequirePKCE: true,
		RedirectURIs: m.RedirectURIs, PostLogoutRedirectURIs: m.PostLogoutRedirectURIs,
		ResponseTypes: []string{"code"}, GrantTypes: []string{protocol.GrantAuthorizationCode}, Scopes: p.Scopes,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(unconsented),
	}
	if slices.Contains(m.GrantTypes, protocol.GrantRefreshToken) {
		c.GrantTypes = append(c.GrantTypes, protocol.GrantRefreshToken)
	}
	if asked := strings.Fields(m.Scope); len(asked) > 0 {
		c.Scopes = p.within(asked)
	}
	c.AuthMethod = protocol.AuthNone
	if !slices.ContainsFunc(m.RedirectURIs, func(uri string) bool { return !strings.HasPrefix(uri, "https://") }) {
		switch m.AuthMethod { // RFC 7591 section 2 has the default
		case "", protocol.AuthBasic:
			c.AuthMethod = protocol.AuthBasic
		case protocol.AuthPost:
			c.AuthMethod = protocol.AuthPost
		}
	}
	c.Public = c.AuthMethod == protocol.AuthNone
	return c, nil
}

// checkRegistered refuses a registration that the policy cannot make a client of.
func (p *Policy) checkRegistered(m selfMetadata) error {
	wrong := func(description string) error { return protocol.Fail(protocol.InvalidClientMetadata, description) }
	switch {
	case len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxAddresses:
		return protocol.Fail(protocol.InvalidRedirectURI, "redirect_uris must have 1 to 20 addresses.")
	case len(m.PostLogoutRedirectURIs) > maxAddresses:
		return wrong("post_logout_redirect_uris may have 20 addresses at most.")
	case len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code"):
		return wrong("response_types must include code.")
	case len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, protocol.GrantAuthorizationCode):
		return wrong("grant_types must include authorization_code.")
	case !slices.Contains([]string{"", protocol.AuthNone, protocol.AuthBasic, protocol.AuthPost}, m.AuthMethod):
		return wrong("token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.")
	}
	for i, uri := range m.RedirectURIs {
		if err := p.validateRegistered(uri); err != nil {
			return protocol.Fail(protocol.InvalidRedirectURI, "redirect_uris["+strconv.Itoa(i)+"] "+err.Error()+".")
		}
	}
	for i, uri := range m.PostLogoutRedirectURIs {
		if err := p.validateRegistered(uri); err != nil {
			return wrong("post_logout_redirect_uris[" + strconv.Itoa(i) + "] " + err.Error() + ".")
		}
	}
	return nil
}

// validateRegistered reports why a client that registers itself may not have an address, or
// nil. It proves no host: it has programs on the user's device, and hosts that the operator
// names.
func (p *Policy) validateRegistered(uri string) error {
	if err := p.Addresses.ValidateRedirectURI(uri); err != nil {
		return err
	}
	u, err := url.Parse(uri)
	if err != nil {
		return errors.New("is not an absolute address")
	}
	host := strings.ToLower(u.Hostname())
	switch u.Scheme {
	case "http":
		if !registry.IsLoopback(host) {
			return errors.New("is http, and not of a loopback host")
		}
	case "https":
		if registration.MatchesHost(p.Deny, host) || !registration.MatchesHost(p.Allow, host) && !registration.MatchesHost(p.Trusted, host) {
			return errors.New("is on a host that the operator has not allowed")
		}
	default:
		if registration.MatchesHost(p.Deny, registration.ReversedHost(u.Scheme)) {
			return errors.New("has a scheme that the operator has not allowed")
		}
	}
	return nil
}

// within returns those of some scopes that the policy allows; openid, which everybody may ask
// for, if it allows none: no scopes would be all.
func (p *Policy) within(scopes []string) []string {
	var left []string
	for _, s := range scopes {
		if slices.Contains(p.Scopes, s) && !slices.Contains(left, s) {
			left = append(left, s)
		}
	}
	if len(left) == 0 {
		return []string{protocol.ScopeOpenID}
	}
	return left
}

// admitRegistered is Admit for a client that has registered itself.
func (p *Policy) admitRegistered(c *registry.Client) error {
	if p.Register != RegisterOpen {
		return registry.ErrDisabled
	}
	for _, uri := range c.RedirectURIs {
		if p.validateRegistered(uri) != nil {
			return registry.ErrDisabled
		}
	}
	c.Scopes = p.within(c.Scopes)
	return nil
}

// namesOf returns where addresses lead, each once: their hosts, or their schemes.
func namesOf(uris []string) string {
	var names []string
	for _, uri := range uris {
		name, _, _ := strings.Cut(uri, ":")
		if strings.HasPrefix(uri, "http://") || strings.HasPrefix(uri, "https://") {
			name = hostOf(uri)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
