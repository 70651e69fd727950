package act_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
	"github.com/bonafide-id/bonafide/provider/desk/internal/inbox"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/desk/internal/service"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

var errHost = errors.New("connection refused")

// place is a service of which any statement, and any call of its host, fails. olga has all roles.
type place struct {
	*lab.Fixture
	tap   *lab.Tap
	store interface {
		desk.Store
		storage.Developers
		storage.Verification
	}
	desk   desk.Config
	checks *verification.Service
	book   *action.Book
	down   bool     // the host
	called []string // of its functions
}

func newPlace(t testing.TB, ofHost bool) *place {
	t.Helper()
	w := &place{}
	policies := verification.Policies{{Group: "teacher", Rule: verification.AnyOf(verification.By(verification.Invitation()), verification.By(verification.Roster(verification.RosterConfig{
		Roster: "members", Columns: []verification.RosterColumn{{Name: "number", Label: verification.Text{English: "Number"}}},
	})))}}
	w.Fixture, w.tap = lab.Tapped(t, func(c *provider.Config) {
		c.Verifiers, c.Signals = policies.Verifiers(), signals.Config{Webhooks: true}
		c.Resources = append(c.Resources, desk.Resource(c.BaseURL, "robot"))
		c.Attributes = []catalogue.Attribute{{Handle: "allergy", Name: "Allergy", Sensitive: true}}
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
	})
	w.WithClients()
	w.store = w.Store.(interface {
		desk.Store
		storage.Developers
		storage.Verification
	})
	if !ofHost {
		w.WithUsers()
	}
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "robot", Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", JWKS: lab.PublicKeys(t, "ES256"),
		GrantTypes: []string{"client_credentials"}, Scopes: desk.Resource("").Scopes,
	}))
	for _, id := range []string{"acme", "other"} {
		w.OK(w.store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: id, CreatedAt: w.Now()}, storage.Member{UserID: "bob", JoinedAt: w.Now()}, 10))
	}
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alice", "allergy": "nuts"}))
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
	logger := slog.New(slog.NewTextHandler(w.Log, nil))
	dashboard := testkit.Must(developer.New(developer.Config{Provider: w.Provider, Store: w.store, Mailer: w.Mails, Clock: w.Now, Logger: logger}))(w.T)
	w.checks = testkit.Must(verification.New(verification.Config{Provider: w.Provider, Store: w.store, Policies: policies, Clock: w.Now, Logger: logger}))(w.T)
	w.desk = desk.Config{
		Provider: w.Provider, Store: w.store, Dashboard: dashboard, People: host, Clock: w.Now, Logger: logger,
		Admit: func(*http.Request) (desk.Staff, error) {
			return desk.Staff{ID: "olga", Roles: []desk.Role{desk.RoleSupport, desk.RoleOperator}, AuthenticatedAt: w.Now(), Methods: []string{"mfa"}}, nil
		},
	}
	rooms, err := applications.New(applications.Options{Provider: w.Provider, Dashboard: dashboard})
	w.OK(err)
	keys := service.New(service.Options{Provider: w.Provider, Store: w.store, Logger: logger, Clock: w.Now})
	w.book, err = action.NewBook(slices.Concat(
		person.Actions(person.Options{Provider: w.Provider, Host: host, Clock: w.Now}), rooms.Actions(), keys.Actions(), inbox.Actions(w.checks))...)
	w.OK(err)
	return w
}

