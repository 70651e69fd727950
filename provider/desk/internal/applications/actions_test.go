package applications_test

import (
	"context"
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/applications"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// Passwords and keys are cheap in the tests of this package.
func init() {
	password.Cheapen()
	keyring.Cheapen()
}

// secret looks random and is the same in every run.
var secret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

// fixture is a room over a provider with a dashboard: river owns the application app, lake has
// no owner, and only the provider knows the application alone.
type fixture struct {
	t     *testing.T
	id    *provider.Provider
	dash  *developer.Dashboard
	store *fragile
	book  *action.Book
	mails *mailbox
}

// fragile is a store that stops saving registrations, as if the process ended there.
type fragile struct {
	*sqlite.Store
	broken atomic.Bool
}

var errBroken = errors.New("the store is broken")

func (s *fragile) SaveClient(ctx context.Context, c storage.Client) error {
	if s.broken.Load() {
		return errBroken
	}
	return s.Store.SaveClient(ctx, c)
}

type mailbox struct{ sent []provider.Mail }

func (m *mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.sent = append(m.sent, mail)
	return nil
}

const (
	river, lake = "river", "lake"
	owner, ada  = "owner", "ada"
	reasonText  = "It passes for a bank."
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	opened := testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db")))(t)
	store := &fragile{Store: opened}
	f := &fixture{t: t, store: store, mails: &mailbox{}}
	f.id = testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: "https://id.example", Secret: secret, Store: store, Mailer: f.mails,
	}))(t)
	t.Cleanup(func() { _ = f.id.Close() })
	f.dash = testkit.Must(developer.New(developer.Config{Provider: f.id, Store: store, Mailer: f.mails}))(t)
	for _, id := range []string{owner, ada} {
		_, err := f.id.Accounts().Save(t.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: "glacier-tulip-orbit-42"})
		f.ok(err)
	}
	now := time.Now()
	for _, id := range []string{river, lake} {
		f.ok(store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: strings.ToUpper(id), CreatedAt: now}, storage.Member{UserID: owner, JoinedAt: now}, 10))
	}
	for _, id := range []string{"app", "alone"} {
		f.ok(f.id.Clients().Save(t.Context(), provider.Client{
			ID: id, Name: id, Dialect: provider.Standard, RedirectURIs: []string{"https://app.example/in"}, Scopes: []string{"openid", "login", "student"}, OptionalScopes: []string{"student"},
		}))
	}
	f.ok(store.CreateApplication(t.Context(), storage.Application{
		Environment: storage.Production, ClientID: "app", OrganizationID: river, Name: "app", Kind: "web", CreatedBy: owner, CreatedAt: now, UpdatedAt: now,
	}, 10))
	room := testkit.Must(applications.New(applications.Options{Provider: f.id, Dashboard: f.dash}))(f.t)
	f.book = testkit.Must(action.NewBook(room.Actions()...))(f.t)
	return f
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	testkit.OK(f.t, err)
}

// order is an order of ada.
func order(target string, values ...string) action.Order {
	o := action.Order{Target: target, Values: map[string]string{}, Staff: "Ada", As: ada}
	for i := 0; i < len(values); i += 2 {
		o.Values[values[i]] = values[i+1]
	}
	return o
}

func (f *fixture) action(name string) action.Action {
	f.t.Helper()
	a, ok := f.book.Action(name)
	if !ok {
		f.t.Fatalf("nobody can %s", name)
	}
	return a
}

// do checks an order and carries it out.
func (f *fixture) do(name string, o action.Order) action.Result {
	f.t.Helper()
	e := testkit.Must(f.action(name).Check(f.t.Context(), o))(f.t)
	if e.Void != "" {
		f.t.Fatalf("%s is void: %s", name, e.Void)
	}
	result, err := f.action(name).Do(f.acting(), o, e.Revision)
	f.ok(err)
	return result
}

func (f *fixture) acting() context.Context {
	return provider.By(f.t.Context(), storage.Actor{Name: "staff:Ada"})
}

func (f *fixture) void(name string, o action.Order) string {
	f.t.Helper()
	e := testkit.Must(f.action(name).Check(f.t.Context(), o))(f.t)
	return e.Void
}

func (f *fixture) disabled(id string) bool {
	f.t.Helper()
	c := testkit.Must(f.id.Clients().Get(f.t.Context(), id))(f.t)
	return c.Disabled
}

