package person_test

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/ui"
)

// Passwords and keys are cheap in the tests of this package.
func init() {
	password.Cheapen()
	keyring.Cheapen()
}

// secret looks random and is the same in every run.
var secret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

const (
	nora, bob, olga = "nora", "bob", "olga"
	staff           = "Sam"
)

// fixture is the room over a provider with the accounts nora and bob.
type fixture struct {
	*testing.T
	id    *provider.Provider
	store *sqlite.Store
	book  *action.Book
	mails *mailbox
}

type mailbox struct{ sent []provider.Mail }

func (m *mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.sent = append(m.sent, mail)
	return nil
}

func newFixture(t *testing.T, host person.Host, change ...func(*provider.Config)) *fixture {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, store: store, mails: &mailbox{}}
	cfg := provider.Config{
		BaseURL: "https://id.example", Secret: secret, Store: store, Mailer: f.mails,
		Attributes: []catalogue.Attribute{{Handle: "customer_number", Name: "Customer number"}, {Handle: "allergy", Name: "Allergy", Sensitive: true}, {Handle: "children", Type: catalogue.Integer}},
	}
	for _, c := range change {
		c(&cfg)
	}
	f.id, err = provider.New(t.Context(), cfg)
	f.ok(err)
	t.Cleanup(func() { _ = f.id.Close(); _ = store.Close() })
	if f.id.Rooms().Installation().HasAccounts {
		for _, id := range []string{nora, bob} {
			_, err := f.id.Accounts().Save(t.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: "glacier-tulip-orbit-42"})
			f.ok(err)
		}
		f.ok(f.id.People().SetAttributes(t.Context(), nora, map[string]any{"customer_number": "A-17", "allergy": "nuts", "children": 2}))
	}
	f.ok(f.id.Clients().Save(t.Context(), provider.Client{ID: "app", Name: "River Bikes", Dialect: provider.Standard, RedirectURIs: []string{"https://app.example/in"}, Scopes: []string{"openid"}}))
	f.book, err = action.NewBook(person.Actions(person.Options{Provider: f.id, Host: host, Clock: time.Now})...)
	f.ok(err)
	return f
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func order(target string, values ...string) action.Order {
	o := action.Order{Target: target, Values: map[string]string{}, Staff: staff}
	for i := 0; i < len(values); i += 2 {
		o.Values[values[i]] = values[i+1]
	}
	return o
}

func (f *fixture) action(name string) action.Action {
	f.Helper()
	a, ok := f.book.Action(name)
	if !ok {
		f.Fatalf("nobody can %s", name)
	}
	return a
}

// matterOf is the matter about a person.
func matterOf(subject string) string { return "about-" + subject }

// open opens the matter about a person, whose caller has proved everything.
func (f *fixture) open(subject string) {
	f.Helper()
	now := time.Now()
	f.ok(f.store.OpenMatter(f.Context(), storage.Matter{
		ID: matterOf(subject), Staff: staff, Role: "support", Subject: subject, Reason: "caller", OpenedAt: now, EndsAt: now.Add(time.Hour),
		Proof: storage.SessionProof, ProvedUntil: now.Add(time.Hour),
	}))
}

// by is the context of the staff in the matter about a person.
func (f *fixture) by(subject string) context.Context { return f.within(matterOf(subject), subject) }

// within is the context of the staff in a matter that may be about somebody else.
func (f *fixture) within(matter, subject string) context.Context {
	return provider.By(f.Context(), storage.Actor{Name: "staff:" + staff, Matter: matter, On: storage.DeedBasis{
		Matter: matter, Staff: staff, Subject: subject, Proof: storage.MailboxProof, At: time.Now(),
	}})
}

// do checks an order and carries it out in the matter.
func (f *fixture) do(name string, o action.Order) action.Result {
	f.Helper()
	a := f.action(name)
	e, err := a.Check(f.Context(), o)
	f.ok(err)
	if e.Void != "" {
		f.Fatalf("%s: nothing to do: %s", name, e.Void)
	}
	result, err := a.Do(f.by(o.Target), o, e.Revision)
	f.ok(err)
	return result
}

// line is the last event of a person.
func (f *fixture) line(subject string) provider.Event {
	f.Helper()
	events, err := f.id.Events().List(f.Context(), provider.EventFilter{UserID: subject})
	f.ok(err)
	if len(events) == 0 {
		return provider.Event{}
	}
	return events[0].Event
}

