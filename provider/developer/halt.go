package developer

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// An operator's decision about an organization, or about one application, is one write. It is then carried out on one
// application after the other, each of which is in two databases: the halt of an
// application records the progress, so that any process can continue. The registration is
// read before the halt, and each step replaces the registration with the Revision that was
// read: of two processes that carry out different decisions, or of a decision and a member
// who saves an older page, the later write fails.

// pageOfHalts is the number of applications read at a time.
const pageOfHalts = 50

// carryOut carries out the decision about an organization, or about all if it is "". One
// failing application does not hold up others.
func (d *halts) carryOut(ctx context.Context, organization string) error {
	return d.eachApplication(ctx, storage.ApplicationFilter{Halting: true, OrganizationID: organization, Limit: pageOfHalts}, d.halt)
}

// eachApplication calls a function with every matching application.
func (d *halts) eachApplication(ctx context.Context, match storage.ApplicationFilter, do func(context.Context, storage.Application) error) error {
	var failed error
	for {
		found, err := d.Store.Applications(ctx, match)
		if err != nil {
			return errors.Join(failed, err)
		}
		for _, a := range found {
			if d.provider(a.Environment) != nil { // otherwise another process handles it
				failed = errors.Join(failed, do(ctx, a))
			}
			match.AfterName, match.After, match.AfterEnvironment = a.Name, a.ClientID, a.Environment
		}
		if len(found) < match.Limit || ctx.Err() != nil {
			return failed
		}
	}
}

// halt disables or enables an application, according to the operator's decision about it or its
// organization. It starts again if the application changes concurrently.
func (d *halts) halt(ctx context.Context, a storage.Application) error {
	err := storage.ErrChanged
	for (errors.Is(err, storage.ErrChanged) || errors.Is(err, provider.ErrChanged)) && ctx.Err() == nil {
		err = d.haltOnce(ctx, a)
	}
	return err
}

func (d *halts) haltOnce(ctx context.Context, a storage.Application) error {
	c, err := d.provider(a.Environment).Clients().Get(ctx, a.ClientID)
	missing := errors.Is(err, provider.ErrNoClient)
	if err != nil && !missing {
		return err
	}
	a, err = d.Store.Application(ctx, a.Environment, a.ClientID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	put := func(from, to storage.Halt) error {
		return d.Store.MarkApplication(ctx, a.Environment, a.ClientID, storage.ApplicationMark{From: from, To: to})
	}
	disable := func(disabled bool) error {
		return d.provider(a.Environment).Clients().SetDisabled(ctx, a.ClientID, disabled, c.Revision)
	}
	switch {
	case a.Halt == storage.HaltOver && (missing || stopped(a)):
		return put(storage.HaltOver, storage.HaltNone)
	case missing: // it may be registered yet, and is looked at until then
		return nil
	case a.Halt == storage.HaltAlone:
		if err := disable(true); err != nil {
			return err
		}
		return put(storage.HaltAlone, storage.HaltNone)
	case a.Halt == storage.HaltOver:
		if err := disable(false); err != nil {
			return err
		}
		return put(storage.HaltOver, storage.HaltNone)
	case a.Halt == storage.HaltAsked && c.Disabled:
		if err := disable(true); err != nil { // so that nobody enables what was read before
			return err
		}
		return put(storage.HaltAsked, storage.HaltIdle)
	case a.Halt == storage.HaltAsked:
		if err := put(storage.HaltAsked, storage.HaltBegun); err != nil {
			return err
		}
	case a.Halt != storage.HaltBegun:
		return nil
	}
	if err := disable(true); err != nil {
		return err
	}
	return put(storage.HaltBegun, storage.HaltDone)
}

// endDeleted removes an application that is being deleted, once nothing else is left of it.
func (d *halts) endDeleted(ctx context.Context, a storage.Application) error {
	p := d.provider(a.Environment)
	err := p.Clients().Delete(ctx, a.ClientID, 0) // in case the marking process did not get this far
	if err != nil {
		return err
	}
	left, err := p.Rooms().Clients.Deleting(ctx, a.ClientID)
	if err != nil || left {
		return err
	}
	return d.Store.DeleteApplication(ctx, a.Environment, a.ClientID)
}

// goOn continues to carry out decisions about organizations and applications that any
// process has begun, and what is left of the acts of this one.
func (d *halts) goOn(ctx context.Context) {
	err := errors.Join(
		d.carryOut(ctx, ""),
		d.eachApplication(ctx, storage.ApplicationFilter{Deleting: true, Limit: pageOfHalts}, d.endDeleted),
		d.finish(ctx),
	)
	if err != nil && ctx.Err() == nil {
		d.Logger.ErrorContext(ctx, "something that was decided or done could not be carried out whole; will retry", slog.Any("error", err))
	}
}
