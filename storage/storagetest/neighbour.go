package storagetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// A deed changes some records of a database. All others are its neighbours and must stay: a
// statement that lacks one of its conditions locks every account, or saves one application
// over all others.
type deed[S storage.Store] struct {
	do func(ctx context.Context, s S) error

	// changes are prefixes of the names of records that may differ afterwards.
	changes []string

	// fails is the error of a deed that does nothing.
	fails error
}

func doing[S storage.Store](do func(ctx context.Context, s S) error, changes ...string) deed[S] {
	return deed[S]{do: do, changes: changes}
}

func failing[S storage.Store](fails error, do func(ctx context.Context, s S) error) deed[S] {
	return deed[S]{do: do, fails: fails}
}

// leave runs each deed on a database of its own and reports other records that have changed.
// look names every record; it is called once for a database, and so may spend tokens.
func leave[S storage.Store](t *testing.T, store func(t *testing.T) S, fill func(t *testing.T, s S), look func(ctx context.Context, s S) map[string]string, deeds map[string]deed[S]) {
	pristine := store(t)
	fill(t, pristine)
	want := look(t.Context(), pristine)
	for name, deed := range deeds {
		t.Run(name, func(t *testing.T) {
			s := store(t)
			fill(t, s)
			if err := deed.do(t.Context(), s); !errors.Is(err, deed.fails) {
				t.Fatalf("err = %v, want %v", err, deed.fails)
			}
			got := look(t.Context(), s)
			beside := func(name, _ string) bool {
				return slices.ContainsFunc(deed.changes, func(beginning string) bool { return strings.HasPrefix(name, beginning) })
			}
			maps.DeleteFunc(got, beside)
			left := maps.Clone(want)
			maps.DeleteFunc(left, beside)
			if diff := cmp.Diff(left, got); diff != "" {
				t.Errorf("changed beside (-before +after):\n%s", diff)
			}
		})
	}
}

// The people and the applications of the neighbourhood: each person uses each application.
var (
	people  = []string{"ann", "bob"}
	clients = []string{"red", "blue"}
)

// fill makes two records of each kind, as equal as possible.
func fill(t *testing.T, store storage.Store) {
	t.Helper()
	ctx := t.Context()
	for i, client := range clients {
		saveClient(t, store, client)
		ok(t, store.RecordSecretUse(ctx, client, t0, t0))
		ok(t, store.SavePushedRequest(ctx, pushedRequest("request of "+client, client)))
		ok(t, store.AddKey(ctx, key(int64(i+1), client)))
		ok(t, store.SaveImage(ctx, storage.Image{Digest: digest("image of " + client), MediaType: "image/png", Bytes: []byte("x")}))
		ok(t, store.UseID(ctx, digest("id of "+client), t0.Add(time.Minute), t0))
		for range 3 {
			ok(t, errOf(store.AllowAttempt(ctx, digest("bucket of "+client), t0, time.Minute, 3)))
		}
	}
	for _, who := range people {
		ok(t, store.CreateAccount(ctx, storage.Account{ID: who, Email: "x", PasswordHash: "hash", CreatedAt: t0}))
		ok(t, store.SetAttributes(ctx, who, attributes(`{"a":1,"b":1}`), nil))
		for _, name := range []string{"g", "h"} {
			ok(t, store.SetStatus(ctx, who, storage.Status{Group: name}, storage.NoStatus))
		}
		for _, place := range []string{"here", "there"} {
			ok(t, store.CreateSession(ctx, session(who+" "+place, who), storage.Proof{}, storage.Digest{}))
			ok(t, store.SaveOneTimeCode(ctx, oneTimeCode("code "+who+" "+place, place, who)))
		}
		ok(t, store.AppendEvent(ctx, storage.Event{At: t0, Name: "signed_in", Subject: who, Address: "192.0.2.0/24"}))
		for _, client := range clients {
			c := consent(who, client)
			ok(t, store.SaveConsent(ctx, c, storage.ConsentBasis{}))
			g := pairGrant(who, client)
			on := storage.Basis{Session: digest(who + " here"), Consent: c, Notice: storage.Notice{ID: digest(who + " " + client)}}
			ok(t, store.CreateGrant(ctx, g, on, token(g, storage.AuthorizationCode, "code "+who+" "+client), token(g, storage.RefreshToken, "refresh "+who+" "+client)))
		}
	}
	due := storage.Account{ID: "due", DeleteAt: t0, CreatedAt: t0}
	ok(t, store.CreateAccount(ctx, due))
}

func pairGrant(who, client string) storage.Grant { return grant(who+" "+client, client, who) }

// seen is what a reading finds.
func seen(v any, err error) string { return fmt.Sprintf("%+v, %v", v, err) }

// look reads every record of fill, by name.
func look(ctx context.Context, store storage.Store) map[string]string {
	all := map[string]string{}
	for _, who := range append([]string{"due"}, people...) {
		all["account "+who] = seen(store.Account(ctx, who))
		person, err := store.Person(ctx, who)
		person.Revision = 0
		for i := range person.Statuses {
			person.Statuses[i].Revision = 0
		}
		all["person "+who] = fmt.Sprintf("%s %+v %v %v", person.Attributes, person.Statuses, person.HasAccount, err)
		events, err := store.Events(ctx, storage.EventFilter{Subject: who})
		for i := range events {
			events[i].ID = 0
		}
		all["events "+who] = seen(events, err)
		for _, place := range []string{"here", "there"} {
			s, _, err := store.Session(ctx, digest(who+" "+place))
			all["session "+who+" "+place] = seen(s, err)
			all["code "+who+" "+place] = seen(store.UseOneTimeCode(ctx, place, digest("code "+who+" "+place), t0))
		}
		for _, client := range clients {
			pair := who + " " + client
			all["consent "+pair] = seen(store.Consent(ctx, who, client))
			code, g, err := store.Token(ctx, storage.AuthorizationCode, digest("code "+pair))
			all["grant "+pair] = seen(g, err)
			all["token "+pair+" code"] = seen(code, err)
			refresh, _, err := store.Token(ctx, storage.RefreshToken, digest("refresh "+pair))
			all["token "+pair+" refresh"] = seen(refresh, err)
		}
	}
	due, err := store.TakeClientSessions(ctx, turn(t0))
	all["due"] = fmt.Sprint(err)
	for _, c := range due {
		all["due "+c.Subject+" "+c.ClientID] = "is due"
	}
	keys, err := store.Keys(ctx)
	all["keys"] = fmt.Sprint(err)
	for _, k := range keys {
		all["key "+k.ID] = fmt.Sprint(k)
	}
	for _, client := range clients {
		c, err := store.Client(ctx, client)
		c.Version = 0
		all["client "+client] = seen(c, err)
		all["uses "+client] = seen(store.SecretUses(ctx, client))
		all["request "+client] = seen(store.PushedRequest(ctx, client, digest("request of "+client), t0))
		all["image "+client] = seen(store.Image(ctx, digest("image of "+client)))
		all["id "+client] = fmt.Sprint(store.UseID(ctx, digest("id of "+client), t0.Add(time.Minute), t0))
		all["bucket "+client] = seen(store.AllowAttempt(ctx, digest("bucket of "+client), t0, time.Minute, 3))
	}
	return all
}
