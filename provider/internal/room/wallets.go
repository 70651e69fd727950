package room

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// Wallets are what was issued to the wallets of users: package credential has them.
type Wallets interface {
	// InForce returns the credentials of a user that are in force, the latest first.
	InForce(ctx context.Context, userID string) ([]storage.Credential, error)

	// End ends one of them as the staff; one that is not in force is left as it is.
	End(ctx context.Context, userID, id string) error
}
