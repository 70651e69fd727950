package person

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
)

// What becomes of an account, and of what its owner signs in with.

func (r *room) checkDeletion(ctx context.Context, o action.Order, s subject) (action.Effect, error) {
	e := action.Effect{Facts: r.ended(s)}
	if !r.installed.HasAccounts {
		return e, nil
	}
	duties, err := r.Provider.Rooms().Accounts.Duties(ctx, o.Target)
	switch {
	case err != nil:
		return action.Effect{}, err
	case !s.state().DeleteAt.IsZero():
		e.Void = VoidDeletion
	case len(duties) > 0:
		e.Void = VoidDuties
	}
	grace := r.installed.Lifetimes.DeletionGrace
	e.Facts = append(e.Facts, action.Fact{Name: FactUntil, Value: r.Clock().Add(grace).UTC().Format(time.DateOnly)})
	return e, nil
}

// startDeletion has the host remove its user first, whose data here goes next: the other way
// round a user who is still there would begin anew.
func (r *room) startDeletion(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	if r.installed.HasAccounts {
		return action.Result{}, r.Provider.Rooms().Accounts.ScheduleDeletion(ctx, o.Target)
	}
	if err := r.record(ctx, o.Target, event.DeletionRequested); err != nil {
		return action.Result{}, err
	}
	if err := act(ctx, r.Host.Delete, o.Target); err != nil && !errors.Is(err, provider.ErrNoUser) { // as the second time
		return action.Result{}, err
	}
	return action.Result{}, r.accounts.Delete(ctx, o.Target)
}

func (r *room) checkKeeping(_ context.Context, _ action.Order, s subject) (action.Effect, error) {
	deleteAt := s.state().DeleteAt
	if deleteAt.IsZero() {
		return action.Effect{Void: VoidNoDeletion}, nil
	}
	return action.Effect{Facts: []action.Fact{{Name: FactUntil, Value: deleteAt.UTC().Format(time.DateOnly)}}}, nil
}

func (r *room) stopDeletion(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	err := r.Provider.Rooms().Accounts.KeepAccount(ctx, o.Target)
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.DeletionWithdrawn)
	}
	return action.Result{}, err
}

// factors are what an account has beside its password.
func factors(has provider.RecordedAuthenticators) (facts []action.Fact) {
	if n := len(has.Passkeys); n > 0 {
		facts = append(facts, count(FactPasskeys, n))
	}
	if n := len(has.Links); n > 0 {
		facts = append(facts, count(FactLinks, n))
	}
	if !has.AppSince.IsZero() {
		facts = append(facts, count(FactApp, 1))
	}
	if has.RecoveryCodes > 0 {
		facts = append(facts, count(FactCodes, has.RecoveryCodes))
	}
	return facts
}

// checkRecovery is for the wait at whose end the mailbox is enough.
func (r *room) checkRecovery(ctx context.Context, o action.Order, s subject) (action.Effect, error) {
	has, err := r.Provider.Accounts().Authenticators(ctx, o.Target)
	if err != nil {
		return action.Effect{}, asTarget(err)
	}
	e := action.Effect{Facts: factors(has), Void: mailVoid(s.state())}
	switch {
	case e.Void != "":
	case has.Recovery != nil:
		e.Void = VoidRecovering
	case len(has.Passkeys) == 0 && has.AppSince.IsZero() && !has.SecondStep:
		e.Void = VoidNoFactors // a reset of the password is enough
	}
	wait := r.installed.RecoveryWait
	e.Facts = append(e.Facts, count(FactWait, int(wait/time.Hour)))
	return e, nil
}

func (r *room) startRecovery(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	return action.Result{}, r.Provider.Rooms().Accounts.StartRecovery(ctx, o.Target)
}

func (r *room) checkFactors(ctx context.Context, o action.Order, s subject) (action.Effect, error) {
	has, err := r.Provider.Accounts().Authenticators(ctx, o.Target)
	if err != nil {
		return action.Effect{}, asTarget(err)
	}
	e := action.Effect{Facts: factors(has)}
	if len(e.Facts) == 0 {
		e.Void = VoidNoFactors
	}
	e.Facts = append(e.Facts, r.ended(s)...)
	return e, nil
}

func (r *room) resetFactors(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	return action.Result{}, r.accounts.ResetAuthenticators(ctx, o.Target)
}

// checkEmail is for another address. That another account has it is told to operators, who
// find that account all the same.
func (r *room) checkEmail(ctx context.Context, o action.Order, s subject) (action.Effect, error) {
	wanted := o.Values[action.FieldEmail]
	if _, err := mailbox.EmailKey(wanted); err != nil || wanted == s.state().Email {
		return action.Effect{}, &provider.FieldError{Field: action.FieldEmail, Err: errors.New("is not another e-mail address")}
	}
	e := action.Effect{Facts: append([]action.Fact{{Name: FactEmail, Value: wanted}}, r.ended(s)...)}
	other, err := r.accounts.GetByEmail(ctx, wanted)
	switch {
	case err == nil && other.ID != o.Target:
		e.Void = VoidTaken
	case err != nil && !errors.Is(err, provider.ErrNoUser):
		return action.Effect{}, err
	}
	return e, nil
}

func (r *room) changeEmail(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	return action.Result{}, r.Provider.Rooms().Accounts.ChangeEmail(ctx, o.Target, o.Values[action.FieldEmail])
}