// signIn gives an account a session, and an application.
func (f *fixture) signIn(id string) (handle string) {
	f.Helper()
	now := time.Now()
	a, err := f.store.Account(f.Context(), id)
	f.ok(err)
	s := storage.Session{Digest: storage.Digest{byte(len(id))}, AccountID: id, AuthTime: now, UserAgent: "Firefox", CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Hour), IdleUntil: now.Add(time.Hour)}
	f.ok(f.store.CreateSession(f.Context(), s, a.Proof(), storage.Digest{}))
	f.ok(f.store.SaveConsent(f.Context(), storage.Consent{Subject: id, ClientID: "app", ClientName: "River Bikes", Scopes: []string{"openid"}, CreatedAt: now, DecidedAt: now}, storage.ConsentBasis{}))
	data, err := f.id.People().Get(f.Context(), id)
	f.ok(err)
	return data.Sessions[0].Handle
}

func (f *fixture) get(id string) provider.PersonalData {
	f.Helper()
	data, err := f.id.People().Get(f.Context(), id)
	f.ok(err)
	return data
}

// passkey gives an account a passkey.
func (f *fixture) passkey(id string) {
	f.Helper()
	a, err := f.store.Account(f.Context(), id)
	f.ok(err)
	secrets, err := keyring.NewSecrets(secret)
	f.ok(err)
	sealed, _, err := vault.OpenStore(f.Context(), vault.Options{Store: f.store, Secrets: secrets, Issuer: "https://id.example/oidc", RPID: "id.example", Logger: slog.Default()})
	f.ok(err)
	f.ok(sealed.AddPasskey(f.Context(), storage.Passkey{ID: []byte("key"), AccountID: id, PublicKey: []byte("k"), RPID: "id.example", Name: "Key", UserHandle: []byte("handle"), CreatedAt: time.Now()}, 10, a.Proof()))
}

