package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

// The reasons for which there is nothing to do, and the facts of effects.
const (
	voidHost    = "of_the_host"
	voidWaiting = "next_waits"

	factKeys     = "keys"
	factSessions = "sessions"
	factGrants   = "grants"
	factBefore   = "before"
)

// Actions returns what can be done to the service and, if it tells anybody, to receivers.
func (r *Room) Actions() []action.Action {
	if !r.tells() {
		return r.onService()
	}
	return append(r.onService(), r.onReceivers()...)
}

func (r *Room) onService() []action.Action {
	rotate := named(action.RotateKeys, r.checkRotate, r.rotate)
	rotate.InParts = true // one algorithm after the other
	revoke := named(action.RevokeBefore, r.checkBefore, r.revokeBefore)
	revoke.InParts = true // many batches
	return []action.Action{rotate, named(action.RevokeKeys, r.checkRevoke, r.revoke), revoke}
}

// keys returns the effect of an order on the keys: its revision are the keys that there are.
func (r *Room) keys(ctx context.Context) (e action.Effect, keys []room.SigningKey, err error) {
	if keys, err = r.Provider.Rooms().Keys.List(ctx); err != nil {
		return action.Effect{}, nil, err
	}
	var ids []string
	for _, k := range keys {
		ids = append(ids, k.ID)
		if k.CreatedAt.IsZero() {
			e.Void = voidHost
		}
	}
	e.Revision, e.Facts = strings.Join(ids, " "), []action.Fact{{Name: factKeys, Value: fmt.Sprint(len(keys))}}
	return e, keys, nil
}

// checkRotate has a revision without the keys that wait for their turn: those that were added before
// a rotation failed do not end it.
func (r *Room) checkRotate(ctx context.Context, _ action.Order) (action.Effect, error) {
	e, keys, err := r.keys(ctx)
	if err == nil && e.Void == "" && r.allWait(keys) {
		e.Void = voidWaiting
	}
	var ids []string
	for _, k := range keys {
		if !k.From.After(r.Clock()) {
			ids = append(ids, k.ID)
		}
	}
	e.Revision = strings.Join(ids, " ")
	return e, err
}

// allWait reports whether the next key of every algorithm that signs waits for its turn.
func (r *Room) allWait(keys []room.SigningKey) bool {
	last := map[string]time.Time{}
	for _, k := range keys {
		last[k.Alg] = k.From
	}
	return !slices.ContainsFunc(keys, func(k room.SigningKey) bool { return k.Signs && !last[k.Alg].After(r.Clock()) })
}

func (r *Room) rotate(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	e, err := r.checkRotate(ctx, o)
	if err == nil && e.Revision != revision {
		err = provider.ErrChanged
	}
	if err != nil {
		return action.Result{}, err
	}
	rotated, err := r.Provider.Keys().Rotate(ctx)
	if err == nil && !rotated {
		err = provider.ErrChanged
	}
	return action.Result{}, err
}

func (r *Room) checkRevoke(ctx context.Context, _ action.Order) (action.Effect, error) {
	e, _, err := r.keys(ctx)
	r.addTotals(&e)
	return e, err
}

// addTotals adds how many sessions and grants there were at the last count.
func (r *Room) addTotals(e *action.Effect) {
	if c := r.report.Load(); c != nil {
		e.Facts = append(e.Facts,
			action.Fact{Name: factSessions, Value: fmt.Sprint(c.Sessions)}, action.Fact{Name: factGrants, Value: fmt.Sprint(c.Grants)})
	}
}

func (r *Room) revoke(ctx context.Context, _ action.Order, revision string) (action.Result, error) {
	e, _, err := r.keys(ctx)
	if err == nil && e.Revision != revision {
		err = provider.ErrChanged
	}
	if err == nil {
		err = r.Provider.Keys().Revoke(ctx)
	}
	return action.Result{}, err
}

// before reads the moment before which everything is to end.
func (r *Room) before(o action.Order) (time.Time, error) {
	value := strings.TrimSpace(o.Values[action.FieldBefore])
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil {
			if t.After(r.Clock()) {
				return time.Time{}, &provider.FieldError{Field: action.FieldBefore, Err: errors.New("is in the future")}
			}
			return t, nil
		}
	}
	return time.Time{}, &provider.FieldError{Field: action.FieldBefore, Err: errors.New("is not a moment, such as 2026-03-12T14:05Z")}
}

func (r *Room) checkBefore(_ context.Context, o action.Order) (action.Effect, error) {
	moment, err := r.before(o)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: moment.UTC().Format(time.RFC3339), Facts: []action.Fact{{Name: factBefore, Value: moment.UTC().Format(time.RFC3339)}}}
	r.addTotals(&e)
	return e, nil
}

func (r *Room) revokeBefore(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	moment, err := r.before(o)
	if err == nil && moment.UTC().Format(time.RFC3339) != revision {
		err = provider.ErrChanged
	}
	if err == nil {
		err = r.Provider.People().RevokeIssuedBefore(ctx, moment)
	}
	return action.Result{}, err
}
