package applications

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
)

// destination reads the organization that an application is to be moved to, by its ID or by its
// whole name, if no other has that.
func (r *Room) destination(ctx context.Context, o action.Order) (organization, error) {
	id := strings.TrimSpace(o.Values[action.FieldTo])
	if id == "" {
		return organization{}, wrong(action.FieldTo, "is missing")
	}
	to, err := r.organization(ctx, id)
	if !errors.Is(err, action.ErrNoTarget) || r.Dashboard == nil {
		return to, err
	}
	found, err := r.Dashboard.Store.Organizations(ctx, storage.OrganizationFilter{Search: id}, "", frame.Many)
	if err != nil {
		return organization{}, fmt.Errorf("find organization: %w", err)
	}
	found = slices.DeleteFunc(found, func(o storage.Organization) bool { return o.Name != id })
	if len(found) != 1 {
		return organization{}, wrong(action.FieldTo, "is neither the ID nor the name of one organization")
	}
	return r.organization(ctx, found[0].ID)
}

// there is between the revision of an application and the ID of the organization that it is to
// be moved to: another may have taken its name since.
const there = "@"

func (r *Room) checkMove(ctx context.Context, o action.Order) (action.Effect, error) {
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	to, err := r.destination(ctx, o)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: a.revision() + there + to.ID, Facts: append(a.facts(), action.Fact{Name: factOrganization, Value: to.Name})}
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
	revision, shown, _ := strings.Cut(revision, there)
	a, err := r.still(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	to, err := r.destination(ctx, o)
	if err != nil {
		return action.Result{}, err
	}
	if to.ID != shown || !a.known || isOwn(o, to.members) {
		return action.Result{}, provider.ErrChanged
	}
	return action.Result{}, outcome(r.Dashboard.MoveApplication(ctx, by(o), a.app, to.ID))
}
