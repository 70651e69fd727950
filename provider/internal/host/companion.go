package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// Companion keeps data about the provider's users beside it, such as the dashboard for
// developers.
type Companion interface {
	// Duties are the responsibilities of a user alone. A user who has any cannot delete the
	// account: somebody must take over first.
	Duties(ctx context.Context, userID string) ([]ui.Duty, error)

	// Export returns the data about a user, by name in the file that the user downloads.
	Export(ctx context.Context, userID string) (map[string]any, error)

	// Forget removes the data about a user, whose account is gone already. In logs that
	// stay, the pseudonym replaces the ID. It is called for unknown users, too, and again if
	// it fails or the process ends meanwhile, also by other processes at once.
	Forget(ctx context.Context, userID, pseudonym string) error

	// RemoveEnded permanently removes up to limit records that have ended by now, a time on
	// which all processes of the provider agree, and returns their number. Run repeats it
	// until that is zero.
	RemoveEnded(ctx context.Context, now time.Time, limit int) (removed int, err error)
}

// Companions are the companions of one provider. It is safe for concurrent use.
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

// Duties returns the responsibilities of a user alone, as all companions know them.
func (c *Companions) Duties(ctx context.Context, userID string) (all []ui.Duty, err error) {
	for _, companion := range c.All() {
		duties, err := companion.Duties(ctx, userID)
		if err != nil {
			return nil, fmt.Errorf("read duties: %w", err)
		}
		all = append(all, duties...)
	}
	return all, nil
}

// Forget has all companions forget a user. One that cannot keeps no other from it.
func (c *Companions) Forget(ctx context.Context, userID, pseudonym string) (err error) {
	for _, companion := range c.All() {
		if failed := companion.Forget(ctx, userID, pseudonym); failed != nil {
			err = errors.Join(err, fmt.Errorf("forget user: %w", failed))
		}
	}
	return err
}
