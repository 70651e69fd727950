package developer_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// recording runs the background work of a dashboard, and returns what ends it and waits
// until everything is recorded.
func (w *fixture) recording() (end func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	begun := make(chan struct{})
	go func() {
		close(begun)
		done <- w.id.Run(ctx)
	}()
	<-begun
	return func() {
		w.t.Helper()
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

// lines writes lines into the log of an application.
func (w *fixture) lines(env, client string, entries ...storage.LogEntry) {
	w.t.Helper()
	for i := range entries {
		entries[i].Environment, entries[i].ClientID = env, client
		if entries[i].At.IsZero() {
			entries[i].At = w.now()
		}
	}
	w.ok(w.store.AppendLog(w.t.Context(), entries))
}

// log returns what is recorded of an application, the latest first.
func (w *fixture) logOf(env, client string) []storage.LogEntry {
	w.t.Helper()
	entries, err := w.store.Log(w.t.Context(), storage.LogFilter{Environment: env, ClientID: client})
	w.ok(err)
	return entries
}

const logPath = "/developer/o/river/sandbox/shop/log"

func TestLogShowsWhatHappenedToARequestWithItsCauseAndRemedy(t *testing.T) {
	t.Parallel()
	for _, env := range []string{storage.Production, storage.Sandbox} {
		t.Run(env, func(t *testing.T) {
			w := newFixture(t).withApplication(river, env, "shop")
			end := w.recording()
			server := w.server
			if env == storage.Sandbox {
				server = w.sandboxServer
			}
			// The background work may begin to watch a moment later.
			b := w.newBrowser()
			eventually(t, func() bool {
				b.get(server.URL + "/oauth/authorize?client_id=shop&response_type=code&scope=openid&redirect_uri=https://app.test/callback/")
				return len(w.logOf(env, "shop")) > 0
			})
			end()
			p := w.as(viewer).open("/developer/o/river/" + env + "/shop/log")
			says(t, p, http.StatusOK,
				"The redirect_uri is not registered", "Register exactly what the application sends",
				"https://app.test/callback/", "127.0.0.0/24", `class="tag outcome bad"`)
		})
	}
}

func TestLogSaysCauseAndRemedyInTheLanguageOfItsReader(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	w.lines(storage.Sandbox, "shop", storage.LogEntry{Event: "token", Outcome: "error", Error: "invalid_grant", Cause: "code_used"})
	viewer := w.as(viewer)
	page := viewer.open(logPath + "?ui_locales=de")
	says(t, page, http.StatusOK, "Der Code wurde schon verwendet.", "Tauschen Sie jeden Code einmal ein.")
	if strings.Contains(page.body, "The code was used before.") {
		t.Error("the page says the cause in English")
	}
	if file := viewer.open(logPath + ".csv?ui_locales=de"); !strings.Contains(file.body, "The code was used before.") {
		t.Error("the file, whose columns are English, does not say the cause in English")
	}
}

// eventually waits until something is so.
func eventually(t testing.TB, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to pass")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestLogNamesAUserByAPseudonymOfEachApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	name := func(env, client string) string { return w.UserPseudonym(env, client, dev) }
	a, b := name(storage.Production, "shop"), name(storage.Production, "shop")
	if a != b || len(a) != 16 || strings.Contains(a, dev) {
		t.Errorf("pseudonyms %q and %q", a, b)
	}
	if a == name(storage.Production, "till") || a == name(storage.Sandbox, "shop") {
		t.Error("two applications know a user by one name")
	}
}

func TestLogIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "till")
	for i := range 120 {
		e := storage.LogEntry{Event: "token", Outcome: "ok", RequestID: fmt.Sprintf("request-%03d", i)}
		if i%10 == 0 {
			e.Event, e.Outcome, e.Error, e.Cause = "authorize", "error", "invalid_scope", "scope_unknown"
		}
		w.lines(storage.Sandbox, "shop", e)
	}
	w.lines(storage.Sandbox, "till", storage.LogEntry{Event: "token", Outcome: "ok", RequestID: "of-another"})
	b := w.as(dev)
	shown := func(p page) (ids []string) {
		for i := range 120 {
			if id := fmt.Sprintf("request-%03d", i); strings.Contains(p.body, ">"+id+"<") {
				ids = append(ids, id)
			}
		}
		if strings.Contains(p.body, "of-another") {
			t.Error("a line of another application is shown")
		}
		return ids
	}
	var all []string
	pages := 0
	for p := b.open(logPath); ; pages++ {
		all = append(all, shown(p)...)
		_, rest, more := strings.Cut(p.body, `<p><a href="`+logPath+`?before=`)
		if !more {
			break
		}
		before, _, _ := strings.Cut(rest, `"`)
		p = b.open(logPath + "?before=" + before)
	}
	slices.Sort(all)
	if len(all) != 120 || len(slices.Compact(all)) != 120 || pages != 2 {
		t.Errorf("%d lines on %d pages", len(all), pages+1)
	}
	for query, want := range map[string]int{
		"?event=authorize": 12, "?outcome=error": 12, "?outcome=denied": 0, "?request_id=request-042": 1,
		"?request_id=+request-042+": 1, "?event=nonsense": 50, "?event=token&outcome=error": 0, "?before=nonsense": 50,
	} {
		if got := shown(b.open(logPath + query)); len(got) != want {
			t.Errorf("%s shows %d lines", query, len(got))
		}
	}
}

