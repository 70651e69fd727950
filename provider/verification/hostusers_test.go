package verification

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// A host with its own users gives names, and releases what the store has for the groups that
// it does not answer.
func TestUsersOfTheHost(t *testing.T) {
	store := testkit.Must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "host.db")))(t)
	names := map[string]string{"u1": "Alice", "u2": "Bob"}
	policies := oneOf("a")
	id := testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: "http://localhost:1", Secret: bytes.Repeat([]byte("s3cret-of-tests!"), 2), Store: store, Verifiers: policies.Verifiers(),
		Users: provider.Users{
			SignInURL: "/signin",
			SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
			Person: func(_ context.Context, userID string, _, _ []string) (provider.Person, error) {
				given, ok := names[userID]
				if !ok {
					return provider.Person{}, provider.ErrNoUser
				}
				return provider.Person{Attributes: map[string]any{"fname": given, "lname": "Example"}}, nil
			},
		},
	}))(t)
	t.Cleanup(func() { _ = id.Close() })
	s := testkit.Must(New(Config{Provider: id, Store: store, Policies: policies}))(t)
	say := func(user, words string) RecordedCase {
		t.Helper()
		c, _, err := s.Start(t.Context(), Request{UserID: user, Group: "student"})
		if err == nil {
			c, err = s.choose(t.Context(), user, c.ID, c.Version, "a")
		}
		if err == nil {
			c, err = s.answer(t.Context(), user, c.ID, c.Version, map[string]string{"say": words})
		}
		testkit.OK(t, err)
		return c
	}
	if c := say("u1", "accept as Alice Example"); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
	if c := say("u2", "accept as Alice Example"); c.State != storage.CaseReview {
		t.Errorf("another name than that of the host: %+v", c)
	}
	if _, _, err := s.Start(t.Context(), Request{UserID: "u3", Group: "student"}); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("a user whom the host does not know: %v", err)
	}
	statuses, err := id.People().Statuses(t.Context(), "u1", "student")
	if err != nil || !statuses[0].Verified || statuses[0].ExpiresAt.Before(time.Now()) {
		t.Errorf("%+v, %v", statuses, err)
	}
	testkit.OK(t, id.Accounts().Delete(t.Context(), "u1"))
	if left, err := s.Cases(t.Context(), storage.CaseFilter{Subject: "u1"}); err != nil || len(left) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}
