// Package persona records the personas of a sandbox, so that developers can sign in as
// them. A provider that is no sandbox has no [Cast].
package persona

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// Cast are the personas of a provider's applications. A nil Cast has none.
type Cast struct{ Options }

// Options are the dependencies of a Cast.
type Options struct {
	// Of is the host's function.
	Of func(ctx context.Context, clientID string) (sandbox.PersonaSet, error)

	Catalogue *claims.Catalogue
	Store     interface {
		storage.Accounts
		storage.People
	}
	Audit *audit.Log
	Clock func() time.Time
}

// Set returns the personas of an application, in a form that can be recorded.
func (c *Cast) Set(ctx context.Context, clientID string) (sandbox.PersonaSet, error) {
	if c == nil {
		return sandbox.PersonaSet{}, nil
	}
	set, err := host.Call(ctx, func(ctx context.Context) (sandbox.PersonaSet, error) { return c.Of(ctx, clientID) })
	if err == nil {
		err = Check(set)
	}
	if err != nil {
		return sandbox.PersonaSet{}, fmt.Errorf("%w: Personas: %w", host.ErrFailed, err)
	}
	return set, nil
}

// idPrefix begins the user ID of a persona. The realm, if any, a point and the name follow;
// the name has no point.
const idPrefix = "persona."

// UserID returns the subject of a persona.
func UserID(realm, name string) string {
	if realm == "" {
		return idPrefix + name
	}
	return idPrefix + realm + "." + name
}

// Plays reports whether a user is a persona.
func (c *Cast) Plays(userID string) bool { return c != nil && strings.HasPrefix(userID, idPrefix) }

// Knows reports whether a user may use an application. A persona of another realm may not:
// an organization must neither see the personas of another nor sign in as one.
func (c *Cast) Knows(ctx context.Context, userID, clientID string) (bool, error) {
	if !c.Plays(userID) {
		return true, nil
	}
	set, err := c.Set(ctx, clientID)
	if err != nil {
		return false, err
	}
	name := userID[strings.LastIndexByte(userID, '.')+1:]
	return userID == UserID(set.Realm, name), nil
}

// Find returns the persona with this name.
func Find(set sandbox.PersonaSet, name string) (sandbox.Persona, bool) {
	for _, p := range set.Personas {
		if p.Name == name {
			return p, true
		}
	}
	return sandbox.Persona{}, false
}

// Methods returns the authentication methods of a persona (RFC 8176).
func Methods(p sandbox.Persona) []string {
	if len(p.AMR) > 0 {
		return p.AMR
	}
	if best := assurance.Best(Factors(p, time.Time{})); best.Level > storage.AnyAssurance {
		return best.AMR
	}
	return []string{"pwd"}
}

// Factors returns the factors by which a persona signs in at a time: those of its level, or
// none, if that follows from its methods.
func Factors(p sandbox.Persona, at time.Time) []storage.Factor {
	var methods []storage.Method
	switch p.Assurance {
	case storage.OneFactor:
		methods = []storage.Method{storage.Password}
	case storage.TwoFactors:
		methods = []storage.Method{storage.Password, storage.TOTPCode}
	case storage.PhishingResistant:
		methods = []storage.Method{storage.PasskeyVerified}
	}
	factors := make([]storage.Factor, len(methods))
	for i, method := range methods {
		factors[i] = storage.Factor{Method: method, At: at}
	}
	return factors
}

func emailOf(realm string, p sandbox.Persona) string {
	if p.Email != "" {
		return p.Email
	}
	return p.Name + "@" + strings.ToLower(cmp.Or(realm, "personas")) + ".sandbox.test"
}

// emailKey returns the key of a persona's address. No address has it, so that it collides
// neither with the address of a user nor with the same one in another realm.
func emailKey(userID string) string { return "persona:" + userID }
