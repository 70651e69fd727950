package developer_test

import (
	"fmt"
	"net/http"
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
