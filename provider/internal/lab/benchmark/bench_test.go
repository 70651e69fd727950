package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func answerTo(t *testing.T, wire string) (answer, error) {
	t.Helper()
	c := &conn{in: bufio.NewReader(strings.NewReader(wire))}
	return c.read()
}

func TestConnReadsBodiesOfBothKinds(t *testing.T) {
	for name, wire := range map[string]string{
		"length":  "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			a, err := answerTo(t, wire)
			if err != nil || a.status != 200 || string(a.body) != "hello" {
				t.Errorf("got %d %q, %v", a.status, a.body, err)
			}
		})
	}
}

func TestConnReportsAnswerCutShort(t *testing.T) {
	if a, err := answerTo(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"); err == nil {
		t.Errorf("accepted %q", a.body)
	}
}

func TestRatioPairsRounds(t *testing.T) {
	// The machine was twice as fast in the second round, and slow in the third.
	mine := []sample{{PerSecond: 50}, {PerSecond: 100}, {PerSecond: 5}}
	theirs := []sample{{PerSecond: 100}, {PerSecond: 200}, {PerSecond: 10}}
	if got := ratio(mine, perSecond, theirs, perSecond); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
}

// Every server in Go does every operation that it says it has.
func TestServersDoWhatIsMeasured(t *testing.T) {
	for _, s := range servers {
		if s.start == nil || s.available != nil {
			continue // needs something that is not everywhere
		}
		t.Run(s.name, func(t *testing.T) {
			r := started(t, s)
			for _, op := range operations {
				if op.path(r.Target) == "" {
					continue
				}
				users, err := crew(r, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, u := range users {
					done, failures, err := repeat(t.Context(), u, op, bound{until: time.Now().Add(20 * time.Millisecond)})
					if len(done) == 0 || failures > 0 {
						t.Errorf("%s: %d done, %d failed: %v", op.name, len(done), failures, err)
					}
				}
			}
		})
	}
}

// started is a server within this process.
func started(t *testing.T, s server) *running {
	t.Helper()
	var handler http.Handler
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(h.Close)
	made, prepare, err := s.start(t.Context(), h.URL, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	handler = made
	target, err := prepare(h.Client())
	if err != nil {
		t.Fatal(err)
	}
	return &running{greeting: greeting{Addr: h.Listener.Addr().String(), Target: target}, server: s}
}

func TestReplaceSectionLeavesTheRest(t *testing.T) {
	const report = "a\n<!-- scale -->\nold\n<!-- end of scale -->\nb\n"
	got, err := replaceSection(report, "scale", "new\n")
	if want := "a\n<!-- scale -->\nnew\n<!-- end of scale -->\nb\n"; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := replaceSection(report, "ends", "new\n"); err == nil {
		t.Errorf("without its marks: %q", got)
	}
}

func TestFilledDatabaseServes(t *testing.T) {
	dir := t.TempDir()
	if err := fill(t.Context(), dir, 1000, time.Now().Add(time.Hour)); err != nil { // the first has not ended yet
		t.Fatal(err)
	}
	_, _, err := bonafideOnSQLite(t.Context(), "http://localhost", dir)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := openTableRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.db.Close()
	for query, want := range map[string]int{
		`SELECT count(*) FROM grants WHERE typeof(id) = 'blob' AND expires_at > created_at`: 1000,
		`SELECT count(*) FROM tokens t JOIN grants g ON g.id = t.grant_id`:                  2000,
		`SELECT count(*) FROM pragma_foreign_key_check`:                                     0,
	} {
		if n, err := rows.count(t.Context(), query); n != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", query, n, err, want)
		}
	}
}

// Everybody hears of every end, and each of the applications only of its own users.
func TestEndsAreTold(t *testing.T) {
	a, err := newAudience(telling{Ends: 100, Within: 500 * time.Millisecond, Each: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	name, value, _ := strings.Cut(a.variable(), "=")
	t.Setenv(name, value)
	r := started(t, endingServers[0])
	a.starts(r.Target.Begin)
	address := "http://" + r.Addr
	stream, err := newStream(t.Context(), address, a.stream)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	polled := make(chan error, 1)
	go func() { polled <- stream.listen(ctx) }()
	for heard := false; !heard; time.Sleep(10 * time.Millisecond) {
		if _, heard, err = a.figures(address); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := <-polled; err != nil {
		t.Error(err)
	}
	for i, hook := range append(a.hooks, a.stream) {
		for end, heard := range hook.heard {
			if allowed := (end-i+webhooks+1)%(webhooks+1) == 0 || (end+1-i+webhooks+1)%(webhooks+1) == 0; heard != allowed {
				t.Errorf("application %d hears of end %d: %t", i, end, heard)
			}
		}
	}
	for _, late := range a.stream.late {
		if late < 0 {
			t.Errorf("told %v before the end", -late)
		}
	}
}

func TestBesideTellsWhoIsFaster(t *testing.T) {
	// In each round this checkout did half as much again, for two thirds of the processor time.
	p := &pairing{Commit: "a", Beside: "b", Pairs: []*pair{{
		Name:   "bonafide",
		Mine:   map[string][]sample{"flow": {{PerSecond: 150, CPU: 20, P50: 3}, {PerSecond: 15, CPU: 200, P50: 30}, {PerSecond: 300, CPU: 10, P50: 1}}},
		Theirs: map[string][]sample{"flow": {{PerSecond: 100, CPU: 30, P50: 6}, {PerSecond: 10, CPU: 300, P50: 60}, {PerSecond: 100, CPU: 30, P50: 2}}},
	}}}
	const want = "| bonafide: complete flows | 1.500 [1.50–1.50] | 1.500 [1.50–1.50] | 2.000 [2.00–2.00] | 3 |\n"
	if got := p.markdown(); !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