func TestMarkupInALogIsText(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	const markup = `"><script>alert(1)</script>`
	w.lines(storage.Sandbox, "shop", storage.LogEntry{
		Event: markup, Outcome: markup, Error: markup, Cause: markup, RequestID: markup, User: markup, Address: markup,
		Details: map[string]string{markup: markup},
	})
	p := w.as(viewer).open(logPath + "?request_id=" + url.QueryEscape(markup))
	if strings.Contains(p.body, "<script>alert") {
		t.Error("a script of a stranger is in the page")
	}
	if !strings.Contains(p.body, "&lt;script&gt;") {
		t.Error("the line is not shown")
	}
}

func TestLogAsAFileHoldsNoFormula(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	w.lines(storage.Sandbox, "shop",
		storage.LogEntry{Event: "token", Outcome: "error", Error: "invalid_grant", Cause: "code_used", RequestID: "=HYPERLINK(1)"},
		storage.LogEntry{Event: "token", Outcome: "ok", RequestID: "@SUM(1)", Details: map[string]string{"+1": "a,\"b\""}})
	b := w.as(viewer)
	p := b.open(logPath + ".csv")
	rows, err := csv.NewReader(strings.NewReader(p.body)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v: %s", err, p.body)
	}
	if rows[1][8] != "'@SUM(1)" || rows[1][7] != `'+1: a,"b"` || rows[2][8] != "'=HYPERLINK(1)" || rows[2][4] != "code_used" || rows[2][5] == "" {
		t.Errorf("rows: %q", rows)
	}
	if h := p.Header; !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", h)
	}
	if p := b.open(logPath + ".csv?outcome=error"); strings.Count(p.body, "\n") != 2 {
		t.Errorf("filtered: %s", p.body)
	}
}

// Some spreadsheets split cells at other characters than commas, whatever the quotes say.
func TestLogAsAFileHoldsNoFormulaWhereSpreadsheetsSplitCells(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(viewer)
	for sent, want := range map[string]string{
		"a;=1":         "a;'=1",
		"a,+1":         "a,'+1",
		"a\t-1":        "a\t'-1",
		"a|@x":         "a|'@x",
		"a\n=1":        "a\n'=1",
		"a;  =1":       "a;  '=1",
		`a;"=1`:        `a;"'=1`,
		"a;\u00a0=1":   "a;\u00a0'=1",
		"a;＝1":         "a;'＝1",
		"a;b=1+1-1@x":  "a;b=1+1-1@x", // begins no cell
		"x=1 y+2; z@3": "x=1 y+2; z@3",
	} {
		w.lines(storage.Sandbox, "shop", storage.LogEntry{Event: "token", Outcome: "ok", RequestID: sent})
		rows, err := csv.NewReader(strings.NewReader(b.open(logPath + ".csv").body)).ReadAll()
		if err != nil || len(rows) < 2 || rows[1][8] != want {
			t.Errorf("%q: %v, %q", sent, err, rows)
		}
	}
}

