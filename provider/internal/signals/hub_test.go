package signals_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, nil)
	saved, key := w.verified(r)
	w.grant("ann", "student")
	w.grant("bob", "teacher")
	for user, before := range map[string]time.Duration{"fay": time.Hour, "gus": time.Second} {
		w.grant(user, "student")
		_, err := w.store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: user}, w.now().Add(-before))
		w.ok(err)
	}
	for _, e := range []storage.Event{
		{Name: event.StatusChanged, Subject: "ann", Detail: "student"},
		{Name: event.StatusChanged, Subject: "bob", Detail: "student"}, // whose grant does not cover it
		{Name: event.StatusEnded, Subject: "eve", Detail: "student"},   // who has none
		{Name: event.StatusEnded, Subject: "fay", Detail: "student"},   // whose ended before
		{Name: event.AccountDisabled, Subject: "gus"},                  // by which it has ended
		{Name: event.SignedIn, Subject: "ann"},
		{Name: event.SignedOut, Subject: "bob", Address: "192.0.2.0/24"},
		{Name: event.Revoked, Subject: "eve", ClientID: "shop", Detail: "by the user"},
		{Name: event.Revoked, Subject: "eve", ClientID: "other", Detail: "by the user"},
		{Name: event.Revoked, Subject: "eve", ClientID: "shop", Detail: "access token, by the application"},
		{Name: event.Revoked, Subject: "dan", ClientID: "shop", Detail: "by the application"},
		{Name: event.Revoked, Subject: "ann", Detail: "everything of the user, by the host"}, // by which sessions end
		{Name: event.Revoked, Detail: "everything issued before a moment"},                   // each of whom has one
		{Name: event.Reuse, Subject: "hal", ClientID: "shop", Detail: "refresh token"},
		{Name: event.Reuse, Subject: "bob", ClientID: "other", Detail: "refresh token"},
		{Name: event.EmailChanged, Subject: "bob", Detail: "by the host"}, // by which nothing ends
		{Name: event.ClientStopped, ClientID: "shop"},
		{Name: event.KeyRotated, Detail: "RS256"},
		{Name: event.KeyRotated, Detail: "data key 2, by the host"},
	} {
		w.record(e)
	}
	var types []string
	keyOf, err := verification.WebhookSecret(key)
	w.ok(err)
	ids := map[string]bool{}
	for _, m := range r.wait(t, 10)[:10] {
		ids[m.id] = true
		if _, err := verification.VerifyWebhook(m.header, []byte(m.body), w.now(), keyOf); err != nil {
			t.Errorf("%s: %v", m.body, err)
		}
		head, data, _ := strings.Cut(m.body, `","timestamp":"`)
		_, data, _ = strings.Cut(data, `","data":`)
		types = append(types, strings.TrimPrefix(head, `{"type":"`)+" "+strings.TrimSuffix(data, "}"))
	}
	slices.Sort(types)
	want := []string{
		`account.disabled {"sub":"gus"}`,
		`application.stopped {"client_id":"shop"}`, `consent.withdrawn {"sub":"dan"}`, `consent.withdrawn {"sub":"eve"}`, `keys.rotated {}`, `ping {}`,
		`sessions.ended {"sub":"ann"}`, `sessions.ended {"sub":"bob"}`, `sessions.ended {"sub":"hal"}`, `status.changed {"sub":"ann","group":"student"}`,
	}
	if !slices.Equal(types, want) {
		t.Errorf("got %q, want %q", types, want)
	}
	if len(ids) != 10 {
		t.Errorf("the IDs are %v", ids)
	}
	w.until(saved.ID, func(r signals.Receiver) bool { return r.Waiting == 0 })
	deliveries, err := w.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: saved.ID})
	w.ok(err)
	for _, d := range deliveries {
		if d.State != "done" || d.Answer != "200" || !ids[d.MessageID] {
			t.Errorf("%+v", d)
		}
	}
}

