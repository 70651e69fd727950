package applications

import (
	"context"
	"errors"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
)

// destination reads the organization that an application is to be moved to.
func (r *Room) destination(ctx context.Context, o action.Order) (organization, error) {
	id := strings.TrimSpace(o.Values[action.FieldTo])
	if id == "" {
		return organization{}, wrong(action.FieldTo, "is missing")
	}
	to, err := r.organization(ctx, id)
	if errors.Is(err, action.ErrNoTarget) {
		return organization{}, wrong(action.FieldTo, "is not the ID of an organization")
	}
	return to, err
}

func (r *Room) checkMove(ctx context.Context, o action.Order) (action.Effect, error) {
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	to, err := r.destination(ctx, o)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: a.revision(), Facts: append(a.facts(), action.Fact{Name: factOrganization, Value: to.Name})}
	switch {
	case !a.known:
		e.Void = voidHost
	case isOwn(o, a.members), isOwn(o, to.members):
		e.Void = voidOwn
	case a.org.ID == to.ID:
		e.Void = voidThere
	case !a.org.Stopped.At.IsZero(), to.isSuspended():
		e.Void = voidSuspended
	}
	return e, nil
}

func (r *Room) move(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	a, err := r.still(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	to, err := r.destination(ctx, o)
	if err != nil {
		return action.Result{}, err
	}
	if !a.known || isOwn(o, to.members) {
		return action.Result{}, provider.ErrChanged
	}
	return action.Result{}, outcome(r.Dashboard.MoveApplication(ctx, by(o), a.app, to.ID))
}
