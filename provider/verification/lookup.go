package verification

import (
	"context"
	"time"
)

// lookup is what the verifiers of this package read. Digests are keyed.
type lookup interface {
	// matchRoster returns the row of a roster in force that has one of the digests of a
	// value, decrypted, and whether there is one.
	matchRoster(ctx context.Context, roster, value string) (row rosterRow, found bool, err error)

	// redeemCode counts the subject's use of an invitation code. errNoCode if there is none
	// for this group and address.
	redeemCode(ctx context.Context, c *Case, code string) (redeemed redeemedCode, err error)
}

// rosterRow is the content of a row of a roster.
type rosterRow struct {
	Subgroup string    `json:"subgroup,omitempty"`
	Until    time.Time `json:"until,omitzero"`
}

// redeemedCode is what an invitation code proves.
type redeemedCode struct {
	Subgroups []string
	Until     time.Time
	IssuedBy  string
}
