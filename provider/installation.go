package provider

import (
	"context"
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// Installation is what a provider is, for documentation and for pages about it.
type Installation struct {
	// BaseURL and Sandbox are those of the Config.
	BaseURL string
	Sandbox bool

	// Name is that of the Brand.
	Name string

	// Issuer is the issuer identifier.
	Issuer string

	// Scopes, Attributes and Groups are those in force, in the order of the host;
	// Attributes begin with those of the default catalogue.
	Scopes     []Scope
	Attributes []Attribute
	Groups     []Group

	// Lifetimes are those in force.
	Lifetimes Lifetimes
}

// Installation returns what this provider is.
func (p *Provider) Installation() Installation {
	return Installation{
		BaseURL: p.cfg.BaseURL, Sandbox: p.cfg.Sandbox, Name: p.cfg.Brand.Name, Issuer: p.issuer,
		Scopes: slices.Clone(p.catalogue.Scopes), Attributes: slices.Clone(p.catalogue.Attributes), Groups: slices.Clone(p.catalogue.Groups),
		Lifetimes: p.cfg.Lifetimes,
	}
}

// AccountView returns how a user is shown to those who know of the user, such as the
// members of an organization. ErrNoUser when there is none.
func (p *Provider) AccountView(ctx context.Context, userID string) (ui.Account, error) {
	return p.flows.AccountView(ctx, userID)
}
