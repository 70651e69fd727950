package provider_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// demanding is a store that notes which writes came with events.
type demanding struct {
	*sqlite.Store
	with map[string][]storage.Event
}

func (d demanding) note(ctx context.Context, method string) {
	if deed := storage.DeedOf(ctx); deed != nil {
		d.with[method] = deed.Events
	}
}

// noting notes the events of a write that makes them itself.
func (d demanding) noting(method string, events []storage.EventsOf) storage.EventsOf {
	return func(subjects []string) (all []storage.Event) {
		for _, of := range events {
			all = append(all, of(subjects)...)
		}
		d.with[method] = all
		return all
	}
}

func (d demanding) EndGrants(ctx context.Context, ids []storage.GrantID, at time.Time, events ...storage.EventsOf) (int, error) {
	return d.Store.EndGrants(ctx, ids, at, d.noting("EndGrants", events))
}

func (d demanding) RemoveSessions(ctx context.Context, digests []storage.Digest, events ...storage.EventsOf) (int, error) {
	return d.Store.RemoveSessions(ctx, digests, d.noting("RemoveSessions", events))
}

func (d demanding) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	d.note(ctx, "RevokeGrants")
	return d.Store.RevokeGrants(ctx, match, at)
}

func (d demanding) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	d.note(ctx, "ChangeEmail")
	return d.Store.ChangeEmail(ctx, c)
}

func (d demanding) SetDeletion(ctx context.Context, id string, on storage.Proof, deleteAt, at time.Time) error {
	d.note(ctx, "SetDeletion")
	return d.Store.SetDeletion(ctx, id, on, deleteAt, at)
}

func (d demanding) SetStatus(ctx context.Context, subject string, s storage.Status, replaced int64, on ...storage.PersonBasis) error {
	d.note(ctx, "SetStatus")
	return d.Store.SetStatus(ctx, subject, s, replaced, on...)
}

func (d demanding) RemoveStatus(ctx context.Context, subject, group string) error {
	d.note(ctx, "RemoveStatus")
	return d.Store.RemoveStatus(ctx, subject, group)
}

func (d demanding) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	d.note(ctx, "SetPassword")
	return d.Store.SetPassword(ctx, id, on, hash, at, begin...)
}

func (d demanding) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	d.note(ctx, "SetDisabled")
	return d.Store.SetDisabled(ctx, id, disabled, at)
}

func (d demanding) EndIssued(ctx context.Context, id string, at time.Time) error {
	d.note(ctx, "EndIssued")
	return d.Store.EndIssued(ctx, id, at)
}

func (d demanding) DeleteAccount(ctx context.Context, id, pseudonym string, erase storage.Erase, due ...time.Time) (bool, error) {
	d.note(ctx, "DeleteAccount")
	return d.Store.DeleteAccount(ctx, id, pseudonym, erase, due...)
}

func (d demanding) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	d.note(ctx, "EndSessions")
	return d.Store.EndSessions(ctx, match)
}

// heardOf are the writes of People, Accounts, Deletions, Sessions and Grants of which receivers of signals
// hear, and their events; othersOfPeople change nothing of what is told: data without a status, and what
// begins, is used, spent, removed when it has ended, or only read. EndStatuses records its events itself.
var heardOf = map[string]string{
	"SetStatus": event.StatusChanged, "RemoveStatus": event.StatusEnded, "SetPassword": event.PasswordChanged, "SetDisabled": event.AccountDisabled,
	"EndIssued": event.Revoked, "DeleteAccount": event.AccountDeleted, "EndSessions": event.SignedOut, "EndStatuses": "",
	"ChangeEmail": event.EmailChanged, "SetDeletion": event.DeletionRequested,
	"RemoveSessions": event.Revoked, "EndGrants": event.Revoked, "RevokeGrants": event.Reuse,
}

const othersOfPeople = `
	Person SetAttributes SetOwnAttributes Subjects ReplaceAttribute
	CreateAccount Account AccountByEmail Accounts SetEmail VerifyEmail SetLanguage Rehash
	Departed RemoveDeparted
	CreateSession Session TouchSession Sessions FindSessions
	CreateGrant Token Exchange Reissue Derive Renew FindGrants RemoveGrants`

