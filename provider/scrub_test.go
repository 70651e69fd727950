package provider_test

import (
	"os"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// onDisk returns every byte of the files of the database, which nobody has open.
func (w *fixture) onDisk() string {
	w.t.Helper()
	var all strings.Builder
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(w.path + suffix)
		if err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

func TestTheFileForgetsWhoIsDeleted(t *testing.T) {
	t.Parallel()
	const id = "canary-person-8271"
	w := newFixture(t).withClients().withUsers()
	w.account(provider.Account{ID: id, Email: "canary@example.com", Password: alicePass})
	w.ok(w.SetStatus(t.Context(), id, provider.Status{Group: "military", Verified: true, VerifiedBy: "canary-office"}))
	b := w.newBrowser().signIn("canary@example.com", alicePass)
	b.allow(ask()...)
	if !strings.Contains(w.onDisk(), id) {
		t.Fatal("the test looks in the wrong place")
	}
	w.ok(w.DeleteAccount(t.Context(), id))
	w.ok(w.Close())
	for _, canary := range []string{id, "canary-office"} {
		if strings.Contains(w.onDisk(), canary) {
			t.Errorf("%s is in the file", canary)
		}
	}
}

// TestTheFileForgetsWhatEarlierVersionsLeft has what was deleted or in clear under a version
// that did not overwrite it.
func TestTheFileForgetsWhatEarlierVersionsLeft(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.ok(w.Close())
	w.run(`PRAGMA user_version = 0`)
	w.run(`CREATE TABLE gone AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT 'canary@example.com' FROM n`)
	w.run(`DROP TABLE gone`)
	w.inClear()
	for _, canary := range []string{"canary@example.com", "alice@example.com"} {
		if !strings.Contains(w.onDisk(), canary) {
			t.Fatal("the test looks in the wrong place")
		}
	}
	w.ok(w.twin().Close())
	for _, canary := range []string{"canary@example.com", "alice@example.com"} {
		if strings.Contains(w.onDisk(), canary) {
			t.Errorf("%s is in the file", canary)
		}
	}
}
