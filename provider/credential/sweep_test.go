package credential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// world is a service beside a provider, with a clock that a test moves.
type world struct {
	*Service
	idp   *provider.Provider
	store *sqlite.Store
	now   time.Time
}

// newWorld returns a service with one kind, and a wallet.
func newWorld(t *testing.T, change ...func(*provider.Config)) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{store: store, now: time.Date(2027, 1, 15, 9, 30, 0, 0, time.UTC)}
	kinds, clock := Kinds{{Group: "student"}}, func() time.Time { return w.now }
	cfg := provider.Config{
		BaseURL: "https://app.test/id", Secret: bytes.Repeat([]byte("s3cret-of-tests!"), 2), Store: store, Credentials: kinds, Clock: clock, Logger: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&cfg)
	}
	if w.idp, err = provider.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.must(t, w.idp.Close()) })
	w.Service, err = New(t.Context(), Config{Provider: w.idp, Store: store, Kinds: kinds, Clock: clock, Logger: cfg.Logger})
	w.must(t, err)
	w.must(t, store.SaveClient(t.Context(), storage.Client{ID: "wallet", CreatedAt: w.now, UpdatedAt: w.now}))
	return w
}

func (w *world) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// join makes a verified student with an account.
func (w *world) join(t *testing.T, who string) {
	t.Helper()
	w.must(t, w.store.CreateAccount(t.Context(), storage.Account{ID: who, CreatedAt: w.now}))
	w.must(t, w.idp.People().SetStatus(t.Context(), who, w.student("")))
}

// student is a status with these subgroups.
func (w *world) student(by string) provider.Status {
	return provider.Status{Group: "student", Verified: true, VerifiedBy: by, VerifiedAt: w.now, ExpiresAt: w.now.AddDate(1, 0, 0)}
}

// hold puts the status of a user into the wallet.
func (w *world) hold(t *testing.T, who string) storage.Credential {
	t.Helper()
	g := storage.Grant{ID: random.SortedID(w.now), ClientID: "wallet", Subject: who, CreatedAt: w.now, ExpiresAt: w.now.Add(time.Hour)}
	copy(g.Flow[:], random.Bytes(32))
	w.must(t, w.store.CreateGrant(t.Context(), g, storage.Basis{}))
	statuses, err := w.idp.People().Statuses(t.Context(), who, "student")
	w.must(t, err)
	list, place, _, err := w.lists.draw(t.Context())
	w.must(t, err)
	c := storage.Credential{
		ID: random.SortedUUID(w.now), Subject: who, ClientID: "wallet", GrantID: g.ID, Group: "student", List: list, Place: place,
		StatusRevision: statuses[0].Revision, Content: w.content(w.cfg.Kinds[0], statuses[0]), IssuedAt: w.now, ExpiresAt: w.now.Add(30 * day),
	}
	copy(c.Notification[:], random.Bytes(32))
	w.must(t, w.store.SaveCredential(t.Context(), c))
	return c
}

// state returns how a credential has ended, empty for one in force.
func (w *world) state(t *testing.T, c storage.Credential) storage.CredentialEnd {
	t.Helper()
	found, err := storage.One(w.store.Credentials(t.Context(), storage.CredentialFilter{ID: c.ID}))
	w.must(t, err)
	return found.End
}