// Where nobody listens no event is read, and nothing is kept.
func TestNothingRunsUnheard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	for _, source := range w.Sources() {
		if more, err := source.Do(t.Context()); more || err != nil {
			t.Errorf("%s: %t, %v", source.What, more, err)
		}
	}
	if marks, err := w.store.Marks(t.Context()); err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v", marks, err)
	}
	if new(hub.Hub).IsOn() {
		t.Error("a hub without a Config is on")
	}
}

func TestEndpointsOfTheHost(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	endpoint := signals.Endpoint{Address: r.URL, Secret: secret, Signals: []string{signals.StatusChanged, signals.AccountDeleted}}
	w := newWorld(t, signals.Config{Endpoints: []signals.Endpoint{endpoint}})
	stop := w.run()
	w.until("", func(signals.Receiver) bool { return true })
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 }) // from now on it hears
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student", ClientID: "shop"})
	w.record(storage.Event{Name: event.SignedOut, Subject: "ann"})
	m := r.wait(t, 1)[0]
	if !strings.HasSuffix(m.body, `"data":{"sub":"ann","group":"student","client_id":"shop"}}`) || strings.Contains(m.signature, " ") {
		t.Errorf("%s, signed %q", m.body, m.signature)
	}
	stop()

	// Another key signs beside the former one; the next start without the endpoint removes it.
	w.Config.Endpoints[0].Secret = "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 33))
	stop = w.run()
	w.until("", func(r signals.Receiver) bool { return !r.FormerKeyUntil.IsZero() })
	w.record(storage.Event{Name: event.StatusEnded, Subject: "ann", Detail: "student"})
	if m = r.wait(t, 2)[1]; strings.Count(m.signature, "v1,") != 2 || strings.Count(m.signature, " ") != 1 {
		t.Errorf("signed %q", m.signature)
	}
	former, err := verification.WebhookSecret(secret)
	w.ok(err)
	if _, err := verification.VerifyWebhook(m.header, []byte(m.body), w.now(), former); err != nil {
		t.Errorf("the former key: %v", err)
	}
	stop()
	w.Config.Endpoints = nil
	w.Config.Webhooks = true
	w.run()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(5 * time.Millisecond) {
		left, err := w.List(t.Context(), storage.ReceiverFilter{})
		w.ok(err)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is there")
		}
	}
}

func TestDeletionTellsWhoCouldSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, nil)
	w.verified(r, signals.AccountDeleted)
	w.grant("ann")
	for _, user := range []string{"ann", "bob"} {
		deliveries, err := w.Deleting(t.Context(), hub.Change{
			Signal: signals.AccountDeleted, Event: storage.Event{At: w.now(), Name: event.AccountDeleted, Subject: user},
		}, "deleted-"+user)
		w.ok(err)
		_, err = audit.StepIf(audit.Telling(t.Context(), deliveries), w.audit, func(ctx context.Context) (bool, error) {
			return w.store.DeleteAccount(ctx, user, "deleted-"+user, func(storage.Event) storage.Erasure { return storage.Erasure{} })
		}, storage.Event{Name: event.AccountDeleted, Subject: "deleted-" + user})
		w.ok(err)
	}
	w.record(storage.Event{Name: event.KeyRotated})
	if m := r.wait(t, 2)[1]; !strings.Contains(m.body, `"data":{"sub":"ann"}`) {
		t.Errorf("got %s", m.body)
	}
}

// Messages about one user come in order, and none before the one in front of it is answered.
func TestOrderOfEachUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	var mu sync.Mutex
	unanswered := map[string]bool{}
	r := newReceiver(t, func(m received) int {
		of := m.user()
		mu.Lock()
		if unanswered[of] {
			t.Errorf("a message about %q comes before the one in front of it is answered", of)
		}
		unanswered[of] = true
		mu.Unlock()
		runtime.Gosched() // for others to come
		mu.Lock()
		defer mu.Unlock()
		unanswered[of] = false
		return http.StatusOK
	})
	w.verified(r)
	const users, changes = 8, 25
	for i := range users {
		w.grant(fmt.Sprint("user", i), "student", "teacher")
	}
	for n := range changes {
		for i := range users {
			w.record(storage.Event{Name: event.StatusChanged, Subject: fmt.Sprint("user", i), Detail: []string{"student", "teacher"}[n%2]})
		}
	}
	last := map[string]string{}
	for _, m := range r.wait(t, 1+users*changes)[1:] {
		_, at, _ := strings.Cut(m.body, `"timestamp":"`)
		when, err := time.Parse(time.RFC3339Nano, at[:strings.IndexByte(at, '"')])
		w.ok(err)
		if now := when.Format("15:04:05.000000"); now < last[m.user()] {
			t.Errorf("%s: %s after %s", m.user(), now, last[m.user()])
		} else {
			last[m.user()] = now
		}
	}
}

