package provider

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
)

// Verifier is the way on for a user who is not a verified member of a group, or no longer.
// Config.Verifiers has one for each group whose members can be verified here.
type Verifier interface {
	// Verify returns where the user goes to be verified: an absolute https address, a path
	// of the host, or an http address where the provider itself is http, for development. It is called when a user has pressed a
	// button that says so, on the consent screen or on the account page, in the
	// request that answers with a redirect to the address: it prepares, and the page
	// behind the address does what takes time. From there the user is sent to
	// Verification.ReturnTo.
	//
	// What the verification finds is recorded with People.SetStatus, before the user
	// is sent back or, with Status.Pending in the meantime, days later. An error, any other
	// address, and an answer that takes longer than five seconds are answered with 503.
	Verify(ctx context.Context, v Verification) (address string, err error)
}

// VerifierFunc is a function that is a Verifier.
type VerifierFunc func(ctx context.Context, v Verification) (address string, err error)

// Verify calls f.
func (f VerifierFunc) Verify(ctx context.Context, v Verification) (address string, err error) {
	return f(ctx, v)
}

// Verification is what a Verifier is told: who wants to be verified as what.
type Verification struct {
	// UserID is the user, and Group the name of the group.
	UserID, Group string

	// Email is the address of the user, where it is known to be theirs, and Name what they are
	// called; empty when it is not known. Neither proves anything about the group.
	Email, Name string

	// ClientID names the application in whose flow the user is. It is empty on the
	// account page.
	ClientID string

	// Language is that of the screen which the user comes from, a BCP 47 tag.
	Language string

	// ReturnTo is where the user is sent back to afterwards, unchanged: an absolute
	// address of the provider, whose content is sealed and bound to the browser and the
	// user. Where it travels through a browser, Pages.IsReturnTo says whether it is
	// one. It allows nothing: the provider reads the status when the user comes back,
	// and goes on with what it finds. In the flow of an application it is of use for as long as
	// Lifetimes.Flow.
	ReturnTo string
}

// checkVerifiers names the first verifier that is none, or is of no group.
func (c Config) checkVerifiers(known *claims.Catalogue) error {
	for _, group := range slices.Sorted(maps.Keys(c.Verifiers)) {
		name, v := fmt.Sprintf("Verifiers[%q]", group), reflect.ValueOf(c.Verifiers[group])
		if _, ok := known.Group(group); !ok {
			return wrongField(name, "%q is not a group of the catalogue", group)
		}
		if !v.IsValid() || (v.Kind() == reflect.Func || v.Kind() == reflect.Pointer) && v.IsNil() {
			return wrongField(name, "is nil")
		}
	}
	return nil
}

// verifiers returns the verifiers as the rooms see them.
func (c Config) verifiers() map[string]authflow.Verifier {
	all := make(map[string]authflow.Verifier, len(c.Verifiers))
	for group, verifier := range c.Verifiers {
		all[group] = func(ctx context.Context, v authflow.Verification) (string, error) {
			return verifier.Verify(ctx, Verification(v))
		}
	}
	return all
}
