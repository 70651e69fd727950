package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/host"
)

// Companion stands beside the provider and keeps something about its users, such as the
// dashboard for developers (People.KeepWith).
type Companion = host.Companion

// companions are those of a provider.
type companions struct {
	mu  sync.Mutex
	all []Companion
}

// KeepWith has a companion hear of users whose account ends, however it ends: by their own
// wish after the grace, or by Accounts.Delete, which hosts with users of their own call, too.
// It hears of it before the account is removed, and the account stays, to be removed by
// another call or the next round of Run, while the companion fails: what it keeps is never
// left over for whoever gets the ID next.
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

// forget ends what companions keep about a user.
func (c *companions) forget(ctx context.Context, userID, pseudonym string) error {
	for _, companion := range c.list() {
		if err := companion.Forget(ctx, userID, pseudonym); err != nil {
			return fmt.Errorf("forget user: %w", err)
		}
	}
	return nil
}
