package operations

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestWhatACompanionSealsOpensForItsRecordOnly(t *testing.T) {
	t.Parallel()
	people := lab.New(t).Rooms().People
	sealed := people.Seal("case", "1 alice", []byte("plain text"))
	if bytes.Contains(sealed, []byte("plain")) {
		t.Error("the value can be read")
	}
	if plain, err := people.Open("case", "1 alice", sealed); err != nil || string(plain) != "plain text" {
		t.Errorf("%q, %v", plain, err)
	}
	other := lab.New(t).Rooms().People
	for name, open := range map[string]func() ([]byte, error){
		"another name":     func() ([]byte, error) { return people.Open("case", "1 bob", sealed) },
		"another kind":     func() ([]byte, error) { return people.Open("note", "1 alice", sealed) },
		"another database": func() ([]byte, error) { return other.Open("case", "1 alice", sealed) },
		"nothing":          func() ([]byte, error) { return people.Open("case", "1 alice", nil) },
	} {
		if plain, err := open(); !errors.Is(err, provider.ErrSealed) {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
}

func TestWhatACompanionSealsIsApartFromWhatTheProviderSeals(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	stored := testkit.Must(w.Store.Account(t.Context(), "bob"))(w.T)
	for _, kind := range []string{"account", "companion", ""} {
		for _, name := range []string{"bob", "email", "bob email"} {
			if plain, err := w.Rooms().People.Open(kind, name, []byte(stored.Email)); err == nil {
				t.Errorf("%q %q opens an address: %q", kind, name, plain)
			}
		}
	}
	for _, parts := range [][]string{{"bob@example.com"}, {"", "bob@example.com"}} {
		digest := storage.Digest(w.Rooms().People.Digest(parts[0], parts[1:]...))
		if digest.IsZero() || stored.EmailKey == string(digest[:]) {
			t.Errorf("%q has the digest of an address", parts)
		}
	}
}

func TestDigestsOfACompanionKeepTheirPartsApart(t *testing.T) {
	t.Parallel()
	people := lab.New(t).Rooms().People
	seen := map[[32]byte][]string{}
	for _, parts := range [][]string{
		{"k", "ab", "c"}, {"k", "a", "bc"}, {"k", "abc"}, {"k", "abc", ""}, {"ka", "bc"}, {"k", "1:a", "c"}, {"k", "", "abc"},
	} {
		digest := people.Digest(parts[0], parts[1:]...)
		if other, ok := seen[digest]; ok {
			t.Errorf("%q and %q have one digest", parts, other)
		}
		seen[digest] = parts
		if digest != people.Digest(parts[0], parts[1:]...) {
			t.Errorf("%q has two digests", parts)
		}
	}
	if people.Digest("k", "abc") == lab.New(t).Rooms().People.Digest("k", "abc") {
		t.Error("two databases have one digest")
	}
}

// TestRecordsOfACompanionOutliveTheSecret changes the secret of a database twice.
func TestRecordsOfACompanionOutliveTheSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "id.db")
	secrets := [][]byte{
		[]byte("Zq8sTzLw3bXy0cQe5RvUo1aIp7kJm2Hd"), []byte("nB4vYt6WxK0pLq9sRd2uGh8jZc1fMe5A"), []byte("Hw7cEr3kTn5yVb9mQx2zLs6dPf8gJu1o"),
	}
	var sealed []byte
	var digest [32]byte
	for i, secret := range secrets {
		store := testkit.Must(sqlite.Open(t.Context(), path))(t)
		cfg := provider.Config{BaseURL: "http://localhost:1", Secret: secret, Store: store}
		cfg.PreviousSecrets = secrets[:i]
		p := testkit.Must(provider.New(t.Context(), cfg))(t)
		if i == 0 {
			sealed, digest = p.Rooms().People.Seal("case", "1", []byte("plain text")), p.Rooms().People.Digest("proof", "row")
		}
		if plain, err := p.Rooms().People.Open("case", "1", sealed); err != nil || string(plain) != "plain text" {
			t.Errorf("secret %d: %q, %v", i, plain, err)
		}
		if p.Rooms().People.Digest("proof", "row") != digest {
			t.Errorf("secret %d: another digest", i)
		}
		testkit.OK(t, p.Close())
	}
}

func TestReasonThatACompanionSealsIsRead(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	status := provider.Status{Group: "student", Reason: w.Rooms().People.SealReason("bob", "student", "mismatch")}
	w.OK(w.Store.SetStatus(t.Context(), "bob", status, storage.NoStatus))
	w.Rooms().People.Refresh("bob")
	data, err := w.People().Get(t.Context(), "bob")
	if err != nil || len(data.Statuses) != 1 || data.Statuses[0].Reason != "mismatch" {
		t.Errorf("%+v, %v", data.Statuses, err)
	}
	if w.Rooms().People.SealReason("bob", "student", "") != "" {
		t.Error("no reason is sealed")
	}
}

func TestEventOfACompanionIsRecorded(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.StatusEnded, UserID: "bob", ClientID: "shop", Detail: "student"}))
	events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.StatusEnded})
	if err != nil || len(events) != 1 || events[0].UserID != "bob" || events[0].ClientID != "shop" || events[0].Detail != "student" || events[0].At.IsZero() {
		t.Errorf("%+v, %v", events, err)
	}
}
