package memory_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/memory"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestElapseForgets tests that a moved clock is seen at once: a code that is over by then
// would be good for another second.
func TestElapseForgets(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, time.March, 14, 15, 9, 26, 0, time.UTC)
	store := memory.New(db, func() time.Time { return now })

	if err := store.SaveClient(t.Context(), storage.Client{ID: "client", CreatedAt: now}); err != nil {
		t.Fatal(err)
	}
	status := storage.Status{Group: "military", Verified: true, ExpiresAt: now.Add(time.Hour)}
	if err := store.SetStatus(t.Context(), "user", status, storage.NoStatus); err != nil {
		t.Fatal(err)
	}
	grant := storage.Grant{ID: storage.GrantID{1}, Flow: storage.Digest{1}, ClientID: "client", Subject: "user", CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	code := storage.Token{Digest: storage.Digest{2}, Kind: storage.AuthorizationCode, GrantID: grant.ID, CreatedAt: now, ExpiresAt: now.Add(time.Minute)}
	grants := memory.Grants{Store: store}
	if err := grants.CreateGrant(t.Context(), grant, storage.Basis{}, code); err != nil {
		t.Fatal(err)
	}

	// What is known of the code and of the user before, and after.
	for _, want := range []time.Time{now.Add(time.Hour), now} {
		person, err := store.Recent(t.Context(), "user")
		if err != nil {
			t.Fatal(err)
		}
		if got := person.Statuses[0].ExpiresAt; !got.Equal(want) {
			t.Errorf("the status ends at %v, want %v", got, want)
		}
		issued, err := grants.Issued(t.Context(), code.Kind, code.Digest)
		if err != nil {
			t.Fatal(err)
		}
		if got := issued.Grant.ExpiresAt; !got.Equal(want) {
			t.Errorf("the grant ends at %v, want %v", got, want)
		}
		if err := store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, UserPrefix: "us", By: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
}
