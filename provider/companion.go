package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/host"
)

// Companion keeps data about the provider's users, such as the dashboard for developers
// (People.KeepWith).
type Companion = host.Companion

// companions are the companions of a provider.
type companions struct {
	mu  sync.Mutex
	all []Companion
}

// KeepWith registers a companion, which forgets users whose account is deleted: at their
// request, after the grace period, or with Accounts.Delete, which hosts with their own
// users call, too. It forgets a user before the account is removed. If it fails, the
// account stays until another call or the next round of Run, so that its data never passes
// to the next user with that ID.
func (p People) KeepWith(c Companion) {
	p.companions.mu.Lock()
	defer p.companions.mu.Unlock()
	p.companions.all = append(p.companions.all[:len(p.companions.all):len(p.companions.all)], c)
}

func (c *companions) list() []Companion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// forget has all companions forget a user.
func (c *companions) forget(ctx context.Context, userID, pseudonym string) error {
	for _, companion := range c.list() {
		if err := companion.Forget(ctx, userID, pseudonym); err != nil {
			return fmt.Errorf("forget user: %w", err)
		}
	}
	return nil
}
