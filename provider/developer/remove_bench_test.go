package developer_test

import (
	"database/sql"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// BenchmarkFlowsBesideTheRemovalOfAMillionLines deletes an application with a million lines
// on the database that people sign in by, and lets an application of others go through one
// flow after the other until the last line is gone. It reports how long a flow takes alone
// and meanwhile, in milliseconds.
func BenchmarkFlowsBesideTheRemovalOfAMillionLines(b *testing.B) {
	const lines = 1_000_000
	for b.Loop() {
		b.StopTimer()
		w := newFixture(b).withApplication(river, storage.Sandbox, "till").
			withApplication(lake, storage.Production, "boat", func(c *provider.Client) { c.SkipConsent = true })
		w.manyLines("till", lines)
		secret, err := w.id.Clients().Secret(b.Context(), "boat")
		if err != nil {
			b.Fatal(err)
		}
		user := w.as(viewer)
		alone := make([]time.Duration, 300)
		for i := range alone {
			alone[i] = user.flow("boat", secret)
		}
		deleter := w.as(dev)
		deleter.submit(deleter.open("/developer/o/river/sandbox/till/delete"), "confirm", "App till")
		b.StartTimer()
		end := w.recording()
		var beside []time.Duration
		for w.isRemoving() {
			for range 20 {
				beside = append(beside, user.flow("boat", secret))
			}
		}
		b.StopTimer()
		end()
		report(b, "alone", alone)
		report(b, "beside", beside)
		b.ReportMetric(float64(len(beside)), "flows")
		b.StartTimer()
	}
}

// manyLines writes lines of an application of the sandbox in one statement.
func (w *fixture) manyLines(client string, n int) {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.paths[0])
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(w.t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
		INSERT INTO request_log (application, at, event, outcome, error, cause, request_id, pseudonym, address, requests)
		SELECT (SELECT number FROM applications WHERE client_id = ?2), ?3 + i, 'token', CASE WHEN i % 97 = 0 THEN 'error' ELSE 'ok' END,
			CASE WHEN i % 97 = 0 THEN 'invalid_grant' ELSE '' END, '', 'request ' || i, '9b1c04a77d20e5f3', '192.0.2.0/24', 0 FROM n`,
		n, client, w.now().Add(-time.Hour).UnixMicro())
	if err != nil {
		w.t.Fatal(err)
	}
}

// isRemoving reports whether a deleted application is still there for its lines.
func (w *fixture) isRemoving() bool {
	w.t.Helper()
	left, err := w.store.Applications(w.t.Context(), storage.ApplicationFilter{OrganizationID: "deleted"})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(left) > 0
}

// flow sends a user who is signed in through an application and redeems the code.
func (b *browser) flow(client, secret string) time.Duration {
	b.t.Helper()
	begin := time.Now()
	p := b.get("/oauth/authorize?" + url.Values{
		"client_id": {client}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "nonce": {"n"},
	}.Encode())
	answer, err := url.Parse(p.Header.Get("Location"))
	if err != nil {
		b.t.Fatal(err)
	}
	p = b.post("/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {answer.Query().Get("code")}, "redirect_uri": {callbackURI},
		"client_id": {client}, "client_secret": {secret},
	})
	took := time.Since(begin)
	if !strings.Contains(p.body, `"access_token"`) {
		b.t.Fatalf("the flow ends with %s\n%s", p.Status, p.body)
	}
	return took
}

// report reports the median, the 99th percentile and the longest of some times.
func report(b *testing.B, name string, all []time.Duration) {
	b.Helper()
	slices.Sort(all)
	for suffix, at := range map[string]int{"-p50-ms": len(all) / 2, "-p99-ms": len(all) * 99 / 100, "-max-ms": len(all) - 1} {
		b.ReportMetric(float64(all[at].Microseconds())/1000, name+suffix)
	}
}
