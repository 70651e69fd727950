package developer_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// sizeOf returns how much the database of the dashboard takes on the disk.
func (w *fixture) sizeOf() (n int64) {
	w.t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(w.paths[0] + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// TestAFloodTakesNoDiskAndNoLineOfAnother makes 5,000 requests of a public application, as
// anybody can, while another organization's has one mistake after the other.
func TestAFloodTakesNoDiskAndNoLineOfAnother(t *testing.T) {
	w := newFixture(t)
	w.withApplication(river, storage.Production, "shop", func(c *provider.Client) { c.Public = true })
	w.withApplication(lake, storage.Production, "boat")
	end := w.recording()
	b := w.newBrowser()
	w.watching(b, "shop", func() bool { return len(w.logOf(storage.Production, "shop")) > 0 })
	before := w.sizeOf()
	const floods, each = 20, 250
	var all sync.WaitGroup
	for i := range floods {
		all.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			for n := range each {
				form := url.Values{"client_id": {"shop"}, "token": {"whatever"}, "grant_type": {"authorization_code"}}
				path := "/oauth/revoke" // of what is no token
				if (i+n)%2 == 0 {
					path = "/oauth/token" // of what is no code
				}
				response, err := client.Post(w.server.URL+path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
				if err != nil {
					t.Error(err)
					return
				}
				_ = response.Body.Close()
			}
		})
	}
	other := w.newBrowser()
	for i := range 50 {
		other.mistake("boat", i)
	}
	all.Wait()
	end()
	if n := len(w.logOf(storage.Production, "boat")); n != 50 {
		t.Errorf("%d of 50 lines of another organization", n)
	}
	lines := testkit.Must(w.store.Log(t.Context(), storage.LogFilter{Environment: storage.Production, ClientID: "shop", Limit: 20_000}))(w.t)
	requests := 0
	for _, line := range lines {
		requests += max(1, line.Requests)
		if line.Event == string(activity.Revoke) {
			t.Fatal("the revocation of no token has a line")
		}
	}
	if requests < floods*each/2 || requests > floods*each/2+2 || len(lines) > 500 {
		t.Errorf("%d lines count %d requests, want %d", len(lines), requests, floods*each/2)
	}
	grown := w.sizeOf() - before
	t.Logf("%d lines, %d bytes", len(lines), grown)
	if grown > 1<<20 {
		t.Errorf("the disk grows by %d bytes", grown)
	}
}

func TestDeletingAnApplicationWithALongLogAnswersAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	batch := make([]storage.LogEntry, 1000)
	for i := range batch {
		batch[i] = storage.LogEntry{Event: "token", Outcome: "ok", At: w.now()}
	}
	for range 5 {
		w.lines(storage.Sandbox, "shop", batch...)
	}
	b := w.as(dev)
	b.submit(b.open("/developer/o/river/sandbox/shop/delete"), "confirm", "App shop")
	w.removed(storage.Sandbox, "shop")
	left := func() int {
		removed := 0
		for {
			n := testkit.Must(w.store.Trim(t.Context(), storage.Trim{Kind: storage.OldLog}, 250))(w.t)
			if n == 0 {
				return removed
			}
			removed += n
		}
	}
	if n := left(); n < 5000 {
		t.Errorf("%d of 5000 lines are left to the background", n)
	}
	w.withApplication(river, storage.Sandbox, "till").lines(storage.Sandbox, "till", batch...)
	b.submit(b.open("/developer/o/river/sandbox/till/delete"), "confirm", "App till")
	w.removed(storage.Sandbox, "till")
	end := w.recording()
	defer end()
	w.advance(time.Minute)
	eventually(t, func() bool {
		o, err := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: "deleted"})
		return err == nil && len(o) == 0
	})
}
