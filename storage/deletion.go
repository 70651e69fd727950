package storage

import (
	"context"
	"time"
)

// Deletions are account deletions that owners have requested. After a grace period, in
// which the owner may withdraw the request and no token is issued, the account is removed.
type Deletions interface {
	// SetDeletion schedules the deletion of an account, or cancels it if the time is zero,
	// and begins the next epoch. A scheduled account loses its sessions and grants, gets no
	// others, and Person leaves it out. ErrChanged if the proof is of an earlier version of
	// the account, ErrProof if another part of it does not hold, ErrNotFound if there is no
	// such account.
	SetDeletion(ctx context.Context, id string, on Proof, deleteAt, at time.Time) error

	// Departed returns up to limit deleted people whose deletion is not complete, in the order
	// of their subjects, after one of these; with a subject only that one, if it is one of them.
	Departed(ctx context.Context, after string, limit int, subject ...string) ([]Departed, error)

	// RemoveDeparted removes more of what is left of a deleted person, in some milliseconds,
	// and reports whether to call again: when all else that is kept about the person is gone,
	// such as the cases, for it takes the person from the list at the end. erase is as for DeleteAccount. When nothing is left
	// no writer is in the middle of a step that records an event of this subject; ErrUnavailable
	// if they did not pause in time: try again in a minute. Any number of processes may call it at once, also
	// for who is removed already.
	RemoveDeparted(ctx context.Context, d Departed, erase Erase) (left bool, err error)
}

// Departed is a deleted person whose deletion is decided, and not complete. What is kept beside
// the account is left, and events that are to get the pseudonym, and grants that have ended.
// Until they are gone nobody reads these: [Events] have the pseudonym, none is found by the
// subject, and no account has it as its ID.
type Departed struct{ Subject, Pseudonym string }
