package provider

import (
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/oauth"
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

	// Assurance is the highest level that a sign-in can reach.
	Assurance Assurance

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
		HasAccounts: p.cfg.hasAccounts(), SignsUp: p.cfg.hasAccounts() && p.cfg.Mailer != nil, Assurance: p.cfg.highestAssurance(),
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
		i.Resources[n].Scopes, i.Resources[n].Introspectors, i.Resources[n].Clients = slices.Clone(r.Scopes), slices.Clone(r.Introspectors), slices.Clone(r.Clients)
	}
	return i
}
