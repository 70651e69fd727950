package applications

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// reason returns the reason of an order, which owners read.
func reason(o action.Order) (string, error) {
	text := strings.TrimSpace(o.Values[action.FieldReason])
	switch {
	case text == "":
		return "", wrong(action.FieldReason, "is missing")
	case utf8.RuneCountInString(text) > developer.MaxReason:
		return "", wrong(action.FieldReason, "is too long")
	}
	return text, nil
}

func (r *Room) checkStop(ctx context.Context, o action.Order) (action.Effect, error) {
	if _, err := reason(o); err != nil {
		return action.Effect{}, err
	}
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: a.revision(), Facts: a.facts()}
	switch {
	case isOwn(o, a.members):
		e.Void = voidOwn
	case a.isStopped():
		e.Void = voidStopped
	}
	return e, nil
}

func (r *Room) stop(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	why, err := reason(o)
	if err != nil {
		return action.Result{}, err
	}
	a, err := r.still(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	if a.remembers() {
		err = r.Dashboard.StopApplication(ctx, by(o), o.Target, why, revision)
	} else {
		err = r.Provider.Clients().SetDisabled(ctx, o.Target, true, a.client.Revision)
	}
	return action.Result{}, outcome(err)
}

func (r *Room) checkStart(ctx context.Context, o action.Order) (action.Effect, error) {
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: a.revision(), Facts: a.facts()}
	switch {
	case isOwn(o, a.members):
		e.Void = voidOwn
	case !a.org.Stopped.At.IsZero():
		e.Void = voidSuspended
	case a.remembers() && a.app.Review != storage.ReviewRefused, !a.client.Disabled:
		e.Void = voidRunning
	}
	return e, nil
}

func (r *Room) start(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	a, err := r.still(ctx, o, revision)
	switch {
	case err != nil:
		return action.Result{}, err
	case !a.org.Stopped.At.IsZero():
		err = provider.ErrChanged
	case a.remembers():
		err = r.Dashboard.StartApplication(ctx, by(o), o.Target, revision)
	default:
		err = r.Provider.Clients().SetDisabled(ctx, o.Target, false, a.client.Revision)
	}
	return action.Result{}, outcome(err)
}

// still reads an application that has a revision, and is not that of who gives the order.
func (r *Room) still(ctx context.Context, o action.Order, revision string) (application, error) {
	a, err := r.application(ctx, o.Target)
	if err == nil && (a.revision() != revision || isOwn(o, a.members)) {
		err = provider.ErrChanged
	}
	return a, err
}
