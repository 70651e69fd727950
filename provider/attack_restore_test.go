package provider_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// TestWhatMayBeUsedOnceIsOverAfterARestore tests that a code or a request that was used after the
// backup is not good once more: the database does not know.
func TestWhatMayBeUsedOnceIsOverAfterARestore(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	b.submit(b.open("/reset"), "email", "alice@example.com") // a code waits
	w.ok(w.store.SavePushedRequest(t.Context(), storage.PushedRequest{
		Digest: storage.Digest{1}, ClientID: "std", Payload: []byte{1}, ExpiresAt: w.now().Add(deletionGrace),
	}))
	for _, table := range []string{"tickets", "pushed_requests"} {
		if w.count(table) != 1 {
			t.Fatalf("%d rows in %s", w.count(table), table)
		}
	}
	w.ok(w.RevokeIssuedBefore(t.Context(), w.now()))
	for _, table := range []string{"tickets", "pushed_requests"} {
		if n := w.count(table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}