func TestLogOfAnOrganizationIsNotFoundByOthers(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(lake, storage.Sandbox, "boat")
	for _, path := range []string{"/log", "/log.csv", "/numbers"} {
		for user, address := range map[string]string{
			lakeOwner: "/developer/o/river/sandbox/shop" + path,
			owner:     "/developer/o/river/sandbox/boat" + path,
			nobody:    "/developer/o/lake/sandbox/boat" + path,
		} {
			if p := w.as(user).open(address); p.StatusCode != http.StatusNotFound {
				t.Errorf("%s at %s: %s", user, address, p.Status)
			}
		}
	}
}

func TestNumbersCountByDayAndKind(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	day := func(ago int) time.Time { return w.now().UTC().AddDate(0, 0, -ago) }
	w.lines(storage.Sandbox, "shop",
		storage.LogEntry{At: day(0), Event: "authorize", Outcome: "ok"},
		storage.LogEntry{At: day(29), Event: "authorize", Outcome: "ok"},
		storage.LogEntry{At: day(30), Event: "authorize", Outcome: "ok"}, // too long ago
		storage.LogEntry{At: day(1), Event: "consent", Outcome: "ok"},
		storage.LogEntry{At: day(1), Event: "authorize", Outcome: "denied", Error: "access_denied"},
		storage.LogEntry{At: day(1), Event: "token", Outcome: "ok"}, // part of a sign-in
		storage.LogEntry{At: day(2), Event: "token", Outcome: "error", Error: "invalid_grant"},
		storage.LogEntry{At: day(3), Event: "token", Outcome: "error", Error: "invalid_grant"},
		storage.LogEntry{At: day(3), Event: "authorize", Outcome: "error", Error: "invalid_scope"},
	)
	p := w.as(viewer).open("/developer/o/river/sandbox/shop/numbers")
	_, rest, _ := strings.Cut(p.body, `<ul class="charts">`)
	for i, want := range []string{"2", "1", "1", "3"} {
		_, after, ok := strings.Cut(rest, "<strong>")
		got, _, _ := strings.Cut(after, "</strong>")
		if rest = after; !ok || got != want {
			t.Errorf("series %d counts %q, want %s", i, got, want)
		}
	}
	if bars := strings.Count(p.body, `class="day"`); bars != 2+1+1+2 {
		t.Errorf("%d bars", bars)
	}
	if rows := strings.Count(p.body, `<th scope="row"><time`); rows != 30 {
		t.Errorf("%d days in the table", rows)
	}
	if grant, scope := strings.Index(p.body, "invalid_grant"), strings.Index(p.body, "invalid_scope"); grant < 0 || scope < grant {
		t.Error("the errors are not listed by their number")
	}
	if strings.Contains(p.body, "style=") {
		t.Error("an inline style, which the policy of the page forbids")
	}
}

func TestOldLinesAreRemovedAndCountsStayLonger(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.KeepLog, c.KeepNumbers = 24*time.Hour, 72*time.Hour })
	w.withApplication(river, storage.Sandbox, "shop")
	for _, ago := range []time.Duration{0, 30 * time.Hour, 48 * time.Hour, 200 * time.Hour} {
		w.lines(storage.Sandbox, "shop", storage.LogEntry{At: w.now().Add(-ago), Event: "token", Outcome: "ok"})
	}
	w.ok(storagetest.AgreeOnTime(t.Context(), w.store, w.now()))
	end := w.recording()
	defer end()
	eventually(t, func() bool {
		days, err := w.store.LogDays(t.Context(), storage.Sandbox, "shop", time.Time{})
		return err == nil && len(days) < 4 && len(w.logOf(storage.Sandbox, "shop")) == 1
	})
}
