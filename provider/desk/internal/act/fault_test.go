package act_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/desk/internal/service"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

var errHost = errors.New("connection refused")

// place is a service of which any statement, and any call of its host, fails.
type place struct {
	*lab.Fixture
	tap    *lab.Tap
	store  frame.Store
	book   *action.Book
	down   bool     // the host
	called []string // of its functions
}

func newPlace(t *testing.T, ofHost bool) *place {
	t.Helper()
	w := &place{tap: &lab.Tap{}}
	file := filepath.Join(t.TempDir(), "tapped.db")
	w.Fixture = lab.New(t, lab.InPlace(t, func() (storage.Store, error) {
		return sqlitefile.Open(t.Context(), file, w.tap.Driver())
	}), func(c *provider.Config) {
		if ofHost {
			c.Mailer = nil
			c.Users = provider.Users{
				SignInURL: "/login",
				SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
				Person: func(context.Context, string, []string, []string) (provider.Person, error) {
					return provider.Person{}, nil
				},
			}
		}
	}).WithClients()
	w.store = w.Store.(frame.Store)
	if !ofHost {
		w.WithUsers()
	}
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alice"}))
	does := func(name string) func(context.Context, string) error {
		return func(context.Context, string) error {
			if w.down {
				return errHost
			}
			w.called = append(w.called, name)
			return nil
		}
	}
	host := person.Host{
		Lock: does("lock"), Unlock: does("unlock"), SendReset: does("reset"), EndSessions: does("end"), Delete: does("delete"),
	}
	rooms, err := applications.New(applications.Options{Provider: w.Provider})
	w.OK(err)
	keys := service.New(service.Options{Provider: w.Provider, Store: w.store, Logger: slog.New(slog.DiscardHandler), Clock: w.Now})
	w.book, err = action.NewBook(slices.Concat(
		person.Actions(person.Options{Provider: w.Provider, Host: host, Clock: w.Now}), rooms.Actions(), keys.Actions())...)
	w.OK(err)
	return w
}

// effects are all that acts change, by name.
func (w *place) effects(f fault) map[string]string {
	w.T.Helper()
	ctx, all := w.T.Context(), map[string]any{"calls": w.called}
	data, err := w.People().GetParts(ctx, "alice", provider.PersonValues, provider.PersonSessions)
	w.OK(err)
	data.Revision = 0
	for i := range data.Statuses {
		data.Statuses[i].Revision = 0
	}
	all["person"] = data
	revoked, err := w.Events().List(ctx, provider.EventFilter{Name: "revoked", Limit: 100})
	w.OK(err)
	all["revoked"] = len(revoked) > 0
	c, err := w.Clients().Listed(ctx, "std")
	w.OK(err)
	all["client"] = []any{c.Disabled, c.Scopes}
	h, err := w.Hosts().Get(ctx, "evil.example")
	w.OK(err)
	all["denied"] = h.Denial.Host
	keys, err := w.Keys().List(ctx)
	w.OK(err)
	all["keys"] = len(keys)
	if f.name == action.SendReset || f.name == action.SendExport { // any other mail only tells
		all["mails"] = w.Mails.Count() > 0
	}
	if !f.ofHost {
		a, err := w.Fixture.Store.Account(ctx, "alice")
		w.OK(err)
		all["epoch"] = a.Epoch
	}
	texts := map[string]string{}
	for name, one := range all {
		text, err := json.Marshal(one)
		w.OK(err)
		texts[name] = string(text)
	}
	return texts
}

