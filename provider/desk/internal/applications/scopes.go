package applications

import (
	"context"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
)

// scopesOf returns what an application may ask for: a registration without a list means all.
func (r *Room) scopesOf(c provider.Client) []string {
	if len(c.Scopes) > 0 {
		return c.Scopes
	}
	var all []string
	for _, s := range r.Provider.Rooms().Installation().Scopes {
		all = append(all, s.Name)
	}
	return all
}

// offerScopes returns what can be taken from an application.
func (r *Room) offerScopes(ctx context.Context, o action.Order) ([]string, error) {
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return nil, err
	}
	return r.scopesOf(a.client), nil
}

// taken splits what an application may ask for by an order.
func (r *Room) taken(o action.Order, c provider.Client) (taken, left []string, err error) {
	wanted := strings.Fields(o.Values[action.FieldScopes])
	if len(wanted) == 0 {
		return nil, nil, wrong(action.FieldScopes, "is missing")
	}
	for _, scope := range r.scopesOf(c) {
		if slices.Contains(wanted, scope) {
			taken = append(taken, scope)
		} else {
			left = append(left, scope)
		}
	}
	if len(taken) > 0 && len(left) == 0 { // an empty list means all
		return nil, nil, wrong(action.FieldScopes, "leaves the application nothing; stop it instead")
	}
	return taken, left, nil
}

func (r *Room) checkScopes(ctx context.Context, o action.Order) (action.Effect, error) {
	a, err := r.application(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	taken, left, err := r.taken(o, a.client)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: a.revision(), Facts: append(a.facts(),
		action.Fact{Name: factScopes, Value: strings.Join(taken, " ")}, action.Fact{Name: factLeft, Value: strings.Join(left, " ")})}
	switch {
	case isOwn(o, a.members):
		e.Void = voidOwn
	case len(taken) == 0:
		e.Void = voidNone
	}
	return e, nil
}

// takeScopes takes scopes, and with them the grants that hold one.
func (r *Room) takeScopes(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	a, err := r.still(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	taken, _, err := r.taken(o, a.client)
	if err != nil {
		return action.Result{}, err
	}
	if len(taken) == 0 {
		return action.Result{}, provider.ErrChanged
	}
	if taken, err = r.Provider.Rooms().Clients.TakeScopes(ctx, o.Target, taken, a.client.Revision); err != nil {
		return action.Result{}, outcome(err)
	}
	if a.known {
		r.Dashboard.ScopesTaken(ctx, by(o), a.app, taken)
	}
	return action.Result{}, nil
}