// TestEveryWriteThatIsHeardOfHasAnEvent has each of these writes made, and looks for its event in the step of it.
func TestEveryWriteThatIsHeardOfHasAnEvent(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range strings.Fields(othersOfPeople) {
		known[name] = true
	}
	for _, role := range []reflect.Type{
		reflect.TypeFor[storage.People](), reflect.TypeFor[storage.Accounts](), reflect.TypeFor[storage.Deletions](), reflect.TypeFor[storage.Sessions](), reflect.TypeFor[storage.Grants](),
	} {
		for i := range role.NumMethod() {
			name := role.Method(i).Name
			if _, heard := heardOf[name]; !heard && !known[name] {
				t.Errorf("does %s change what receivers of signals hear of? If it does, heardOf has its event; if not, othersOfPeople names it", name)
			}
		}
	}

	opened, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(err)
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	store := demanding{opened, map[string][]storage.Event{}}
	var seen []string
	idp, err := provider.New(t.Context(), provider.Config{
		BaseURL: "http://localhost:8080", Secret: secret, Store: store,
		OnEvent: func(e provider.Event) { seen = append(seen, e.Name) },
	})
	ok(err)
	defer idp.Close()
	_, err = idp.Accounts().Save(t.Context(), provider.Account{ID: "ann", Email: "ann@example.com", Password: "correct horse battery"})
	ok(err)
	ok(idp.People().SetStatus(t.Context(), "ann", provider.Status{Group: "student", Verified: true, ExpiresAt: time.Now().Add(-time.Hour)}))
	idp.Maintain(t.Context())
	ended := strings.Count(strings.Join(seen, " "), event.StatusEnded)
	ok(idp.People().DeleteStatus(t.Context(), "ann", "student"))
	_, err = idp.Accounts().Save(t.Context(), provider.Account{ID: "ann", Email: "ann@example.com", Password: "another horse battery"})
	ok(err)
	ok(idp.People().EndSessions(t.Context(), "ann", ""))
	ann, err := opened.Account(t.Context(), "ann")
	ok(err)
	now := time.Now()
	ok(opened.CreateSession(t.Context(), storage.Session{Digest: storage.Digest{1}, AccountID: "ann", CreatedAt: now, ExpiresAt: now.Add(time.Hour), IdleUntil: now.Add(time.Hour)}, ann.Proof(), storage.Digest{}))
	ok(opened.SaveClient(t.Context(), storage.Client{ID: "app", CreatedAt: now}))
	grant := storage.Grant{ID: storage.GrantID{1}, ClientID: "app", Subject: "bob", CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	ok(opened.CreateGrant(t.Context(), grant, storage.Basis{}))
	ok(idp.People().RevokeIssuedBefore(t.Context(), now.Add(time.Minute)))
	ok(idp.Reuse(t.Context(), grant, func(ctx context.Context) error {
		_, err := store.RevokeGrants(ctx, storage.GrantFilter{ID: grant.ID}, now)
		return err
	}))
	ok(idp.People().Revoke(t.Context(), "ann"))
	ok(idp.Rooms().Accounts.ChangeEmail(t.Context(), "ann", "another@example.com"))
	ok(idp.Rooms().Accounts.ScheduleDeletion(t.Context(), "ann"))
	ok(idp.Accounts().SetDisabled(t.Context(), "ann", true))
	ok(idp.Accounts().Delete(t.Context(), "ann"))
	for method, want := range heardOf {
		var names []string
		for _, e := range store.with[method] {
			names = append(names, e.Name)
			if _, told := signals.ChangeOf(e); !told && e.Name != event.AccountDeleted { // of which they hear in its step
				t.Errorf("no receiver hears of %s: %+v", method, e)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s came with the events %q, want %q", method, got, want)
		}
	}
	if ended != 1 {
		t.Errorf("the end of a status was recorded %d times", ended)
	}
}
