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
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// demanding is a store that notes which writes came with events.
type demanding struct {
	*sqlite.Store
	with map[string]string
}

func (d demanding) note(ctx context.Context, method string) {
	names := ""
	if deed := storage.DeedOf(ctx); deed != nil {
		for _, e := range deed.Events {
			names += e.Name + " "
		}
	}
	d.with[method] = strings.TrimSpace(names)
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

// heardOf are the writes of People, Accounts and Sessions of which receivers of signals hear, and their
// events; othersOfPeople change nothing of what is told: data without a status, addresses, and what
// begins, is used or only read. EndStatuses records its events itself, and RemoveSessions ends what
// RevokeIssuedBefore has recorded.
var heardOf = map[string]string{
	"SetStatus": event.StatusChanged, "RemoveStatus": event.StatusEnded, "SetPassword": event.PasswordChanged, "SetDisabled": event.AccountDisabled,
	"EndIssued": event.Revoked, "DeleteAccount": event.AccountDeleted, "EndSessions": event.SignedOut, "EndStatuses": "",
}

const othersOfPeople = `
	Person SetAttributes SetOwnAttributes Subjects ReplaceAttribute
	CreateAccount Account AccountByEmail Accounts SetEmail VerifyEmail ChangeEmail SetLanguage Rehash
	CreateSession Session TouchSession Sessions FindSessions RemoveSessions`

// TestEveryWriteThatIsHeardOfHasAnEvent has each of these writes made, and looks for its event in the step of it.
func TestEveryWriteThatIsHeardOfHasAnEvent(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range strings.Fields(othersOfPeople) {
		known[name] = true
	}
	for _, role := range []reflect.Type{reflect.TypeFor[storage.People](), reflect.TypeFor[storage.Accounts](), reflect.TypeFor[storage.Sessions]()} {
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
	store := demanding{opened, map[string]string{}}
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
	ok(idp.People().Revoke(t.Context(), "ann"))
	ok(idp.Accounts().SetDisabled(t.Context(), "ann", true))
	ok(idp.Accounts().Delete(t.Context(), "ann"))
	for method, want := range heardOf {
		if got := store.with[method]; got != want {
			t.Errorf("%s came with the events %q, want %q", method, got, want)
		}
	}
	if ended != 1 {
		t.Errorf("the end of a status was recorded %d times", ended)
	}
}
