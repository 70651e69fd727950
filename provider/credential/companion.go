package credential

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// companion is the service's part in the provider's user management.
type companion struct{ store storage.Credentials }

// exportedCredential is a credential in the file that a user downloads.
type exportedCredential struct {
	ID         string    `json:"id"`
	Group      string    `json:"group"`
	ClientID   string    `json:"client_id"`
	IssuedAt   time.Time `json:"issued_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	AcceptedAt time.Time `json:"accepted_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
	EndedBy    string    `json:"ended_by,omitempty"`
}

// Duties implements host.Companion: nobody answers for anything here.
func (companion) Duties(context.Context, string) ([]ui.Duty, error) { return nil, nil }

// Export implements host.Companion.
func (c companion) Export(ctx context.Context, userID string) (map[string]any, error) {
	list, match := []exportedCredential{}, storage.CredentialFilter{Subject: userID}
	for {
		page, err := c.store.Credentials(ctx, match)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			return map[string]any{"credentials": list}, nil
		}
		for _, one := range page {
			list = append(list, exportedCredential{one.ID, one.Group, one.ClientID, one.IssuedAt, one.ExpiresAt, one.AcceptedAt, one.EndedAt, string(one.End)})
			match.BeforeID = one.ID
		}
	}
}

// Forget implements host.Companion. The store does so where it deletes a person, with or without a
// service.
func (companion) Forget(context.Context, string, string) error { return nil }

// RemoveEnded implements host.Companion. The store sweeps what has expired.
func (companion) RemoveEnded(context.Context, time.Time, int) (int, error) { return 0, nil }
