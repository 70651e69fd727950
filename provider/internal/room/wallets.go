package room

import (
	"context"
	"errors"

	"github.com/bonafide-id/bonafide/storage"
)

// Wallets are what was issued to the wallets of users: package credential has them.
type Wallets interface {
	// InForce returns the credentials of a user that are in force, the latest first.
	InForce(ctx context.Context, userID string) ([]storage.Credential, error)

	// End ends one of them as the staff; one that is not in force is left as it is.
	End(ctx context.Context, userID, id string) error
}

// Errors of an offer of a credential to any wallet.
var (
	// ErrOfferOpen means that no wallet has the code of an offer yet.
	ErrOfferOpen = errors.New("provider: no wallet has taken the offer")

	// ErrOfferOver means that there is no such offer, or none any more.
	ErrOfferOver = errors.New("provider: the offer is over")
)
