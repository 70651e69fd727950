package developer

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// What an operator has decided about an organization is one write, and is carried out on one
// of its applications after the other, each of which is in two databases: the halt of an
// application says how far that has come, so that whoever finds it goes on. The registration
// is read before the halt, and each step replaces the one that was read with another Revision:
// of two who carry out different decisions, or of a member who saves what a page showed before
// the decision, the later one is told so.

// pageOfHalts is how many applications are asked for at a time.
const pageOfHalts = 50

// carryOut carries out what was decided about an organization, or about all when it is "". One
// application that fails holds up no other.
func (d *Dashboard) carryOut(ctx context.Context, organization string) error {
	return d.eachApplication(ctx, storage.ApplicationFilter{Halting: true, OrganizationID: organization, Limit: pageOfHalts}, d.halt)
}

// eachApplication calls a function with every application that matches.
func (d *Dashboard) eachApplication(ctx context.Context, match storage.ApplicationFilter, do func(context.Context, storage.Application) error) error {
	var failed error
	for {
		found, err := d.Store.Applications(ctx, match)
		if err != nil {
			return errors.Join(failed, err)
		}
		for _, a := range found {
			if d.provider(a.Environment) != nil { // else it is the business of another process
				failed = errors.Join(failed, do(ctx, a))
			}
			match.AfterName, match.After, match.AfterEnvironment = a.Name, a.ClientID, a.Environment
		}
		if len(found) < match.Limit || ctx.Err() != nil {
			return failed
		}
	}
}

// halt takes an application out of use or back, as far as an operator has decided so about its
// organization. It begins again when somebody else changes something of it.
func (d *Dashboard) halt(ctx context.Context, a storage.Application) error {
	err := storage.ErrChanged
	for (errors.Is(err, storage.ErrChanged) || errors.Is(err, provider.ErrChanged)) && ctx.Err() == nil {
		err = d.haltOnce(ctx, a)
	}
	return err
}

func (d *Dashboard) haltOnce(ctx context.Context, a storage.Application) error {
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
	put := func(from, to storage.Halt) error { return d.Store.SetHalt(ctx, a.Environment, a.ClientID, from, to) }
	disable := func(disabled bool) error {
		return d.provider(a.Environment).Clients().SetDisabled(ctx, a.ClientID, disabled, c.Revision)
	}
	switch {
	case a.Halt == storage.HaltOver && (missing || stopped(a)):
		return put(storage.HaltOver, storage.HaltNone)
	case missing: // it may be registered yet, and is looked at until then
		return nil
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

// halted reports whether the suspension of its organization keeps an application out of use.
func halted(a storage.Application) bool {
	return a.Halt != storage.HaltNone && a.Halt != storage.HaltOver
}

// endDeleted ends the applications that are being deleted and of which nothing is left.
func (d *Dashboard) endDeleted(ctx context.Context, a storage.Application) error {
	p := d.provider(a.Environment)
	err := p.Clients().Delete(ctx, a.ClientID) // unless whoever has marked it came to that
	if err != nil {
		return err
	}
	left, err := p.Clients().Deleting(ctx, a.ClientID)
	if err != nil || left {
		return err
	}
	return d.Store.DeleteApplication(ctx, a.Environment, a.ClientID)
}

// goOn carries out what was decided about organizations and applications, whoever has begun.
func (d *Dashboard) goOn(ctx context.Context) {
	err := errors.Join(
		d.carryOut(ctx, ""),
		d.eachApplication(ctx, storage.ApplicationFilter{Deleting: true, Limit: pageOfHalts}, d.endDeleted),
	)
	if err != nil && ctx.Err() == nil {
		d.Logger.ErrorContext(ctx, "decisions about some applications could not be carried out; will retry", slog.Any("error", err))
	}
}
