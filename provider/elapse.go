package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/storage"
)

// Elapsed says for whom time has passed: applications by their client IDs, users by what
// their IDs begin with. A negative By moves the clock back.
type Elapsed = storage.Elapsed

// ErrNoSandbox says that this provider is no sandbox (Config.Sandbox).
var ErrNoSandbox = errors.New("provider: is for a sandbox only")

// Elapse moves the clock of a sandbox for some applications and users, by making what is
// recorded of them older: access and refresh tokens, grants, consents, sessions and
// statuses. It is in force at once. Moved back, what has expired by it is good again unless
// Run has removed it; what was issued in between lies in the future then, and is of no use.
// ID tokens, which say themselves when they expire, and requests that are under way stay as
// they are.
//
// The personas of an organization are the users whose IDs begin with PersonaID(realm, "").
// ErrNoSandbox when the provider is none.
func (p Sandbox) Elapse(ctx context.Context, e Elapsed) error {
	if !p.cfg.Sandbox {
		return ErrNoSandbox
	}
	if err := p.store.Elapse(ctx, e); err != nil {
		return fmt.Errorf("provider: elapse: %w", err)
	}
	return nil
}

// PersonaID returns the user ID of a persona: the subject that applications get.
func PersonaID(realm, name string) string { return persona.UserID(realm, name) }