func TestSweep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(w *world, ctx context.Context) error
		want   storage.CredentialEnd
	}{
		"NothingHasChanged": {func(*world, context.Context) error { return nil }, ""},
		"StatusSaysTheSame": {func(w *world, ctx context.Context) error {
			return w.idp.People().SetStatus(ctx, "ann", w.student("another office"))
		}, ""},
		"StatusSaysSomethingElse": {func(w *world, ctx context.Context) error {
			s := w.student("")
			s.ExpiresAt = s.ExpiresAt.AddDate(0, 0, 1)
			return w.idp.People().SetStatus(ctx, "ann", s)
		}, storage.EndedByStatus},
		"StatusIsRefused": {func(w *world, ctx context.Context) error {
			return w.idp.People().SetStatus(ctx, "ann", provider.Status{Group: "student"})
		}, storage.EndedByStatus},
		"StatusHasEnded":     {func(w *world, ctx context.Context) error { return w.idp.People().DeleteStatus(ctx, "ann", "student") }, storage.EndedByStatus},
		"AccountIsLocked":    {func(w *world, ctx context.Context) error { return w.idp.Accounts().SetDisabled(ctx, "ann", true) }, storage.EndedByAccount},
		"ConsentIsWithdrawn": {func(w *world, ctx context.Context) error { return w.store.RevokeConsent(ctx, "ann", "wallet", w.now) }, storage.EndedByGrant},
		"TokensAreRevoked":   {func(w *world, ctx context.Context) error { return w.idp.People().Revoke(ctx, "ann") }, storage.EndedByGrant},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.join(t, "ann")
			w.join(t, "bob")
			held, other := w.hold(t, "ann"), w.hold(t, "bob")
			w.must(t, c.change(w, t.Context()))
			for range 2 {
				w.must(t, w.sweep(t.Context()))
			}
			if got := w.state(t, held); got != c.want || w.state(t, other) != "" {
				t.Errorf("ended by %q and %q, want %q and none", got, w.state(t, other), c.want)
			}
			events, err := w.idp.Events().List(t.Context(), provider.EventFilter{Name: event.CredentialEnded, UserID: "ann"})
			w.must(t, err)
			if want := min(len(c.want), 1); len(events) != want || want == 1 && (events[0].Detail != "student "+string(c.want) || events[0].ClientID != "wallet") {
				t.Errorf("recorded %v", events)
			}
		})
	}
	t.Run("DeletionOfAPersonNeedsNoSweep", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.join(t, "ann")
		held := w.hold(t, "ann")
		w.must(t, w.idp.Accounts().Delete(t.Context(), "ann"))
		ended, err := w.store.EndedPlaces(t.Context(), 1)
		w.must(t, err)
		found, err := w.store.Credentials(t.Context(), storage.CredentialFilter{ID: held.ID})
		w.must(t, err)
		if len(ended) < 2 || len(found) != 0 {
			t.Errorf("%d places have ended; %v is left", len(ended), found)
		}
		data, err := companion{w.store}.Export(t.Context(), "ann")
		if w.must(t, err); fmt.Sprint(data) != "map[credentials:[]]" {
			t.Errorf("exported: %v", data)
		}
	})
	t.Run("StaffEndsOne", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.join(t, "ann")
		held := w.hold(t, "ann")
		for _, of := range []struct{ who, id string }{{"bob", held.ID}, {"ann", "unknown"}, {"ann", held.ID}} {
			w.must(t, w.End(provider.By(t.Context(), storage.Actor{Name: "staff:eve"}), of.who, of.id))
		}
		events, err := w.idp.Events().List(t.Context(), provider.EventFilter{Name: event.CredentialEnded})
		if w.must(t, err); w.state(t, held) != storage.EndedByStaff || len(events) != 1 || events[0].Actor != "staff:eve" {
			t.Errorf("ended by %q; recorded %v", w.state(t, held), events)
		}
	})
	t.Run("HostIsAskedOnceADay", func(t *testing.T) {
		t.Parallel()
		asked, member, away := map[string]bool{}, true, errors.New("away")
		w := newWorld(t, func(c *provider.Config) {
			c.Users = provider.Users{
				SignedIn: func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil }, SignInURL: "https://app.test/signin",
				Person: func(_ context.Context, userID string, _, _ []string) (provider.Person, error) {
					asked[userID] = true
					if userID == "lost" {
						return provider.Person{}, away
					}
					return provider.Person{Statuses: []provider.Status{{Group: "student", Verified: member, Revision: 7}}}, nil
				},
			}
		})
		held := w.hold(t, "ann")
		lost := held
		lost.ID, lost.Subject, lost.Place, lost.Notification[0] = "0 comes first", "lost", held.Place^1, held.Notification[0]+1
		g := storage.Grant{ID: random.SortedID(w.now), ClientID: "wallet", Subject: "lost", CreatedAt: w.now, ExpiresAt: w.now.Add(time.Hour)}
		w.must(t, w.store.CreateGrant(t.Context(), g, storage.Basis{}))
		lost.GrantID = g.ID
		w.must(t, w.store.SaveCredential(t.Context(), lost))
		sweep := func(after time.Duration, want int, wantErr error, end storage.CredentialEnd) {
			t.Helper()
			w.now = w.now.Add(after)
			clear(asked)
			if err := w.sweep(t.Context()); !errors.Is(err, wantErr) || len(asked) != want || w.state(t, held) != end || w.state(t, lost) != "" {
				t.Errorf("after %v: %v, asked about %d, want %d; ended by %q", after, err, len(asked), want, w.state(t, held))
			}
		}
		sweep(time.Hour, 0, nil, "")
		sweep(23*time.Hour+time.Second, 2, away, "") // which holds up nobody
		sweep(time.Minute, 0, nil, "")
		sweep(time.Hour, 1, away, "")
		member = false
		sweep(21*time.Hour, 1, away, "")
		sweep(2*time.Hour, 2, away, storage.EndedByStatus)
	})
}