// lines counts the events of a name that ada has caused.
func (f *fixture) lines(name string) (n int) {
	f.t.Helper()
	events := testkit.Must(f.store.Events(f.t.Context(), storage.EventFilter{Name: name}))(f.t)
	for _, e := range events {
		if e.Actor == "staff:Ada" {
			n++
		}
	}
	return n
}

func TestStop(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, id := range []string{"app", "alone"} {
		f.do(action.StopApplication, order(id, action.FieldReason, reasonText))
		if !f.disabled(id) || f.void(action.StopApplication, order(id, action.FieldReason, reasonText)) != "stopped" {
			t.Errorf("%s is not stopped", id)
		}
	}
	if n := f.lines(event.ClientStopped); n != 2 {
		t.Errorf("%d lines", n)
	}
	if len(f.mails.sent) != 1 || f.mails.sent[0].To != owner+"@example.com" {
		t.Errorf("told are %+v", f.mails.sent)
	}
	for _, id := range []string{"app", "alone"} {
		f.do(action.StartApplication, order(id))
		if f.disabled(id) {
			t.Errorf("%s is still stopped", id)
		}
	}
	if n := f.lines(event.ClientStarted); n != 2 {
		t.Errorf("%d lines of a start", n)
	}
}

func TestStop_EndsHalfWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	half := func(name string, o action.Order, line string) {
		t.Helper()
		e := testkit.Must(f.action(name).Check(t.Context(), o))(f.t)
		f.store.broken.Store(true)
		defer f.store.broken.Store(false)
		if _, err := f.action(name).Do(f.acting(), o, e.Revision); err != nil { // it is decided, and Run goes on
			t.Fatalf("%s: %v", name, err)
		}
		if n := f.lines(line); n != 1 {
			t.Errorf("%d lines of half of %s", n, name)
		}
	}
	stop := order("app", action.FieldReason, reasonText)
	half(action.StopApplication, stop, event.ClientStopped)
	f.do(action.StopApplication, stop) // whoever tries again ends it
	if !f.disabled("app") {
		t.Error("the application is not stopped")
	}
	half(action.StartApplication, order("app"), event.ClientStarted)
}

func TestStop_Refused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	stop, wanted := f.action(action.StopApplication), order("app", action.FieldReason, reasonText)
	e := testkit.Must(stop.Check(t.Context(), wanted))(f.t)
	if _, err := stop.Check(t.Context(), order("app")); !isField(err, action.FieldReason) {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := stop.Check(t.Context(), order("none", action.FieldReason, reasonText)); !errors.Is(err, action.ErrNoTarget) {
		t.Errorf("of nothing: %v", err)
	}
	own := wanted
	own.As = owner
	if f.void(action.StopApplication, own) != "own" {
		t.Error("a member may stop the application of the own organization")
	}
	if _, err := stop.Do(f.acting(), own, e.Revision); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("a member stops it: %v", err)
	}
	f.do(action.TakeScopes, order("app", action.FieldScopes, "student"))
	if _, err := stop.Do(f.acting(), wanted, e.Revision); !errors.Is(err, provider.ErrChanged) || f.disabled("app") {
		t.Errorf("with a revision that has moved: %v", err)
	}
}

func isField(err error, field string) bool {
	var wrong *provider.FieldError
	return errors.As(err, &wrong) && wrong.Field == field
}

func TestTakeScopes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(action.TakeScopes, order("app", action.FieldScopes, "student other"))
	c := testkit.Must(f.id.Clients().Get(t.Context(), "app"))(f.t)
	if !slices.Equal(c.Scopes, []string{"openid", "login"}) || len(c.OptionalScopes) != 0 {
		t.Errorf("left are %q, optional %q", c.Scopes, c.OptionalScopes)
	}
	if f.lines(event.ScopesTaken) != 1 || len(f.mails.sent) != 1 {
		t.Errorf("%d lines, %d mails", f.lines(event.ScopesTaken), len(f.mails.sent))
	}
	if f.void(action.TakeScopes, order("app", action.FieldScopes, "student")) != "no_such_scope" {
		t.Error("a scope is taken twice")
	}
	if _, err := f.action(action.TakeScopes).Check(t.Context(), order("app", action.FieldScopes, "openid login")); !isField(err, action.FieldScopes) {
		t.Errorf("an application without scopes may ask for all: %v", err)
	}
}

