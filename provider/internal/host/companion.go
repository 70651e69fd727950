package host

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// Companion stands beside the provider and keeps something about its users, such as the
// dashboard for developers.
type Companion interface {
	// Duties are what a user alone answers for. Users do not delete their account while
	// there are any: somebody has to follow first.
	Duties(ctx context.Context, userID string) ([]ui.Duty, error)

	// Export returns what is kept about a user, by the names that it has in the file that
	// the user downloads.
	Export(ctx context.Context, userID string) (map[string]any, error)

	// Forget ends what is kept about a user, whose account is removed next; where what has
	// happened is kept, the pseudonym takes the place of the ID. It is called again, with
	// another pseudonym, when it fails or when the provider ends before the account is
	// removed, and for users whom the companion does not know.
	Forget(ctx context.Context, userID, pseudonym string) error

	// RemoveEnded removes for good up to limit of what is over at a time that all processes
	// of the provider agree on, and reports how many. Run calls it again until that is zero.
	RemoveEnded(ctx context.Context, now time.Time, limit int) (removed int, err error)
}

// Companions are those of one provider. Its methods may be called by any number of
// goroutines.
type Companions struct {
	mu  sync.Mutex
	all []Companion
}

// Add adds a companion.
func (c *Companions) Add(one Companion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all[:len(c.all):len(c.all)], one) // the former list may be in use
}

// All returns the companions. The list must not be changed.
func (c *Companions) All() []Companion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// Forget has all companions forget a user.
func (c *Companions) Forget(ctx context.Context, userID, pseudonym string) error {
	for _, companion := range c.All() {
		if err := companion.Forget(ctx, userID, pseudonym); err != nil {
			return fmt.Errorf("forget user: %w", err)
		}
	}
	return nil
}
