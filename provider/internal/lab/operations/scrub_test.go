package operations

import (
	"os"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// onDisk returns every byte of the files of the database, which nobody has open.
func onDisk(w *lab.Fixture) string {
	w.T.Helper()
	var all strings.Builder
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(w.Path + suffix)
		if err != nil && !os.IsNotExist(err) {
			w.T.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

func TestTheFileForgetsWhoIsDeleted(t *testing.T) {
	t.Parallel()
	const id = "canary-person-8271"
	w := lab.New(t).WithClients().WithUsers()
	w.AddAccount(provider.Account{ID: id, Email: "canary@example.com", Password: lab.AlicePass})
	w.OK(w.People().SetStatus(t.Context(), id, provider.Status{Group: "military", Verified: true, VerifiedBy: "canary-office"}))
	b := w.NewBrowser().SignIn("canary@example.com", lab.AlicePass)
	b.Allow(lab.Ask()...)
	if !strings.Contains(onDisk(w), id) {
		t.Fatal("the test looks in the wrong place")
	}
	w.OK(w.Accounts().Delete(t.Context(), id))
	w.OK(w.Close())
	for _, canary := range []string{id, "canary-office"} {
		if strings.Contains(onDisk(w), canary) {
			t.Errorf("%s is in the file", canary)
		}
	}
}

// TestTheFileForgetsWhatEarlierVersionsLeft has what was deleted under a version
// that did not overwrite it.
func TestTheFileForgetsWhatEarlierVersionsLeft(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.OK(w.Close())
	w.Exec(`PRAGMA user_version = 0`)
	w.Exec(`CREATE TABLE gone AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT 'canary@example.com' FROM n`)
	w.Exec(`DROP TABLE gone`)
	if !strings.Contains(onDisk(w), "canary@example.com") {
		t.Fatal("the test looks in the wrong place")
	}
	w.OK(w.Twin().Close())
	if strings.Contains(onDisk(w), "canary@example.com") {
		t.Error("it is in the file")
	}
}