func TestOrganization(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	wanted := order(river, action.FieldReason, reasonText)
	f.do(action.SuspendOrganization, wanted)
	if !f.disabled("app") || f.void(action.SuspendOrganization, wanted) != "stopped" || f.void(action.StartApplication, order("app")) != "organization_suspended" {
		t.Error("it is not suspended")
	}
	own := order(river)
	own.As = owner
	if f.void(action.ReactivateOrganization, own) != "own" {
		t.Error("an owner may reactivate the own organization")
	}
	f.do(action.ReactivateOrganization, order(river))
	if f.disabled("app") || f.void(action.ReactivateOrganization, order(river)) != "not_suspended" {
		t.Error("it is still suspended")
	}
	if f.lines(event.OrganizationSuspended) != 1 || f.lines(event.OrganizationReactivated) != 1 || len(f.mails.sent) != 2 {
		t.Errorf("lines: %d, %d; mails: %d", f.lines(event.OrganizationSuspended), f.lines(event.OrganizationReactivated), len(f.mails.sent))
	}
}

// renames gives an organization another name.
func (f *fixture) renames(id, name string) {
	f.t.Helper()
	o := testkit.Must(f.store.Organization(f.t.Context(), id))(f.t)
	o.Name = name
	f.ok(f.store.SaveOrganization(f.t.Context(), o))
}

func TestMove(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if f.void(action.MoveApplication, order("alone", action.FieldTo, lake)) != "of_the_host" || f.void(action.MoveApplication, order("app", action.FieldTo, river)) != "same_organization" {
		t.Error("what cannot be moved may be")
	}
	if _, err := f.action(action.MoveApplication).Check(t.Context(), order("app", action.FieldTo, "none")); !isField(err, action.FieldTo) {
		t.Errorf("to nowhere: %v", err)
	}
	byName := order("app", action.FieldTo, strings.ToUpper(lake))
	e := testkit.Must(f.action(action.MoveApplication).Check(t.Context(), byName))(f.t)
	f.renames(lake, "Sea")
	f.renames(river, strings.ToUpper(lake)) // as if to get what another was to have
	if _, err := f.action(action.MoveApplication).Do(f.acting(), byName, e.Revision); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("to who has taken the name: %v", err)
	}
	f.renames(lake, strings.ToUpper(lake))
	if _, err := f.action(action.MoveApplication).Check(t.Context(), byName); !isField(err, action.FieldTo) {
		t.Errorf("to a name that two have: %v", err)
	}
	f.renames(river, "River")
	f.do(action.MoveApplication, byName)
	a := testkit.Must(f.store.Application(t.Context(), storage.Production, "app"))(f.t)
	if a.OrganizationID != lake || f.lines(event.ClientMoved) != 1 || len(f.mails.sent) != 2 {
		t.Errorf("it is at %s; lines %d, mails %d", a.OrganizationID, f.lines(event.ClientMoved), len(f.mails.sent))
	}
}

func TestAppoint(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	wanted := order(lake, action.FieldEmail, "new@example.com")
	if f.void(action.AppointOwner, wanted) != "has_owner" {
		t.Error("an organization gets a second owner")
	}
	f.ok(f.store.EndMemberships(t.Context(), owner, "gone"))
	f.do(action.AppointOwner, wanted)
	if f.lines(event.OwnerAppointed) != 1 || len(f.mails.sent) != 1 || f.mails.sent[0].To != "new@example.com" {
		t.Errorf("%d lines, mails %+v", f.lines(event.OwnerAppointed), f.mails.sent)
	}
	if _, err := f.action(action.AppointOwner).Check(t.Context(), order(lake, action.FieldEmail, "no address")); !isField(err, action.FieldEmail) {
		t.Errorf("without an address: %v", err)
	}
}

func TestActions_WithoutADashboard(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	room := testkit.Must(applications.New(applications.Options{Provider: f.id}))(f.t)
	for _, a := range room.Actions() {
		if slices.Contains([]string{action.AppointOwner, action.SuspendOrganization, action.MoveApplication}, a.Name) {
			t.Errorf("%s is offered", a.Name)
		}
	}
}
