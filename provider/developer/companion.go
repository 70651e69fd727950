package developer

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// companion is the dashboard's part in the provider's user management.
type companion struct{ *frame }

// Duties implements host.Companion: the organizations whose last owner the user is.
func (c companion) Duties(ctx context.Context, userID string) ([]ui.Duty, error) {
	memberships, err := c.Store.Memberships(ctx, userID)
	if err != nil {
		return nil, err
	}
	var alone []ui.Duty
	for _, m := range memberships {
		if m.Role != storage.RoleOwner {
			continue
		}
		members, err := c.Store.Members(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		others := 0
		for _, other := range members {
			if other.Role == storage.RoleOwner && other.UserID != userID {
				others++
			}
		}
		if others == 0 {
			alone = append(alone, ui.Duty{Name: m.Name, URL: c.path("o", m.ID, "members")})
		}
	}
	return alone, nil
}

// exportedMembership is a membership in the file that a user downloads.
type exportedMembership struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

// Export implements host.Companion.
func (c companion) Export(ctx context.Context, userID string) (map[string]any, error) {
	memberships, err := c.Store.Memberships(ctx, userID)
	list := make([]exportedMembership, len(memberships))
	for i, m := range memberships {
		list[i] = exportedMembership{m.ID, m.Name, string(m.Role)}
	}
	return map[string]any{"organizations": list}, err
}

// Forget implements host.Companion.
func (c companion) Forget(ctx context.Context, userID, pseudonym string) error {
	return c.Store.EndMemberships(ctx, userID, pseudonym)
}

// RemoveEnded implements host.Companion: old changes, and those of deleted
// organizations.
func (c companion) RemoveEnded(ctx context.Context, now time.Time, limit int) (int, error) {
	return c.Store.Trim(ctx, storage.Trim{Kind: storage.OldChanges, Before: before(now, c.KeepActivity)}, limit)
}
