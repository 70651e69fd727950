package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Installation describes a provider, for documentation and for pages about it.
type Installation struct {
	// BaseURL and Sandbox are those of the Config.
	BaseURL string
	Sandbox bool

	// Name and Code are those of the Brand.
	Name, Code string

	// Issuer is the issuer identifier.
	Issuer string

	// MetadataPaths are the paths, for the host's router, at which clients such as those of
	// the Model Context Protocol look for the discovery document besides the path of the
	// BaseURL (RFC 8414 section 3.1). None if the BaseURL has no path: the provider then
	// gets these requests anyway. A client that takes the issuer for OpenID Connect does
	// not use them.
	//
	//	for _, path := range idp.Installation().MetadataPaths {
	//		mux.Handle(path, idp)
	//	}
	MetadataPaths []string

	// HasAccounts reports whether users sign in with embedded accounts, SignsUp whether
	// they can create one.
	HasAccounts bool
	SignsUp     bool

	// Scopes, Attributes and Groups are those in force, in the host's order; Attributes
	// begin with the default catalogue.
	Scopes     []Scope
	Attributes []Attribute
	Groups     []Group

	// Resources are the APIs for which applications can request access tokens.
	Resources []Resource

	// Lifetimes are those in force.
	Lifetimes Lifetimes
}

// Installation describes this provider. The caller may change the value.
func (p *Provider) Installation() Installation {
	i := Installation{
		BaseURL: p.cfg.BaseURL, Sandbox: p.cfg.Sandbox, Name: p.cfg.Brand.name(), Code: p.cfg.Brand.Code, Issuer: p.issuer,
		HasAccounts: p.cfg.hasAccounts(), SignsUp: p.cfg.hasAccounts() && p.cfg.Mailer != nil,
		Scopes: slices.Clone(p.catalogue.Scopes), Attributes: slices.Clone(p.catalogue.Attributes), Groups: slices.Clone(p.catalogue.Groups),
		Resources: slices.Clone(p.cfg.Resources), Lifetimes: p.cfg.Lifetimes,
	}
	if base := p.server.BasePath(); base != "" {
		i.MetadataPaths = oauth.InsertedPaths(base)
	}
	for n, s := range i.Scopes {
		i.Scopes[n].Attributes, i.Scopes[n].Groups, i.Scopes[n].Translations = slices.Clone(s.Attributes), slices.Clone(s.Groups), maps.Clone(s.Translations)
	}
	for n, a := range i.Attributes {
		i.Attributes[n].Members, i.Attributes[n].From, i.Attributes[n].Translations = slices.Clone(a.Members), slices.Clone(a.From), maps.Clone(a.Translations)
	}
	for n, g := range i.Groups {
		i.Groups[n].Subgroups, i.Groups[n].Translations = slices.Clone(g.Subgroups), maps.Clone(g.Translations)
		for lang, words := range g.Translations {
			words.Subgroups = maps.Clone(words.Subgroups)
			i.Groups[n].Translations[lang] = words
		}
	}
	for n, r := range i.Resources {
		i.Resources[n].Scopes, i.Resources[n].Introspectors = slices.Clone(r.Scopes), slices.Clone(r.Introspectors)
	}
	return i
}

// ScopeWords returns the title and the explanation of a scope in the language of a screen
// (Screen.Page).
func (p Pages) ScopeWords(l *ui.Locale, name string) (title, description ui.Label) {
	return p.catalogue.ScopeWords(l, name)
}

// GroupWords returns what a group and these of its subgroups are called in the language of a
// screen (Screen.Page).
func (p Pages) GroupWords(l *ui.Locale, group string, subgroups ...string) (title ui.Label, parts []ui.Label) {
	return p.catalogue.GroupWords(l, group), p.catalogue.SubgroupWords(l, group, subgroups)
}

// Locale returns the language of mails to a user who is not on a screen: the account's, or
// else English.
func (p People) Locale(ctx context.Context, userID string) (*ui.Locale, error) {
	a, err := p.store.Account(ctx, userID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // a user of the host has none
		return nil, fmt.Errorf("provider: read account: %w", err)
	}
	return p.pages.Site.AccountLocale(a), nil
}

// VerifiedEmail returns the user's verified address, as NormalizeEmail spells it; empty if
// there is none, or no such user.
func (p People) VerifiedEmail(ctx context.Context, userID string) (string, error) {
	person, err := p.flows.Claims.Person(ctx, userID, claims.AccountHandles, nil)
	switch {
	case errors.Is(err, ErrNoUser):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("provider: read person: %w", err)
	case !person.EmailVerified():
		return "", nil
	}
	key, err := NormalizeEmail(person.Text("email"))
	if err != nil {
		return "", nil //nolint:nilerr // the host has recorded an invalid address
	}
	return key, nil
}

// NormalizeEmail returns the one spelling of an address that the provider compares: it
// unifies letter case, Unicode form, and Unicode and ASCII domains. An invalid address is
// an error.
func NormalizeEmail(address string) (string, error) {
	key, err := account.EmailKey(address)
	if err != nil {
		return "", fmt.Errorf("provider: e-mail address: %w", err)
	}
	return key, nil
}

// View returns the user as other users see them, such as members of an organization.
// ErrNoUser if there is none.
func (p People) View(ctx context.Context, userID string) (ui.Account, error) {
	return p.flows.AccountView(ctx, userID)
}