// A receiver hears of nothing that was before it, even if nobody has read that yet.
func TestNobodyHearsOfWhatWasBefore(t *testing.T) {
	t.Parallel()
	former, latter := newReceiver(t, nil), newReceiver(t, nil)
	w := newWorld(t, signals.Config{Endpoints: []signals.Endpoint{{Address: former.URL, Secret: secret}}})
	stop := w.run()
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	stop()
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	w.Config.Endpoints = append(w.Config.Endpoints, signals.Endpoint{Address: latter.URL, Secret: secret})
	w.run()
	former.wait(t, 1)
	w.record(storage.Event{Name: event.StatusChanged, Subject: "bob", Detail: "student"})
	former.wait(t, 2)
	if first := latter.wait(t, 1)[0]; first.user() != "bob" {
		t.Errorf("it hears %s", first.body)
	}
}

// Who is no longer let in by the Config is told nothing, while others are.
func TestNobodyHearsWhomTheConfigLeavesOut(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "test.db"), random.Bytes(32)
	w := worldAt(t, path, key, signals.Config{Webhooks: true})
	w.ok(w.store.SaveClient(t.Context(), storage.Client{ID: "shop", CreatedAt: w.now()}))
	stop := w.run()
	_, _ = w.verified(newReceiver(t, nil))
	stop()
	w.grant("ann", "student")
	w = worldAt(t, path, key, signals.Config{Endpoints: []signals.Endpoint{{Address: "https://host.example", Secret: secret}}})
	w.ahead.Store(int64(time.Minute)) // what the one before has taken is free
	read := w.Sources()[0]
	_, err := read.Do(t.Context())
	w.ok(err)
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	_, err = read.Do(t.Context())
	w.ok(err)
	all, err := w.List(t.Context(), storage.ReceiverFilter{Counted: true})
	w.ok(err)
	for _, r := range all {
		if ofHost := r.ClientID == ""; (r.Waiting > 0) != ofHost {
			t.Errorf("for that of %q %d messages wait", r.ClientID, r.Waiting)
		}
	}
	if len(all) != 2 {
		t.Errorf("there are %+v", all)
	}
}

// ending is the store of a process that ends with the step that moves a mark.
type ending struct {
	storage.Signals
	ended bool
}

func (e *ending) MoveMark(ctx context.Context, from, to storage.Mark, deliveries []storage.Delivery) error {
	if e.ended {
		return errors.New("the process has ended")
	}
	e.ended = to.ID != from.ID
	return e.Signals.MoveMark(ctx, from, to, deliveries)
}

// A mark moves with the last of the messages about what is before it, and not ahead of any.
func TestMarkMovesWithTheLastMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Endpoints: []signals.Endpoint{{Address: "https://a.example", Secret: secret}, {Address: "https://b.example", Secret: secret}}})
	read := w.Sources()[0]
	_, err := read.Do(t.Context())
	w.ok(err)
	const changes = 260 // more messages than one step adds
	for range changes {
		w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: event.StatusChanged, Subject: "ann", Detail: "student"}))
	}
	store := &ending{Signals: w.Store}
	w.Store = store
	_, err = read.Do(t.Context())
	w.ok(err)
	all, err := w.List(t.Context(), storage.ReceiverFilter{Counted: true})
	w.ok(err)
	for _, r := range all {
		if r.Waiting != changes || !store.ended {
			t.Errorf("the mark is ahead of messages: %d of %d wait for %s", r.Waiting, changes, r.Address)
		}
	}
}
