package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/storage"
)

// Elapsed selects applications by client ID and users by the prefix of their ID, and the
// time By that passes for them. A negative By moves the clock back.
type Elapsed = storage.Elapsed

// ErrNoSandbox means that this provider is not a sandbox (Config.Sandbox).
var ErrNoSandbox = errors.New("provider: is for a sandbox only")

// Elapse moves the clock of a sandbox for some applications and users: it makes their
// access and refresh tokens, grants, consents, sessions and statuses older, at once. When
// the clock moves back, expired records are valid again, unless Run has removed them;
// records issued in between lie in the future, and are invalid. ID tokens, which carry
// their own expiry, and requests in progress stay as they are.
//
// The personas of an organization are the users whose IDs begin with PersonaID(realm, "").
// ErrNoSandbox if the provider is not a sandbox.
func (p Sandbox) Elapse(ctx context.Context, e Elapsed) error {
	if !p.cfg.Sandbox {
		return ErrNoSandbox
	}
	if err := p.store.Elapse(ctx, e); err != nil {
		return fmt.Errorf("provider: elapse: %w", err)
	}
	return nil
}

// PersonaID returns the user ID of a persona, the subject for applications.
func PersonaID(realm, name string) string { return persona.UserID(realm, name) }
