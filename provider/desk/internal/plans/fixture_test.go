package plans

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// place is a provider with plans. olga and oleg are operators, sam is support, and p1, p2 … are
// people.
type place struct {
	*lab.Fixture
	*Service
	store   frame.Store
	staff   map[string]action.Staff
	host    error  // of the host, when it is asked who somebody is
	unknown string // about whom alone it cannot say
	acts    atomic.Int64
	parts   func(target string) error // the second part of an act, if it has two
	fails   map[string]error
	alarm   func(context.Context, frame.Alarm) error
}

func newPlace(t *testing.T, people int) *place {
	t.Helper()
	w := &place{Fixture: lab.New(t).WithUsers(), fails: map[string]error{}}
	w.store = w.Fixture.Store.(frame.Store)
	w.staff = map[string]action.Staff{
		"olga": {ID: "olga", Roles: []action.Role{action.Operator}},
		"oleg": {ID: "oleg", Roles: []action.Role{action.Operator}},
		"otto": {ID: "otto", Roles: []action.Role{action.Operator}},
		"sam":  {ID: "sam", Roles: []action.Role{action.Support}},
	}
	for name := range w.staff {
		w.account(name)
	}
	for n := range people {
		w.account("p" + strconv.Itoa(n+1))
	}
	w.Service = w.another()
	return w
}

// another returns the plans of another process on the same database.
func (w *place) another() *Service {
	w.T.Helper()
	f := testkit.Must(frame.New(frame.Options{
		Provider: w.Provider, Store: w.store, Clock: w.Now, Logger: slog.New(slog.DiscardHandler),
		Staff: func(_ context.Context, userID string) (action.Staff, error) {
			if userID == w.unknown {
				return action.Staff{}, errors.New("unknown")
			}
			return w.staff[userID], w.host
		},
		Alarm: func(ctx context.Context, a frame.Alarm) error {
			if w.alarm == nil {
				return nil
			}
			return w.alarm(ctx, a)
		},
	}))(w.T)
	lock := action.Action{Rule: action.Rule{Name: action.Lock}, Check: w.check, Do: w.lock, InParts: w.parts != nil}
	change := lock
	change.Name = action.ChangeEmail
	change.Do = func(ctx context.Context, o action.Order, revision string) (action.Result, error) {
		return w.lock(ctx, o, revision)
	}
	unlock := lock
	unlock.Name = action.Unlock
	show := lock
	show.Name = action.ShowValue
	book := testkit.Must(action.NewBook(lock, change, unlock, show))(w.T)
	return New(Options{Frame: f, Book: book})
}

func (w *place) account(id string) {
	w.T.Helper()
	_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true})
	w.OK(err)
}

// check says what locking would do.
func (w *place) check(ctx context.Context, o action.Order) (action.Effect, error) {
	a, err := w.Fixture.Store.Account(ctx, o.Target)
	if errors.Is(err, storage.ErrNotFound) {
		return action.Effect{}, action.ErrNoTarget
	}
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: strconv.FormatInt(a.Epoch, 10), Facts: []action.Fact{{Name: "sessions", Value: "2"}}}
	if a.Disabled {
		e.Void = "locked"
	}
	return e, nil
}

// lock locks an account that is as it was.
func (w *place) lock(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	if err := w.fails[o.Target]; err != nil {
		return action.Result{}, err
	}
	e, err := w.check(ctx, o)
	if err != nil {
		return action.Result{}, err
	}
	if e.Revision != revision && w.parts == nil {
		return action.Result{}, provider.ErrChanged
	}
	w.acts.Add(1)
	if err := w.Accounts().SetDisabled(ctx, o.Target, true); err != nil || w.parts == nil {
		return action.Result{}, err
	}
	return action.Result{}, w.parts(o.Target)
}

// member is somebody of the staff.
func (w *place) member(name string) Member {
	return Member{Name: staffPrefix + name, As: name, Staff: w.staff[name]}
}

// proposed is a plan of olga's to lock people.
func (w *place) proposed(targets ...string) storage.Plan {
	w.T.Helper()
	p := testkit.Must(w.Propose(w.T.Context(), w.member("olga"), w.drafted(Request{Action: action.Lock, Targets: targets})))(w.T)
	return p
}

func (w *place) drafted(r Request) Draft {
	w.T.Helper()
	d := testkit.Must(w.Draft(w.T.Context(), w.member("olga"), r))(w.T)
	return d
}

// running is a plan of olga's that oleg has approved.
func (w *place) running(targets ...string) storage.Plan {
	w.T.Helper()
	p := w.proposed(targets...)
	_, err := w.Approve(w.T.Context(), w.member("oleg"), p.ID, p.Digest)
	w.OK(err)
	return p
}

// plan reads a plan again.
func (w *place) plan(id string) storage.Plan {
	w.T.Helper()
	p := testkit.Must(storage.One(w.store.Plans(w.T.Context(), storage.PlanFilter{ID: new(id)})))(w.T)
	return p
}

// whys are why the targets of a plan were skipped, by ID.
func (w *place) whys(id string) map[string]string {
	w.T.Helper()
	targets := testkit.Must(w.store.PlanTargets(w.T.Context(), id, storage.TargetSkipped, 0, MaxTargets))(w.T)
	whys := map[string]string{}
	for _, t := range targets {
		whys[t.ID] = t.Why
	}
	return whys
}

// lines are the names of the events about plans and breaks, and about what they do, the earliest
// first, with who acted.
func (w *place) lines() (lines []string) {
	w.T.Helper()
	events := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{Limit: 1000}))(w.T)
	for i := len(events) - 1; i >= 0; i-- {
		if e := events[i]; e.Actor != "" {
			lines = append(lines, string(e.Name)+" "+e.UserID+" by "+e.Actor)
		}
	}
	return lines
}
