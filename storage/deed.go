package storage

import (
	"context"
	"sync/atomic"
	"time"
)

// Deed is what a change rests on beside its own conditions, and what is recorded with it. A
// write whose context carries a Deed ([WithDeed]) compares its parts first, and writes its
// records in the same step: either all of it happens, or nothing. A Deed is carried out once:
// after the first write that succeeded with it, later ones leave it alone.
type Deed struct {
	// Events are recorded in this order; their IDs are ignored.
	Events []Event

	// Changes are recorded in the activity logs of their organizations, as AppendChange does; that
	// of an organization that is gone is left out. Stores that are no [Organizations] ignore them.
	Changes []Change

	// Deliveries are added to their receivers, as MoveMark does. Stores that are no [Signals] ignore
	// them.
	Deliveries []Delivery

	// IfChanged leaves events, changes and deliveries out, and nothing else, when the write succeeds but
	// reports that there was nothing to change: false, or zero.
	IfChanged bool

	// On is what the deed rests on.
	On DeedBasis

	// Target is the target of a plan that is done by the step; zero for none. ErrSpent if
	// it is not waiting, or its plan is not running.
	Target TargetID

	// InParts means that the act goes on after the step, with another write or a call: the
	// Target, the Break and the Answer are begun by the step, and done with FinishDeed.
	InParts bool

	// Again is for an act that was begun and is not known to be done: the BegunAt of its
	// target, or the ExpiresAt of its answer, as it was read. Zero for the first time. The
	// target is ErrSpent, and the answer ErrConflict, if it is another.
	Again time.Time

	// Break is recorded by the step; nil for none.
	Break *Break

	// Answer is what a repetition of the request gets; nil for none. ErrConflict if there is
	// one for its client and key.
	Answer *Answer

	done atomic.Bool
}

// Actor is who acts in place of a user, such as a member of the host's staff, and what that
// rests on (provider.By).
type Actor struct {
	// Name is who acts: "staff:", "client:" or "command:" with a name, or "host".
	// Defaults to the host as it is without an Actor: events name nobody.
	Name string

	// Matter is the ID of the Matter in which a member of the staff acts.
	// Defaults to none.
	Matter string

	// On must hold in the step of each write. Its zero value is no condition.
	On DeedBasis

	// Target, Break, Answer, InParts and Again are those of the Deed of the first write.
	// Default to none.
	Target  TargetID
	Break   *Break
	Answer  *Answer
	InParts bool
	Again   time.Time
}

// DeedBasis is what a deed rests on. Every part must hold in the step; a zero part is no
// condition.
type DeedBasis struct {
	// Matter must be open at At, of this Staff and about this Subject: ErrEnded if it is
	// not. Its Proof must be at least Proof, and not over: ErrProof if it is not.
	Matter, Staff, Subject string
	Proof                  CallerProof
	At                     time.Time

	// Account must have this Epoch and FactorsVersion: ErrChanged if it has others,
	// ErrNotFound if there is none.
	Account        string
	Epoch          int64
	FactorsVersion int64
}

// Deeds stores what has become of acts in parts.
type Deeds interface {
	// FinishDeed marks the Target, the Break and the Answer of a deed InParts as done. Of a
	// plan that was stopped meanwhile, too. ErrSpent if one of them is not begun, or is done.
	FinishDeed(ctx context.Context, d *Deed) error
}

// DeedError is the error of a write that failed because a part of its deed does not hold:
// stores return it, wrapped or bare, so that the deed's ErrChanged or ErrNotFound is not taken
// for one of the write's own conditions. errors.Is sees through it.
type DeedError struct{ Err error }

func (e *DeedError) Error() string { return "deed: " + e.Err.Error() }

func (e *DeedError) Unwrap() error { return e.Err }

type deedKey struct{}

// WithDeed returns a context that carries a deed for the next write.
func WithDeed(ctx context.Context, d *Deed) context.Context {
	return context.WithValue(ctx, deedKey{}, d)
}

// DeedOf returns the deed of a context that is still to be carried out, or nil. It is for
// stores, which call Done once the step has been committed.
func DeedOf(ctx context.Context) *Deed {
	d, _ := ctx.Value(deedKey{}).(*Deed)
	if d == nil || d.done.Load() {
		return nil
	}
	return d
}

// Done records that the deed has been carried out.
func (d *Deed) Done() { d.done.Store(true) }

// IsDone reports whether the deed has been carried out.
func (d *Deed) IsDone() bool { return d.done.Load() }
