package provider

import (
	"context"

	"github.com/bonafide-id/bonafide/provider/internal/faults"
	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// What a sandbox has beside other providers is that of package sandbox.
type (
	// PersonaSet are the personas of an application.
	PersonaSet = sandbox.PersonaSet
	// Persona is somebody who does not exist, to be signed in as without a password.
	Persona = sandbox.Persona
	// PersonaStatus is the status of one group of a persona.
	PersonaStatus = sandbox.Status
	// PersonaChange is what is other about a persona at every second sign-in.
	PersonaChange = sandbox.Change
	// PersonaConsent is how a persona answers the consent screen.
	PersonaConsent = sandbox.Consent
	// Fault is a failure that an application asks for, to see whether it notices.
	Fault = sandbox.Fault
)

// DefaultPersonas returns personas for the cases that applications come across. They fit
// the default catalogue.
func DefaultPersonas() []Persona { return sandbox.DefaultPersonas() }

// Testing is what developers of applications can do in a sandbox. It needs Config.Sandbox.
type Testing struct {
	// Personas returns those that the application with this client ID can sign in as,
	// without a password: on the sign-in screen, or with login_hint=persona:NAME. It is
	// asked at each sign-in. An error, or what CheckPersonas would refuse for more than
	// the catalogue, is answered with 503. It needs the embedded accounts.
	// Defaults to none.
	Personas func(ctx context.Context, clientID string) (PersonaSet, error)

	// Faults returns the fault that the application with this client ID has asked for.
	// It is asked at each of its requests that may fail so, and is in force at once. An
	// error, or what is not one of package sandbox, is answered with 503.
	// Defaults to none.
	Faults func(ctx context.Context, clientID string) (Fault, error)
}

// CheckPersonas returns a FieldError for the first field of a set that Testing.Personas
// must not return, or that does not fit the catalogue and would be left out.
func (p Sandbox) CheckPersonas(set PersonaSet) error {
	return asFieldError(persona.CheckFit(p.catalogue, set))
}

// validateTesting names the first field of Testing that cannot work.
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

// personas returns the cast of a sandbox, or nil.
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
