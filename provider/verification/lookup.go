package verification

import (
	"context"
	"errors"
	"time"
)

// lookup is what the verifiers of this package read. Digests are keyed. The case says who
// asks: what one person can try is limited.
type lookup interface {
	rosterLookup
	codeLookup
}

type rosterLookup interface {
	// matchRoster returns the row of a roster in force that has one of the digests of a
	// value, decrypted, and whether there is one.
	matchRoster(ctx context.Context, c *Case, roster, value string) (row rosterRow, found bool, err error)
}

type codeLookup interface {
	// redeemCode counts the subject's use of an invitation code. errNoCode if there is none
	// for this group and address, or it is used up.
	redeemCode(ctx context.Context, c *Case, code string) (redeemed redeemedCode, err error)
}

var (
	errNoCode = errors.New("verification: no such code")
	// errTooMany means that a person has tried too often to find a row or a code.
	errTooMany = errors.New("verification: too many tries")
)

// rosterRow is the content of a row of a roster.
type rosterRow struct {
	Subgroup string    `json:"subgroup,omitempty"`
	Until    time.Time `json:"until,omitzero"`

	// Canary marks a row of nobody: who knows it has the list from elsewhere.
	Canary bool `json:"canary,omitempty"`
}

// redeemedCode is what an invitation code proves.
type redeemedCode struct {
	Subgroups []string
	Until     time.Time
	IssuedBy  string
}
