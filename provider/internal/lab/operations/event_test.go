package operations

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", "not-her-password-1")
	b.SignIn("alice@example.com", lab.AlicePass)
	b.Allow()
	got := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{UserID: "alice"}))(t)
	want := []string{event.Consent, event.SignedIn, event.SignInFailed, event.StatusChanged, event.AttributesChanged, event.AccountCreated}
	if len(got) != len(want) {
		t.Fatalf("%d events: %v", len(got), got)
	}
	for i, e := range got {
		if e.Name != want[i] || e.At.IsZero() {
			t.Errorf("event %d: %+v, want %s", i, e, want[i])
		}
	}
	next, err := w.Events().List(t.Context(), provider.EventFilter{UserID: "alice", Before: got[0].ID, Limit: 1})
	if err != nil || len(next) != 1 || next[0].Name != event.SignedIn {
		t.Errorf("second page: %v %v", next, err)
	}
}

func TestRunRemovesMattersThatAreOlderThanEventsAreKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	w := lab.New(t, func(c *provider.Config) { c.KeepEvents = day })
	for id, age := range map[string]time.Duration{"old": day + time.Minute, "recent": day - time.Hour} {
		end := w.Now().Add(-age)
		w.OK(w.Store.OpenMatter(t.Context(), storage.Matter{ID: id, Staff: "sue", Subject: "bob", OpenedAt: end, EndsAt: end}))
	}
	w.AgreeOnTime()
	go func() { _ = w.Run(t.Context()) }() // until the fixture ends
	lab.Eventually(t, func() bool {
		left := testkit.Must(w.Store.Matters(t.Context(), storage.MatterFilter{}))(w.T)
		return len(left) == 1 && left[0].ID == "recent"
	})
}

func TestRunRemovesEventsThatAreOlderThanTheyAreKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	w := lab.New(t, func(c *provider.Config) { c.KeepEvents = day })
	for n, e := range []storage.Event{
		{At: w.Now().Add(-day - time.Minute), Name: "sign_in", Detail: "old"},
		{At: w.Now().Add(-day + time.Hour), Name: "sign_in", Detail: "recent"},
	} {
		w.OK(w.Store.AppendEvent(t.Context(), e))
		w.UntilSealed(n + 1)
	}
	w.AgreeOnTime()
	go func() { _ = w.Run(t.Context()) }() // until the fixture ends
	lab.Eventually(t, func() bool {
		left := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.SignedIn}))(t)
		if len(left) == 0 {
			t.Fatal("the recent event is gone, too")
		}
		return len(left) == 1 && left[0].Detail == "recent"
	})
}

func TestKeyRotationIsInTheAuditTrail(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Rotation = 30 * 24 * time.Hour })
	w.Advance(30 * 24 * time.Hour)
	go func() { _ = w.Run(t.Context()) }() // until the fixture ends
	lab.Eventually(t, func() bool { return w.Saw(event.KeyRotated) })
}

// clientRefused returns a request that leads to an event, and to nothing else that is
// written.
func clientRefused(ctx context.Context) *http.Request {
	body := lab.Form("client_id", "std", "client_secret", "a-guess", "grant_type", "authorization_code", "code", "x")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, lab.TokenPath, strings.NewReader(body.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestCallerCannotStayOutOfTheTrailByLeaving(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients()
	ctx, leave := context.WithCancel(t.Context())
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "AppendEvent" {
			leave()
		}
		return nil
	})
	w.ServeHTTP(httptest.NewRecorder(), clientRefused(ctx))
	if ctx.Err() == nil {
		t.Fatal("the caller has not left")
	}
	got, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.ClientRefused})
	if err != nil || len(got) != 1 {
		t.Errorf("events %v, error %v", got, err)
	}
}

func TestTrailThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients()
	var limit time.Duration
	store.BreakBefore(func(ctx context.Context, method string) error {
		if method != "AppendEvent" {
			return nil
		}
		deadline, _ := ctx.Deadline()
		limit = time.Until(deadline)
		return storage.ErrUnavailable
	})
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, clientRefused(t.Context()))
	if limit <= 0 || limit > 2*time.Second {
		t.Errorf("the answer may have to wait for %v", limit)
	}
	if answer.Code != http.StatusUnauthorized {
		t.Errorf("the answer has become %d", answer.Code)
	}
	for _, part := range []string{"level=ERROR", "event=client_refused", "client=std", "address=192.0.2.0/24"} {
		if !strings.Contains(w.Log.String(), part) {
			t.Errorf("the log does not tell %s:\n%s", part, w.Log)
		}
	}
	if !w.Saw(event.ClientRefused) {
		t.Error("the host is not told")
	}
}