func changed(before, after map[string]string) (names []string) {
	for name := range after {
		if before[name] != after[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fault is an action with what it needs.
type fault struct {
	name, target string
	ofHost       bool
	values       map[string]string
	before       func(w *place) error
}

func faults() []fault {
	status := func(w *place) error {
		return w.People().SetStatus(w.T.Context(), "alice", provider.Status{Group: "student", Verified: true})
	}
	locked := func(w *place) error { return w.Accounts().SetDisabled(w.T.Context(), "alice", true) }
	due := func(w *place) error { return w.Accounts().ScheduleDeletion(w.T.Context(), "alice") }
	stopped := func(w *place) error { return w.Clients().SetDisabled(w.T.Context(), "std", true, 0) }
	denied := func(w *place) error { return w.Hosts().Deny(w.T.Context(), "evil.example", "evil") }
	of := func(pairs ...string) map[string]string { return map[string]string{pairs[0]: pairs[1]} }
	return []fault{
		{name: action.SendReset, target: "alice"}, {name: action.EndSessions, target: "alice"}, {name: action.Lock, target: "alice"},
		{name: action.Unlock, target: "alice", before: locked}, {name: action.StartDeletion, target: "alice"},
		{name: action.StopDeletion, target: "alice", before: due}, {name: action.SendExport, target: "alice"},
		{name: action.EndStatus, target: "alice", before: status, values: of(action.FieldGroup, "student")},
		{name: action.CorrectValue, target: "alice", values: map[string]string{action.FieldHandle: "fname", action.FieldValue: "Alicia"}},
		{name: action.ChangeEmail, target: "alice", values: of(action.FieldEmail, "alicia@example.com")},
		{name: action.SendReset, target: "alice", ofHost: true}, {name: action.EndSessions, target: "alice", ofHost: true},
		{name: action.Lock, target: "alice", ofHost: true}, {name: action.Unlock, target: "alice", ofHost: true},
		{name: action.StartDeletion, target: "alice", ofHost: true},
		{name: action.StopApplication, target: "std", values: of(action.FieldReason, "evil")},
		{name: action.StartApplication, target: "std", before: stopped},
		{name: action.DenyHost, target: "evil.example", values: of(action.FieldReason, "evil")},
		{name: action.AllowHost, target: "evil.example", before: denied},
		{name: action.RotateKeys},
	}
}

// begun is a place before an action.
func (f fault) begun(t *testing.T) (*place, action.Action, action.Order, string) {
	t.Helper()
	w := newPlace(t, f.ofHost)
	if f.before != nil {
		w.OK(f.before(w))
	}
	a, ok := w.book.Action(f.name)
	if !ok {
		t.Fatalf("nobody can %s", f.name)
	}
	o := action.Order{Target: f.target, Values: f.values, Locale: "en", Staff: "olga"}
	e, err := a.Check(t.Context(), o)
	if w.OK(err); e.Void != "" {
		t.Fatalf("%s is void: %s", f.name, e.Void)
	}
	now := w.Now()
	digest := storage.Digest{1}
	w.OK(w.store.CreatePlan(t.Context(), storage.Plan{
		ID: "p", Action: f.name, Kind: string(a.Target), Reason: "x", Digest: digest, ProposedBy: "staff:olga", ProposedAt: now, ExpiresAt: now.Add(time.Hour),
	}, []storage.PlanTarget{{Number: 1, ID: "target", Revision: "r"}}))
	w.OK(w.store.ApprovePlan(t.Context(), "p", storage.Approval{Digest: digest, Staff: "staff:oleg", At: now}))
	return w, a, o, e.Revision
}

// records are what an act may be recorded as, and whether it is said to be done.
var records = map[string]func(w *place) (by provider.Actor, done bool){
	"Plan": func(w *place) (by provider.Actor, done bool) {
		targets, err := w.store.PlanTargets(w.T.Context(), "p", "", 0, 1)
		w.OK(err)
		by.Target, by.Again = storage.TargetID{Plan: "p", Number: 1}, targets[0].BegunAt
		return by, targets[0].State == storage.TargetDone
	},
	"Request": func(w *place) (by provider.Actor, done bool) {
		a := storage.Answer{Client: "robot", Key: storage.Digest{2}, Body: storage.Digest{3}, Status: http.StatusOK, ExpiresAt: w.Now().Add(time.Hour)}
		by.Answer = &a
		kept, err := w.store.Answer(w.T.Context(), a.Client, a.Key, w.Now())
		if errors.Is(err, storage.ErrNotFound) {
			return by, false
		}
		w.OK(err)
		by.Again = kept.ExpiresAt
		return by, kept.Status != 0
	},
	"Break": func(w *place) (by provider.Actor, done bool) {
		breaks, err := w.store.Breaks(w.T.Context(), true, "", 100)
		w.OK(err)
		by.Break = &storage.Break{ID: "b" + time.Duration(len(breaks)).String(), Staff: "olga", Action: "x", At: w.Now()}
		return by, len(breaks) > 0 && slices.ContainsFunc(breaks, func(b storage.Break) bool { return b.Done })
	},
}

// Whatever statement of an act fails, alone or with all that follow, and whatever call of the host:
// either what the act is for is in force, or nothing says that it is, and it can be done again.
func TestActThatFailsHalfWay(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		name := f.name
		if f.ofHost {
			name += "AtTheHost"
		}
		for kind, record := range records {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				w, a, o, revision := f.begun(t)
				before := w.effects(f)
				_, err := a.Do(provider.By(t.Context(), provider.Actor{Name: "staff:olga"}), o, revision)
				w.OK(err)
				want := changed(before, w.effects(f))
				for _, alone := range []bool{true, false} {
					f.walk(t, record, want, alone)
				}
			})
		}
	}
}

// walk does an action again and again, in which one more statement goes well each time.
func (f fault) walk(t *testing.T, record func(*place) (provider.Actor, bool), want []string, alone bool) {
	t.Helper()
	w, a, o, revision := f.begun(t)
	before := w.effects(f)
	w.down = f.ofHost
	for n := 1; n < 200; n++ {
		by, _ := record(w)
		by.Name, by.On.At = "staff:olga", w.Now()
		w.tap.Open(n, alone)
		_, err := a.Carry(t.Context(), w.store, by, o, revision)
		over := len(w.tap.Close()) < n
		_, done := record(w)
		if got := changed(before, w.effects(f)); done && !slices.Equal(got, want) {
			t.Fatalf("statement %d (alone %v) fails: done, with %v in place of %v in force: %v", n, alone, got, want, err)
		}
		if done {
			return
		}
		if over && w.down {
			w.down = false
			continue
		}
		if over { // it may be in force, and not known to be
			if got := changed(before, w.effects(f)); !errors.Is(err, provider.ErrChanged) || !slices.Equal(got, want) {
				t.Fatalf("never done: %v, with %v in place of %v", err, got, want)
			}
			return
		}
		w.Advance(time.Hour / 2) // the bound of mails
	}
}