func TestActions(t *testing.T) {
	t.Parallel()
	tomorrow := time.Now().Add(30 * time.Hour).UTC().Format(time.DateOnly)
	student := provider.Status{Group: "student", Verified: true, VerifiedBy: "school"}
	for name, test := range map[string]struct {
		action string
		values []string
		before func(f *fixture) []string // further values
		event  string
		mail   string // in its text
		holds  func(f *fixture, result action.Result) bool
	}{
		"SendResetGoesToTheRecordedAddress": {
			action: action.SendReset, event: event.ResetSent, mail: "https://id.example/reset",
			holds: func(f *fixture, _ action.Result) bool { return f.mails.sent[0].To == "nora@example.com" },
		},
		"EndSessionEndsThatOne": {
			action: action.EndSession, event: event.SessionEnded, mail: "Signed out on one device",
			before: func(f *fixture) []string { return []string{action.FieldSession, f.signIn(nora)} },
			holds:  func(f *fixture, _ action.Result) bool { return len(f.get(nora).Sessions) == 0 },
		},
		"EndSessionsEndsAll": {
			action: action.EndSessions, event: event.Revoked, mail: "Signed out",
			before: func(f *fixture) []string { f.signIn(nora); return nil },
			holds:  func(f *fixture, _ action.Result) bool { return len(f.get(nora).Sessions) == 0 },
		},
		"RevokeApplicationEndsItsAccess": {
			action: action.RevokeApplication, values: []string{action.FieldClient, "app"}, event: event.Revoked, mail: "An app’s access ended",
			before: func(f *fixture) []string { f.signIn(nora); return nil },
			holds:  func(f *fixture, _ action.Result) bool { return len(f.get(nora).Consents) == 0 },
		},
		"LockLocks": {
			action: action.Lock, event: event.AccountDisabled, mail: "Account locked",
			holds: func(f *fixture, _ action.Result) bool { return f.get(nora).Account.Disabled },
		},
		"UnlockUnlocks": {
			action: action.Unlock, event: event.AccountEnabled, mail: "Account unlocked",
			before: func(f *fixture) []string { f.ok(f.id.Accounts().SetDisabled(f.Context(), nora, true)); return nil },
			holds:  func(f *fixture, _ action.Result) bool { return !f.get(nora).Account.Disabled },
		},
		"ShowValueShowsOne": {
			action: action.ShowValue, values: []string{action.FieldHandle, "customer_number"}, event: event.ValueShown,
			holds: func(_ *fixture, r action.Result) bool { return r.Shown == "A-17" },
		},
		"ShowSensitiveShowsOne": {
			action: action.ShowSensitive, values: []string{action.FieldHandle, "allergy"}, event: event.ValueShown,
			holds: func(_ *fixture, r action.Result) bool { return r.Shown == "nuts" },
		},
		"CorrectValueRecordsAnother": {
			action: action.CorrectValue, values: []string{action.FieldHandle, "children", action.FieldValue, "3"}, event: event.AttributesChanged,
			mail:  "corrected",
			holds: func(f *fixture, _ action.Result) bool { return string(f.get(nora).Attributes["children"]) == "3" },
		},
		"EndStatusEndsIt": {
			action: action.EndStatus, values: []string{action.FieldGroup, "student"}, event: event.StatusChanged, mail: "Group status ended",
			before: func(f *fixture) []string { f.ok(f.id.People().SetStatus(f.Context(), nora, student)); return nil },
			holds: func(f *fixture, _ action.Result) bool {
				released, err := f.id.People().Statuses(f.Context(), nora, "student")
				return err == nil && !released[0].Verified && f.get(nora).Statuses[0].VerifiedBy == "school"
			},
		},
		"SetStatusSetsOne": {
			action: action.SetStatus, values: []string{action.FieldGroup, "student", action.FieldUntil, tomorrow}, event: event.StatusChanged, mail: "Group status set",
			holds: func(f *fixture, _ action.Result) bool { return f.get(nora).Statuses[0].Verified },
		},
		"StartDeletionGivesTheOwnerTime": {
			action: action.StartDeletion, event: event.DeletionRequested, mail: "will be deleted",
			holds: func(f *fixture, _ action.Result) bool { return !f.get(nora).Account.DeleteAt.IsZero() },
		},
		"StopDeletionKeepsTheAccount": {
			action: action.StopDeletion, event: event.DeletionWithdrawn, mail: "Account deletion cancelled",
			before: func(f *fixture) []string { f.ok(f.id.Rooms().Accounts.ScheduleDeletion(f.Context(), nora)); return nil },
			holds:  func(f *fixture, _ action.Result) bool { return f.get(nora).Account.DeleteAt.IsZero() },
		},
		"SendExportLeadsBehindTheSignIn": {
			action: action.SendExport, event: event.ExportSent, mail: "https://id.example/account/export",
		},
		"ResetFactorsBeginsTheWait": {
			action: action.ResetFactors, event: event.RecoveryStarted, mail: "/recover/stop",
			before: func(f *fixture) []string { f.passkey(nora); return nil },
			holds: func(f *fixture, _ action.Result) bool {
				has, err := f.id.Accounts().Authenticators(f.Context(), nora)
				return err == nil && has.Recovery != nil && len(has.Passkeys) == 1
			},
		},
		"ResetFactorsNowRemovesThem": {
			action: action.ResetFactorsNow, event: event.AuthenticatorsReset, mail: "removed",
			before: func(f *fixture) []string { f.passkey(nora); return nil },
			holds: func(f *fixture, _ action.Result) bool {
				has, err := f.id.Accounts().Authenticators(f.Context(), nora)
				return err == nil && len(has.Passkeys) == 0
			},
		},
		"ChangeEmailGivesAnUnprovedAddress": {
			action: action.ChangeEmail, values: []string{action.FieldEmail, "new@example.com"}, event: event.EmailChanged, mail: "/email/return?",
			holds: func(f *fixture, _ action.Result) bool {
				a := f.get(nora).Account
				return a.Email == "new@example.com" && !a.EmailVerified && f.mails.sent[0].To == "nora@example.com"
			},
		},
	} {
		begun := func(t *testing.T) (*fixture, action.Order, func(matter string, want error)) {
			t.Helper()
			f := newFixture(t, person.Host{})
			f.open(nora)
			f.open(bob)
			values := test.values
			if test.before != nil {
				values = append(values, test.before(f)...)
			}
			a, o := f.action(test.action), order(nora, values...)
			e, err := a.Check(t.Context(), o)
			f.ok(err)
			return f, o, func(matter string, want error) {
				t.Helper()
				f.mails.sent = nil
				before := f.line(nora)
				if result, err := a.Do(f.within(matter, nora), o, e.Revision); !errors.Is(err, want) || result != (action.Result{}) {
					t.Errorf("got %+v, %v; want %v", result, err, want)
				}
				if f.line(nora) != before || len(f.mails.sent) > 0 {
					t.Error("something was done")
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, o, refused := begun(t)
			refused(matterOf(bob), audit.ErrMatter)
			result := f.do(test.action, o)
			if e := f.line(nora); e.Name != test.event || e.Actor != "staff:"+staff || e.Matter != matterOf(nora) {
				t.Errorf("the line is %+v", e)
			}
			if test.mail == "" && len(f.mails.sent) > 0 || test.mail != "" && (len(f.mails.sent) != 1 || !strings.Contains(f.mails.sent[0].Text, test.mail)) {
				t.Errorf("mails: %+v", f.mails.sent)
			}
			if test.holds != nil && !test.holds(f, result) {
				t.Error("it was not done")
			}
		})
		t.Run(name+"/RefusedOnAMovedRevision", func(t *testing.T) {
			t.Parallel()
			f, _, refused := begun(t)
			_, err := f.id.Accounts().Save(t.Context(), provider.Account{ID: nora, Email: "nora@example.com", EmailVerified: true, Password: "another-tulip-orbit-43"})
			f.ok(err)
			refused(matterOf(nora), provider.ErrChanged)
		})
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, person.Host{})
	t.Run("OnNobodyIsNoTarget", func(t *testing.T) {
		for _, a := range f.book.On(action.Person) {
			o := order("nobody", action.FieldHandle, "fname", action.FieldGroup, "student", action.FieldEmail, "x@example.com", action.FieldUntil, "2999-01-01")
			if _, err := a.Check(t.Context(), o); !errors.Is(err, action.ErrNoTarget) {
				t.Errorf("%s: %v", a.Name, err)
			}
		}
	})
	t.Run("IsVoidWhereThereIsNothingToDo", func(t *testing.T) {
		for name, want := range map[string]string{
			action.Unlock: person.VoidNotLocked, action.StopDeletion: person.VoidNoDeletion, action.EndSession: person.VoidNoSession,
			action.RevokeApplication: person.VoidNoApplication, action.ResetFactors: person.VoidNoFactors, action.ResetFactorsNow: person.VoidNoFactors,
			action.EndStatus: person.VoidNoStatus,
		} {
			e, err := f.action(name).Check(t.Context(), order(bob, action.FieldGroup, "student"))
			if err != nil || e.Void != want {
				t.Errorf("%s: %q, %v", name, e.Void, err)
			}
		}
	})
	t.Run("HasOneEffect", func(t *testing.T) { // a denied effect is not had by another action
		for name, handle := range map[string]string{action.ShowValue: "allergy", action.ShowSensitive: "customer_number", action.CorrectValue: "email"} {
			var field *provider.FieldError
			_, err := f.action(name).Check(t.Context(), order(nora, action.FieldHandle, handle, action.FieldValue, "x"))
			if !errors.As(err, &field) || field.Field != action.FieldHandle {
				t.Errorf("%s of %s: %v", name, handle, err)
			}
		}
	})
	t.Run("RefusesWrongValues", func(t *testing.T) {
		for name, values := range map[string][]string{
			action.CorrectValue: {action.FieldHandle, "children", action.FieldValue, "two"},
			action.SetStatus:    {action.FieldGroup, "student", action.FieldUntil, "2001-01-01"},
			action.ChangeEmail:  {action.FieldEmail, "nowhere"},
		} {
			var field *provider.FieldError
			if _, err := f.action(name).Check(t.Context(), order(nora, values...)); !errors.As(err, &field) || field.Field != values[len(values)-2] {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("DoesNotDeleteWhoAloneAnswersForSomething", func(t *testing.T) {
		f := newFixture(t, person.Host{})
		f.id.Rooms().People.KeepWith(companion{})
		e, err := f.action(action.StartDeletion).Check(t.Context(), order(nora))
		if err != nil || e.Void != person.VoidDuties {
			t.Errorf("%+v, %v", e, err)
		}
		if err := f.id.Rooms().Accounts.ScheduleDeletion(t.Context(), nora); !errors.Is(err, room.ErrDuties) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("CannotTakeTheAddressOfAnother", func(t *testing.T) {
		e, err := f.action(action.ChangeEmail).Check(t.Context(), order(nora, action.FieldEmail, "BOB@example.com"))
		if err != nil || e.Void != person.VoidTaken {
			t.Errorf("%+v, %v", e, err)
		}
	})
	t.Run("WithoutAMailerOffersNoMails", func(t *testing.T) {
		f := newFixture(t, person.Host{}, func(c *provider.Config) { c.Mailer = nil })
		for _, name := range []string{action.SendReset, action.SendExport, action.ResetFactors} {
			if _, ok := f.book.Action(name); ok {
				t.Errorf("%s is offered", name)
			}
		}
	})
}

// companion has everybody answer for a club.
type companion struct{ host.Companion }

func (companion) Duties(context.Context, string) ([]ui.Duty, error) {
	return []ui.Duty{{Name: "Club"}}, nil
}
