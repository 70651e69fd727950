package pages

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestWhatMayBeUsedOnceIsOverAfterARestore tests that a code or a request that was used after the
// backup is not good once more: the database does not know.
func TestWhatMayBeUsedOnceIsOverAfterARestore(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	b.Submit(b.Open("/reset"), "email", "alice@example.com") // a code waits
	w.OK(w.Store.SavePushedRequest(t.Context(), storage.PushedRequest{
		Digest: storage.Digest{1}, ClientID: "std", Payload: []byte{1}, ExpiresAt: w.Now().Add(deletionGrace),
	}))
	for _, table := range []string{"tickets", "pushed_requests"} {
		if w.Count(table) != 1 {
			t.Fatalf("%d rows in %s", w.Count(table), table)
		}
	}
	w.OK(w.People().RevokeIssuedBefore(t.Context(), w.Now()))
	for _, table := range []string{"tickets", "pushed_requests"} {
		if n := w.Count(table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}