// effects are all that acts change, by name.
func (w *place) effects(f fault) map[string]string {
	w.T.Helper()
	ctx, texts := w.T.Context(), map[string]string{}
	read := func(name string, read func() (any, error)) {
		value := testkit.Must(read())(w.T)
		text := testkit.Must(json.Marshal(value))(w.T)
		texts[name] = string(text)
	}
	read("calls", func() (any, error) { return w.called, nil })
	read("person", func() (any, error) {
		data, err := w.Rooms().People.GetParts(ctx, "alice", room.PersonValues, room.PersonSessions, room.PersonConsents)
		data.Revision = 0
		for i := range data.Statuses {
			data.Statuses[i].Revision = 0
		}
		return data, err
	})
	for _, name := range []string{event.Revoked, event.ValueShown} {
		read(name, func() (any, error) {
			lines, err := w.Events().List(ctx, provider.EventFilter{Name: name, Limit: 100})
			return len(lines) > 0, err
		})
	}
	if f.of == "" && f.target != "acme" { // what the dashboard has decided, Run goes on with
		read("client", func() (any, error) {
			c, err := w.Rooms().Clients.Listed(ctx, "std")
			return []any{c.Disabled, c.Scopes}, err
		})
	}
	read("host", func() (any, error) {
		h, err := w.Rooms().Hosts.Get(ctx, "evil.example")
		return h.Denial.Host, err
	})
	read("receivers", func() (any, error) {
		all, err := w.Signals().List(ctx, storage.ReceiverFilter{Counted: true})
		for _, r := range all {
			return []any{r.State, r.Stopped, r.Dead}, err
		}
		return nil, err
	})
	read("keys", func() (any, error) { return w.Rooms().Keys.List(ctx) })
	read("organization", func() (any, error) {
		o, err := w.store.Organization(ctx, "acme")
		return o.Stopped.Reason, err
	})
	read("application", func() (any, error) {
		all, err := w.store.Applications(ctx, storage.ApplicationFilter{Limit: 1})
		for _, a := range all {
			return []any{a.OrganizationID, a.Review}, err
		}
		return nil, err
	})
	read("roster", func() (any, error) {
		r, err := w.store.Roster(ctx, "members")
		return r.Generation, err
	})
	read("codes", func() (any, error) {
		all, err := w.store.CodeBatches(ctx, time.Time{}, 1)
		return len(all) > 0 && !all[0].Waits(), err
	})
	read("invited", func() (any, error) {
		all, err := w.store.Invitations(ctx, storage.TokenFilter{OrganizationID: "acme", Now: w.Now()})
		return len(all) > 0, err
	})
	if slices.Contains([]string{action.SendReset, action.SendExport, action.AppointOwner}, f.name) { // any other mail only tells
		read("mails", func() (any, error) { return w.Mails.Count() > 0, nil })
	}
	if !f.ofHost {
		read("epoch", func() (any, error) {
			a, err := w.Fixture.Store.Account(ctx, "alice")
			return a.Epoch, err
		})
		read("factors", func() (any, error) { return w.Accounts().Authenticators(ctx, "alice") })
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
	of           string // whom it is, where there are two of a name
	values       map[string]string
	before       func(w *place, values map[string]string) error
}

// made is under what before says which target it has made.
const made = "made"

// faults are all actions.
func faults() []fault {
	status := func(w *place, _ map[string]string) error {
		return w.People().SetStatus(w.T.Context(), "alice", provider.Status{Group: "student", Verified: true})
	}
	session := func(w *place, values map[string]string) error {
		w.Alice()
		data, err := w.Rooms().People.GetParts(w.T.Context(), "alice", room.PersonSessions)
		values[action.FieldSession] = data.Sessions[0].Handle
		return err
	}
	signed := func(w *place, _ map[string]string) error {
		w.Alice()
		return nil
	}
	consent := func(w *place, _ map[string]string) error {
		w.Alice().Allow("client_id", "std", "scope", "openid profile")
		return nil
	}
	factors := func(w *place, _ map[string]string) error {
		w.AddApp("alice")
		return nil
	}
	moment := func(w *place, values map[string]string) error {
		w.Alice()
		values[action.FieldBefore] = w.Now().UTC().Format(time.RFC3339)
		return nil
	}
	year := func(w *place, values map[string]string) error {
		values[action.FieldUntil] = w.Now().AddDate(1, 0, 0).Format(time.DateOnly)
		return status(w, values)
	}
	locked := func(w *place, _ map[string]string) error {
		return w.Accounts().SetDisabled(w.T.Context(), "alice", true)
	}
	due := func(w *place, _ map[string]string) error {
		return w.Rooms().Accounts.ScheduleDeletion(w.T.Context(), "alice")
	}
	stopped := func(w *place, _ map[string]string) error {
		return w.Clients().SetDisabled(w.T.Context(), "std", true, 0)
	}
	denied := func(w *place, _ map[string]string) error {
		return w.Rooms().Hosts.Deny(w.T.Context(), "evil.example", "evil")
	}
	developed := func(w *place, _ map[string]string) error {
		now := w.Now()
		return w.store.CreateApplication(w.T.Context(), storage.Application{
			Environment: storage.Production, ClientID: "std", OrganizationID: "acme", Name: "app", Kind: "web", CreatedBy: "bob", CreatedAt: now, UpdatedAt: now,
		}, 10)
	}
	after := func(name, target string) func(w *place, values map[string]string) error {
		return func(w *place, values map[string]string) error {
			w.OK(developed(w, values))
			first := w.order(w.T, name, target, map[string]string{action.FieldReason: "evil"})
			_, err := first.action.Do(provider.By(w.T.Context(), storage.Actor{Name: "staff:olga"}), first.order, first.revision)
			return err
		}
	}
	ownerless := func(w *place, _ map[string]string) error {
		w.MustExec(`DELETE FROM members WHERE organization_id = 'acme'`)
		return nil
	}
	staged := func(w *place, values map[string]string) error {
		r, err := w.checks.StageRoster(w.T.Context(), verification.RosterFile{Roster: "members", Content: strings.NewReader("number\n1\n")})
		values[action.FieldRoster] = fmt.Sprint(r.Generation, " ", r.Roster, " ", r.Vanished, " ", r.Skipped)
		return err
	}
	held := func(w *place, values map[string]string) (err error) {
		_, values[action.FieldBatch], err = w.checks.IssueCodes(w.T.Context(), verification.Codes{Group: "teacher", Held: true})
		values[action.FieldUntil] = w.Now().AddDate(0, 1, 0).Format(time.DateOnly)
		return err
	}
	hook := func(stopped bool, messages ...storage.Delivery) func(w *place, values map[string]string) error {
		return func(w *place, values map[string]string) error {
			ctx, store := w.T.Context(), w.Store.(storage.Signals)
			r, _, err := w.Signals().Save(ctx, signals.Receiver{ClientID: "std", Address: "https://hooks.example/", State: "unverified"})
			w.OK(err)
			if stopped {
				r.Stopped, r.State = true, "disabled"
				_, _, err = w.Signals().Save(ctx, r)
				w.OK(err)
			}
			m := testkit.Must(store.TakeMark(ctx, "test", "test", w.Now(), w.Now().Add(time.Minute)))(w.T)
			for i := range messages {
				messages[i].ReceiverID = r.ID
			}
			values[made] = r.ID
			return store.MoveMark(ctx, m, m, messages)
		}
	}
	dead := storage.Delivery{Number: -1, MessageID: "msg_1", Name: signals.Ping, State: storage.DeliveryDead, At: time.Unix(1_800_000_000, 0), EndedAt: time.Unix(1_800_000_000, 0)}
	of := func(pairs ...string) map[string]string {
		values := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			values[pairs[i]] = pairs[i+1]
		}
		return values
	}
	evil := of(action.FieldReason, "evil")
	return []fault{
		{name: action.SendReset, target: "alice"}, {name: action.EndSession, target: "alice", before: session},
		{name: action.EndSessions, target: "alice", before: signed},
		{name: action.RevokeApplication, target: "alice", before: consent, values: of(action.FieldClient, "std")},
		{name: action.Lock, target: "alice"}, {name: action.Unlock, target: "alice", before: locked},
		{name: action.ShowValue, target: "alice", values: of(action.FieldHandle, "fname")},
		{name: action.ShowSensitive, target: "alice", values: of(action.FieldHandle, "allergy")},
		{name: action.CorrectValue, target: "alice", values: of(action.FieldHandle, "fname", action.FieldValue, "Alicia")},
		{name: action.EndStatus, target: "alice", before: status, values: of(action.FieldGroup, "student")},
		{name: action.SetStatus, target: "alice", before: year, values: of(action.FieldGroup, "student")},
		{name: action.StartDeletion, target: "alice"}, {name: action.StopDeletion, target: "alice", before: due},
		{name: action.SendExport, target: "alice"}, {name: action.ResetFactors, target: "alice", before: factors},
		{name: action.ResetFactorsNow, target: "alice", before: factors},
		{name: action.ChangeEmail, target: "alice", values: of(action.FieldEmail, "alicia@example.com")},
		{name: action.SendReset, target: "alice", ofHost: true}, {name: action.EndSessions, target: "alice", ofHost: true},
		{name: action.Lock, target: "alice", ofHost: true}, {name: action.Unlock, target: "alice", ofHost: true},
		{name: action.StartDeletion, target: "alice", ofHost: true},
		{name: action.StopApplication, target: "std", values: evil}, {name: action.StopApplication, of: "ADeveloper", target: "std", values: evil, before: developed},
		{name: action.StartApplication, target: "std", before: stopped}, {name: action.StartApplication, of: "ADeveloper", target: "std", before: after(action.StopApplication, "std")},
		{name: action.MoveApplication, target: "std", before: developed, values: of(action.FieldTo, "other")},
		{name: action.TakeScopes, target: "std", before: developed, values: of(action.FieldScopes, "profile")},
		{name: action.DenyHost, target: "evil.example", values: evil}, {name: action.AllowHost, target: "evil.example", before: denied},
		{name: action.SendAgain, before: hook(false, dead)}, {name: action.SwitchOff, before: hook(false)}, {name: action.SwitchOn, before: hook(true)},
		{name: action.AppointOwner, target: "acme", before: ownerless, values: of(action.FieldEmail, "ann@example.com")},
		{name: action.SuspendOrganization, target: "acme", before: developed, values: evil},
		{name: action.ReactivateOrganization, target: "acme", before: after(action.SuspendOrganization, "acme")},
		{name: action.RotateKeys}, {name: action.RevokeKeys}, {name: action.RevokeBefore, before: moment},
		{name: action.UseRoster, before: staged}, {name: action.ReleaseCodes, before: held},
	}
}

// order is an action that has been looked at.
type order struct {
	*place
	action   action.Action
	order    action.Order
	revision string
}

func (w *place) order(t testing.TB, name, target string, values map[string]string) order {
	t.Helper()
	a, ok := w.book.Action(name)
	if !ok {
		t.Fatalf("nobody can %s", name)
	}
	o := order{w, a, action.Order{Target: target, Values: values, Locale: "en", Staff: "olga"}, ""}
	e, err := a.Check(t.Context(), o.order)
	if w.OK(err); e.Void != "" {
		t.Fatalf("%s is void: %s", name, e.Void)
	}
	o.revision = e.Revision
	return o
}

// begun is a place before an action.
func (f fault) begun(t testing.TB) order {
	t.Helper()
	w, values := newPlace(t, f.ofHost), map[string]string{}
	maps.Copy(values, f.values)
	if f.before != nil {
		w.OK(f.before(w, values))
	}
	target := cmp.Or(values[made], f.target)
	delete(values, made)
	return w.order(t, f.name, target, values)
}
