package frame

import (
	"cmp"
	"context"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/host"
)

// Standing is how a person stands to a member of the staff who would act on them.
type Standing int

// The standings.
const (
	// Anybody has no role here.
	Anybody Standing = iota
	// Protected has one: only a plan of two operators acts on them.
	Protected
	// Self is the member of the staff. Nobody acts on themselves.
	Self
)

// StaffOf asks the host what a user may do; the zero Staff is nobody. With Config.Admit alone
// nobody is staff by being a user.
func (f *Frame) StaffOf(ctx context.Context, userID string) (action.Staff, error) {
	if f.Staff == nil || userID == "" {
		return action.Staff{}, nil
	}
	return host.Call(ctx, func(ctx context.Context) (action.Staff, error) { return f.Staff(ctx, userID) })
}

// StandingOf asks the host how a person stands to the staff of this ID, who is signed in as a
// user, if as any. The error is the host's: nobody may act before it is known.
func (f *Frame) StandingOf(ctx context.Context, staffID, asUser, person string) (Standing, error) {
	if asUser != "" && asUser == person || staffID == person {
		return Self, nil
	}
	other, err := f.StaffOf(ctx, person)
	if err != nil {
		return Protected, Unavailable(err)
	}
	if other.Works() {
		if cmp.Or(other.ID, person) == staffID {
			return Self, nil
		}
		return Protected, nil
	}
	if f.Options.Protected == nil {
		return Anybody, nil
	}
	protected, err := host.Call(ctx, func(ctx context.Context) (bool, error) { return f.Options.Protected(ctx, person) })
	switch {
	case err != nil:
		return Protected, Unavailable(err)
	case protected:
		return Protected, nil
	}
	return Anybody, nil
}

// StandingOf is Frame.StandingOf for who asks.
func (r *Request) StandingOf(person string) (Standing, error) {
	return r.Frame.StandingOf(r.Context(), r.Staff.ID, r.User.UserID, person)
}

// Vouches asks the host whether it has found out in its own way who calls; false without
// Config.Vouch.
func (r *Request) Vouches(person string) (bool, error) {
	if r.Frame.Vouch == nil {
		return false, nil
	}
	vouches, err := host.Call(r.Context(), func(ctx context.Context) (bool, error) { return r.Frame.Vouch(ctx, r.Staff.ID, person) })
	if err != nil {
		return false, Unavailable(err)
	}
	return vouches, nil
}
