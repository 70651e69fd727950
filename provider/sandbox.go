package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/faults"
	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// ErrNoSandbox means that this provider is not a sandbox (Config.Sandbox).
var ErrNoSandbox = errors.New("provider: is for a sandbox only")

// Elapse moves the clock of a sandbox for some applications and users: it makes their
// access and refresh tokens, grants, consents, sessions and statuses older, at once. When
// the clock moves back, expired records are valid again, unless Run has removed them;
// records issued in between lie in the future, and are invalid. ID tokens, which carry
// their own expiry, and requests in progress stay as they are.
//
// The personas of an organization are the users whose IDs begin with "persona.", its realm and a point.
// ErrNoSandbox if the provider is not a sandbox.
func (p sandboxRoom) Elapse(ctx context.Context, e storage.Elapsed) error {
	if !p.cfg.Sandbox {
		return ErrNoSandbox
	}
	if err := p.store.Elapse(ctx, e); err != nil {
		return fmt.Errorf("provider: elapse: %w", err)
	}
	return nil
}

// Testing is for developers of applications, in a sandbox. It requires Config.Sandbox.
type Testing struct {
	// Personas returns the personas of the application with this client ID, for sign-in
	// without a password: on the sign-in screen, or with login_hint=persona:NAME. It is
	// called at each sign-in. An error, or an invalid set, gets 503. It requires the embedded accounts.
	// Defaults to none.
	Personas func(ctx context.Context, clientID string) (sandbox.PersonaSet, error)

	// Faults returns the fault that the application with this client ID has requested. It
	// is called at each request that the fault may affect, and takes effect at once. An
	// error, or a fault unknown to package sandbox, gets 503.
	// Defaults to none.
	Faults func(ctx context.Context, clientID string) (sandbox.Fault, error)
}

// CheckPersonas returns a FieldError for the first field of a set that Testing.Personas
// must not return, or that the catalogue does not have, so that it would be dropped.
func (p sandboxRoom) CheckPersonas(set sandbox.PersonaSet) error {
	return asFieldError(persona.CheckFit(p.catalogue, set))
}

// validateTesting returns an error for the first invalid field of Testing.
func (c Config) validateTesting() error {
	switch {
	case c.Testing.Personas == nil && c.Testing.Faults == nil:
		return nil
	case !c.Sandbox:
		return wrongField("Testing", "is for a sandbox only; set Sandbox, and keep it apart from production")
	case c.Testing.Personas != nil && !c.hasAccounts():
		return wrongField("Testing.Personas", "need the embedded accounts; Users.SignedIn replaces them")
	default:
		return nil
	}
}

// personas returns the personas of a sandbox, or nil.
func (p *Provider) personas() *persona.Cast {
	if p.cfg.Testing.Personas == nil {
		return nil
	}
	return &persona.Cast{Options: persona.Options{
		Of: p.cfg.Testing.Personas, Catalogue: p.catalogue, Store: p.store, Audit: p.audit, Clock: p.cfg.Clock,
	}}
}

// newFaults returns the faults of a sandbox, or nil.
func (p *Provider) newFaults() *faults.Faults {
	if p.cfg.Testing.Faults == nil {
		return nil
	}
	return faults.New(faults.Options{Of: p.cfg.Testing.Faults, Grants: p.store, Clock: p.cfg.Clock})
}
