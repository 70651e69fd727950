package provider

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/memory"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/storage"
)

// UnknownClients lets applications in that nobody has registered, such as assistants and
// editors that meet the provider for the first time. The zero value lets none in.
//
// All of them use the dialect Standard, the response type code and PKCE. Their users are asked,
// told that nobody has checked the application, and asked every time when it is a program on
// their device. They get no other grant than authorization_code and refresh_token, and a refresh
// token ends after 30 days without use.
type UnknownClients struct {
	// Documents accepts as client_id the https address of a JSON document with the metadata of
	// the application (draft-ietf-oauth-client-id-metadata-document). The address has a path
	// and at most 512 bytes, and is no Resource's; the document has at most 8 KiB and only
	// redirect URIs of the same registrable domain, of loopback hosts, and of a scheme that is
	// the host in reverse order. It is read when a user arrives, and used for as long as its
	// max-age says, from 5 minutes to a day. Config.AllowPrivateNetworks accepts addresses on
	// private networks too.
	// Defaults to false.
	Documents bool `json:"documents,omitempty"`

	// Register is who may register an application at /oauth/register (RFC 7591): for "token" who
	// has an initial access token of the dashboard, for "open" anybody as well.
	//
	// With a token it becomes an application of that organization like any other, to which
	// nothing else here applies, and its program can manage it (RFC 7592).
	//
	// Without a token no host is proved: https redirect URIs must be on hosts of Allow or
	// Trusted, any other is that of a program on the user's device, also with Allow. What no
	// user has allowed is removed after 24 hours, what nobody uses 90 days after the last grant
	// has ended. An address registers at most 20 in 15 minutes.
	// Defaults to nobody.
	Register string `json:"register,omitempty"`

	// Scopes are those that such applications may ask for: with data about people only if
	// anybody may ask for it.
	// Defaults to openid, offline_access and those of Config.Resources.
	Scopes []string `json:"scopes,omitempty"`

	// Allow are the hosts whose applications may ask, such as app.example, or *.app.example for all
	// below it; those of Deny may not, and their tokens are refused at once.
	// Defaults to all but those of Deny.
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`

	// Schemes are those of redirect URIs of programs on the user's device that are no domain in
	// reverse order, such as cursor. Any program on the device can claim one, as it can
	// any port: users are told that it is a program, and asked every time.
	// Defaults to those of editors: cursor, kiro, vscode, vscode-insiders, vscodium, windsurf and
	// zed; empty, and not nil, for none.
	Schemes []string `json:"schemes,omitempty"`

	// Trusted are hosts whose applications are shown by their own names, and without a warning.
	// Defaults to none.
	Trusted []string `json:"trusted,omitempty"`
}

// registerToken lets who has an initial access token register an application.
const registerToken = "token"

// editors are the schemes of programs that are known to register themselves.
var editors = []string{"cursor", "kiro", "vscode", "vscode-insiders", "vscodium", "windsurf", "zed"}

// schemes returns the private-use schemes without a domain.
func (u UnknownClients) schemes() []string {
	if u.Schemes == nil {
		return editors
	}
	return u.Schemes
}

// ownSchemes are of browsers and systems, which run, open or send what follows them.
var ownSchemes = []string{
	"about", "blob", "chrome", "content", "data", "facetime", "file", "filesystem", "ftp", "http", "https", "intent", "jar", "javascript",
	"mailto", "res", "resource", "sms", "ssh", "tel", "vbscript", "view-source", "ws", "wss",
}

// schemePattern is a scheme (RFC 3986 section 3.1) that is no domain in reverse order.
var schemePattern = regexp.MustCompile("^[a-z][a-z0-9+-]{1,30}$")

// validate returns an error for the first invalid field.
func (u UnknownClients) validate() error {
	for i, scheme := range u.Schemes {
		if !schemePattern.MatchString(scheme) || slices.Contains(ownSchemes, scheme) || strings.HasPrefix(scheme, "ms-") {
			return wrongField("UnknownClients.Schemes", "[%d]: %q is no scheme of a program, such as cursor, in lower case", i, scheme)
		}
	}
	if u.Register != "" && u.Register != registerToken && u.Register != unknown.RegisterOpen {
		return wrongField("UnknownClients.Register", "%q is neither empty, %q nor %q", u.Register, registerToken, unknown.RegisterOpen)
	}
	for _, f := range []struct {
		name  string
		hosts []string
	}{{"Allow", u.Allow}, {"Deny", u.Deny}, {"Trusted", u.Trusted}} {
		for i, host := range f.hosts {
			if !registration.IsHostPattern(host) {
				return wrongField("UnknownClients."+f.name, "[%d]: %q is no host such as app.example or *.app.example, in lower case", i, host)
			}
		}
	}
	return nil
}

// scopes returns the scopes that clients that nobody has registered may ask for.
func (u UnknownClients) scopes(c Config) []string {
	if len(u.Scopes) > 0 {
		return u.Scopes
	}
	scopes := []string{protocol.ScopeOpenID, protocol.ScopeOfflineAccess}
	for _, r := range c.Resources {
		for _, s := range r.Scopes {
			if !slices.Contains(scopes, s) {
				scopes = append(scopes, s)
			}
		}
	}
	return scopes
}

// unknownPolicy returns what clients that nobody has registered may.
func (c Config) unknownPolicy() *unknown.Policy {
	u := c.UnknownClients
	own := ""
	if base, err := url.Parse(c.BaseURL); err == nil {
		own = base.Host
	}
	var apis []string
	for _, r := range c.Resources {
		apis = append(apis, r.URI)
	}
	addresses := c.addresses()
	addresses.Schemes = u.schemes()
	return &unknown.Policy{
		Documents: u.Documents, Register: u.Register, Scopes: u.scopes(c), Resources: apis, Allow: u.Allow, Deny: u.Deny, Trusted: u.Trusted,
		AllowPrivate: c.AllowPrivateNetworks, Own: own, Algorithms: c.Algorithms, Addresses: addresses,
	}
}

// newUnknown returns the clients that nobody has registered. Their documents are fetched with a
// budget of their own: slow strangers delay no key set and no logout notice.
func (p *Provider) newUnknown(policy *unknown.Policy, rows memory.Clients) *unknown.Clients {
	p.strangers = outbound.New(outbound.Options{
		AllowPrivate: p.cfg.AllowPrivateNetworks, Timeout: unknown.Timeout, MaxCalls: unknown.MaxCalls, MaxBody: unknown.MaxBody,
	})
	names := cache.New[string, []string](time.Minute, 1, p.cfg.Clock)
	return unknown.New(unknown.Options{
		Policy: policy, Rows: rows, Store: p.store, HTTP: p.strangers.HTTP(),
		Seal: func(secret string) []byte { return p.secrets.Seal(clients.SealPurpose, []byte(secret)) },
		Names: func(ctx context.Context) ([]string, error) {
			return names.Get("", func() ([]string, error) { return p.trustedNames(ctx) })
		},
		Delete: p.clients.DeleteUnchanged, Used: p.cfg.Lifetimes.Grant, Limits: p.limits, Clock: p.cfg.Clock,
	})
}

// registers returns how clients register themselves without a token, or nil if they do not.
func (p *Provider) registers() func(ctx context.Context, metadata []byte) (unknown.Registered, error) {
	if p.cfg.UnknownClients.Register != unknown.RegisterOpen {
		return nil
	}
	return p.unknown.Register
}

// TryDocument reads the document of an application that nobody has registered, as an
// authorization request with this client_id does, and keeps nothing. It is for a page on which
// the owner of a document sees what is wrong with it, and who serves such a page limits how
// often. Without UnknownClients.Documents, every address is wrong.
func (p clientsRoom) TryDocument(ctx context.Context, address string) (room.DocumentTrial[Client], error) {
	if !p.cfg.UnknownClients.Documents {
		return room.DocumentTrial[Client]{Wrong: []string{"This service accepts no address as client_id."}}, nil
	}
	tried, err := p.unknown.Try(ctx, address)
	if err != nil {
		return room.DocumentTrial[Client]{}, fmt.Errorf("provider: try document: %w", err)
	}
	t := room.DocumentTrial[Client]{Wrong: tried.Wrong, Notes: tried.Notes, Wait: tried.Wait}
	if d := tried.Client.Document; d != nil {
		t.Client, t.CallsItself, t.Life = asClient(tried.Client), d.Name, d.FreshUntil.Sub(d.FetchedAt)
	}
	return t, nil
}

// trustedNames returns the names that people trust here: that of the provider and those of the
// applications that somebody has registered.
func (p *Provider) trustedNames(ctx context.Context) ([]string, error) {
	names := []string{p.cfg.Brand.name()}
	for after, page := "", 250; ; {
		found, err := p.store.Clients(ctx, storage.ClientFilter{Registered: true}, after, page)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if after = c.ID; !c.Deleted && !c.Unreadable && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
		if len(found) < page {
			return names, nil
		}
	}
}
