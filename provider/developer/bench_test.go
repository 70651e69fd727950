package developer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// BenchmarkLogPage reads pages of the log of an application among others with a million
// lines in all.
func BenchmarkLogPage(b *testing.B) {
	const lines, applications, batch = 1_000_000, 10, 5000
	w := newFixture(b)
	for i := range applications {
		w.withApplication(river, storage.Sandbox, fmt.Sprintf("app%d", i))
	}
	events, at := []string{"authorize", "token", "userinfo"}, w.now().Add(-time.Hour)
	for n := 0; n < lines; n += batch {
		entries := make([]storage.LogEntry, batch)
		for i := range entries {
			id := n + i
			entries[i] = storage.LogEntry{
				At: at.Add(time.Duration(id) * time.Millisecond), Environment: storage.Sandbox, ClientID: fmt.Sprintf("app%d", id%applications),
				Event: events[id%3], Outcome: "ok", RequestID: fmt.Sprintf("%016x", id), User: "9b1c04a77d20e5f3", Address: "192.0.2.0/24",
			}
			if id%97 == 0 {
				entries[i].Outcome, entries[i].Error, entries[i].Cause = "error", "invalid_grant", "code_used"
			}
		}
		if err := w.store.AppendLog(b.Context(), entries); err != nil {
			b.Fatal(err)
		}
	}
	page, err := w.store.Log(b.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "app3", Limit: 1})
	if err != nil || len(page) != 1 {
		b.Fatal(page, err)
	}
	browser, address := w.as(viewer), "/developer/o/river/sandbox/app3/log"
	for name, query := range map[string]string{
		"First": "", "Middle": fmt.Sprintf("?before=%d", page[0].ID/2), "Errors": "?outcome=error", "Event": "?event=token",
		"Request": fmt.Sprintf("?request_id=%016x", 3), "Nothing": "?outcome=denied",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if p := browser.open(address + query); p.StatusCode != http.StatusOK {
					b.Fatal(p.Status)
				}
			}
		})
	}
	b.Run("Numbers", func(b *testing.B) {
		for b.Loop() {
			if p := browser.open("/developer/o/river/sandbox/app3/numbers"); p.StatusCode != http.StatusOK {
				b.Fatal(p.Status)
			}
		}
	})
}

// BenchmarkUserinfoBesideTheLog reads userinfo with the log of requests and without, in turn
// on one provider, and reports what the log costs: the median of the rounds' ratios of time
// and of CPU, without ÷ with, and the allocations of one request.
func BenchmarkUserinfoBesideTheLog(b *testing.B) {
	const requests = 4000
	w := newFixture(b).withApplication(river, storage.Production, "shop")
	token := w.accessToken("shop")
	round := func() (wall, cpu, allocated float64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin, spent := time.Now(), cpuTime(b)
		for range requests {
			r := httptest.NewRequest(http.MethodGet, w.server.URL+"/api/public/v3/userinfo", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			if w.id.ServeHTTP(answer, r); answer.Code != http.StatusOK {
				b.Fatal(answer.Code, answer.Body)
			}
		}
		wall, cpu = float64(time.Since(begin)), float64(cpuTime(b)-spent)
		runtime.ReadMemStats(&after)
		return wall, cpu, float64(after.Mallocs-before.Mallocs) / requests
	}
	watch := w.Record(b.Context())
	var walls, cpus, with, without []float64
	for b.Loop() {
		end := watch()
		round() // the first lines of a minute are written
		wall, cpu, allocated := round()
		end()
		wall0, cpu0, allocated0 := round()
		walls, cpus = append(walls, wall0/wall), append(cpus, cpu0/cpu)
		with, without = append(with, allocated), append(without, allocated0)
	}
	for what, figures := range map[string][]float64{"time": walls, "CPU": cpus, "allocs-with": with, "allocs-without": without} {
		slices.Sort(figures)
		b.ReportMetric(figures[len(figures)/2], what)
	}
}

// accessToken signs a user in at an application of production, and returns the token.
func (w *fixture) accessToken(client string) string {
	w.t.Helper()
	secret, err := w.id.Clients().Secret(w.t.Context(), client)
	if err != nil {
		w.t.Fatal(err)
	}
	b := w.as(nobody)
	q := url.Values{"client_id": {client}, "response_type": {"code"}, "scope": {"openid military"}, "redirect_uri": {callbackURI}}
	p := b.submitOnce(b.open("/oauth/authorize?"+q.Encode()), "action", "allow")
	for strings.Contains(p.Header.Get("Location"), "/oauth/authorize") {
		p = b.get(p.Header.Get("Location"))
	}
	where := p.Header.Get("Location")
	_, query, _ := strings.Cut(where, "?")
	answer, err := url.ParseQuery(query)
	if err != nil || answer.Get("code") == "" {
		w.t.Fatalf("%s leads to %q", p.Status, where)
	}
	p = b.post("/oauth/token", url.Values{"client_id": {client}, "client_secret": {secret}, "grant_type": {"authorization_code"},
		"code": {answer.Get("code")}, "redirect_uri": {callbackURI}})
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(p.body), &tokens); err != nil || tokens.AccessToken == "" {
		w.t.Fatal(p.body, err)
	}
	return tokens.AccessToken
}

// cpuTime is what the process has spent.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
