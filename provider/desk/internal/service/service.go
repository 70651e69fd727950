package service

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// Options are what the room is made with.
type Options struct {
	Provider *provider.Provider
	Store    storage.Reports

	Logger *slog.Logger
	Clock  func() time.Time
}

// Room serves the pages and carries out the actions.
type Room struct {
	Options
	report atomic.Pointer[counted]
	days   days
}

type counted struct {
	at time.Time
	storage.Report
}

// New returns a room. Its totals are counted by the provider's Run, once an hour.
func New(o Options) *Room {
	r := &Room{Options: o}
	o.Provider.Rooms().RunWith(r.run)
	return r
}

// Routes returns the pages of the room.
func (r *Room) Routes() []frame.Route {
	routes := []frame.Route{
		{Path: "/health", Needs: action.Staff.Operates, Section: desk.SectionHealth, Show: r.showHealth},
		{Path: "/keys", Needs: action.Staff.Operates, Section: desk.SectionKeys, Show: r.showKeys},
		{Path: "/numbers", Needs: action.Staff.Audits, Section: desk.SectionNumbers, Show: r.showNumbers},
	}
	if r.tells() {
		routes = append(routes,
			frame.Route{Path: "/receivers", Needs: action.Staff.Operates, Section: desk.SectionReceivers, Show: r.showReceivers},
			frame.Route{Path: "/receivers/{id}", Needs: action.Staff.Operates, Show: r.showReceiver})
	}
	return routes
}

// countEvery is how often the totals are counted, and countFor how long that may take.
const (
	countEvery = time.Hour
	countFor   = 10 * time.Minute
)

func (r *Room) run(ctx context.Context) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		r.count(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (r *Room) count(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, countFor)
	defer cancel()
	now := r.Clock()
	report, err := r.Store.Report(ctx, now)
	if err == nil {
		r.report.Store(&counted{now, report})
	} else if ctx.Err() == nil {
		r.Logger.WarnContext(ctx, "the totals of the desk could not be counted", slog.Any("error", err))
	}
}

// showKeys lists the signing keys.
func (r *Room) showKeys(q *frame.Request) error {
	page, err := q.Page(desk.SectionKeys)
	if err != nil {
		return err
	}
	keys, err := r.Provider.Rooms().Keys.List(q.Context())
	if err != nil {
		return err
	}
	v := screens.KeysView{Page: page, Acts: acts(q, r.onService(), "service")}
	now := q.Frame.Now()
	for _, k := range keys {
		turn := screens.TurnFormer
		switch {
		case k.Signs:
			turn = screens.TurnSigns
		case k.From.After(now):
			turn = screens.TurnNext
		}
		v.Host = v.Host || k.CreatedAt.IsZero()
		v.Keys = append(v.Keys, screens.Key{ID: k.ID, Alg: k.Alg, Turn: turn, Created: k.CreatedAt, From: k.From, Until: k.Until, Published: k.PublishedUntil})
	}
	q.Render(http.StatusOK, screens.Keys(v))
	return nil
}

// acts lead to the forms of actions below the page of their target.
func acts(q *frame.Request, actions []action.Action, target ...string) (all []screens.Act) {
	for _, a := range actions {
		all = append(all, screens.Act{Name: a.Name, URL: q.Path(append(target, "do", a.Name)...)})
	}
	return all
}

// named gives the actions of the room their names.
func named(name string, check func(context.Context, action.Order) (action.Effect, error), do func(context.Context, action.Order, string) (action.Result, error)) action.Action {
	return action.Action{Rule: action.Rule{Name: name}, Check: check, Do: do}
}
