package developer_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// withSecret returns the dashboard on the same database in another process.
func (w *fixture) withSecret(secret []byte, previous ...[]byte) *fixture {
	w.t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	w.t.Cleanup(server.Close)
	id := testkit.Must(provider.New(w.t.Context(), provider.Config{
		BaseURL: server.URL, Store: w.store, Secret: secret, PreviousSecrets: previous, Mailer: w.mails, Clock: w.now, Logger: w.logger(),
	}))(w.t)
	trials := developer.NewTrials(w.store)
	d, err := developer.New(developer.Config{Provider: id, Sandbox: w.sandbox, Trials: trials, Store: w.store, Clock: w.now, Logger: w.logger(), Operator: isOperator})
	w.ok(err)
	mux.Handle("/developer/", d)
	mux.Handle("/", id)
	return &fixture{t: w.t, Dashboard: d, id: id, server: server, store: w.store, sandboxStore: w.sandboxStore, paths: w.paths, mails: w.mails, log: w.log, clock: w.clock}
}

// kept fills what the dashboard keeps encrypted.
func (w *fixture) kept() (link string) {
	w.t.Helper()
	b := w.as(owner)
	says(w.t, b.submitForm("/developer/o/river/settings", "name", "Org river", "contact", "hello@river.test"), http.StatusOK, "hello@river.test")
	w.ok(w.Trials.Mailer(nil).Send(w.t.Context(), provider.Mail{To: "kim@river.sandbox.test", Subject: "Hello Kim"}))
	return w.invite(b, dev, "viewer")
}

func TestWhatIsKeptOutlivesTheSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.kept()
	next := sha256.Sum256([]byte("another secret"))
	rolled := w.withSecret(next[:], configSecret)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- rolled.id.Run(ctx) }()
	eventually(t, func() bool { return strings.Contains(w.log.String(), "records encrypted under the current secret") })
	cancel()
	w.ok(<-done)
	b := w.withSecret(next[:]).as(owner)
	says(t, b.open("/developer/o/river/settings"), http.StatusOK, "hello@river.test")
	says(t, b.open("/developer/o/river/inbox"), http.StatusOK, "Hello Kim")
	says(t, b.open("/developer/o/river/members"), http.StatusOK, "dev@example.com")
}

// One value that does not open hides itself alone, and can be replaced.
func TestWhatDoesNotOpen(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Operator, c.Review = isOperator, true })
	link := w.kept()
	w.ok(w.Trials.Mailer(nil).Send(t.Context(), provider.Mail{To: "kim@river.sandbox.test", Subject: "Second"}))
	db := testkit.Must(sql.Open("sqlite3", w.paths[0]))(w.t)
	defer db.Close()
	for _, damage := range []string{
		`UPDATE organizations SET sealed_contact = x'00' WHERE id = 'river'`,
		`UPDATE invitations SET email = x'00'`,
		`UPDATE sandbox_mails SET content = x'00' WHERE id = (SELECT min(id) FROM sandbox_mails)`,
	} {
		testkit.Must(db.ExecContext(t.Context(), damage))(t)
	}
	b := w.as(owner)
	says(t, b.open("/developer/o/river/inbox"), http.StatusOK, "Second")
	says(t, b.open("/developer/o/river/members"), http.StatusOK, "viewer@example.com")
	says(t, w.as(operator).open("/developer/review/organization/river"), http.StatusOK, "Org river")
	if p := w.as(nobody).open(link); strings.Contains(p.body, `name="action"`) {
		t.Errorf("somebody may join by an invitation whose address cannot be read\n%s", p.body)
	}
	says(t, b.submitForm("/developer/o/river/settings", "name", "Org river", "contact", "new@river.test"), http.StatusOK, "new@river.test")
	for _, kind := range []string{"developer contact", "developer invitation", "developer sandbox mail"} {
		if !strings.Contains(w.log.String(), kind) {
			t.Errorf("the log does not tell of a %s", kind)
		}
	}
}
