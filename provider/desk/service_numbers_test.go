package desk_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

var lookTotal = regexp.MustCompile(`(?s)Looks by staff</h2><p class="total"><strong>(\d+)</strong>`)

// Every event is counted once: while it is in no block, once its block is closed, and by a
// process that has counted before.
func TestNumbers_CountEachEventOnce(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	looks := func(want string) {
		t.Helper()
		p := olga.Open("/desk/numbers")
		if m := lookTotal.FindStringSubmatch(p.Text); p.StatusCode != http.StatusOK || m == nil || m[1] != want {
			t.Errorf("%s: looks are %q, want %s", p.Status, m, want)
		}
	}
	look := func() {
		w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.SupportLooked, UserID: "bob"}))
	}
	look()
	look()
	looks("2")
	w.seals()
	looks("2")
	look()
	looks("3")
	w.seals()
	looks("3")
}

// seals closes a block.
func (w *place) seals() {
	w.T.Helper()
	sealed, err := w.Store.(storage.Trail).SealEvents(w.T.Context(), 4096, w.Now().Add(time.Minute), func(last storage.Block, events []storage.Event) (storage.Block, error) {
		b := storage.Block{
			Number: last.Number + 1, First: events[0].ID, Last: events[len(events)-1].ID, Count: len(events), From: events[0].At, Until: events[len(events)-1].At,
			SealedAt: w.Now(), Names: map[string]int{}, Root: storage.Digest{1}, Edge: []byte{1}, Checkpoint: []byte("checkpoint"),
		}
		for _, e := range events {
			b.Names[e.Name]++
		}
		return b, nil
	})
	w.OK(err)
	if !sealed {
		w.T.Fatal("no block was closed")
	}
}

func TestService_RotatesKeys(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	const form = "/desk/service/do/rotate_keys"
	checked := post(olga, olga.Open(form), "check")
	post(olga, checked, "do")
	keys := testkit.Must(w.Rooms().Keys.List(t.Context()))(w.T)
	if len(keys) != 2 {
		t.Errorf("there are %d keys\n%s", len(keys), checked.Text)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.KeyRotated, Actor: "staff:olga"}))(w.T)
	if len(events) != 1 {
		t.Errorf("%d lines", len(events))
	}
	again := post(olga, olga.Open(form), "check")
	post(olga, again, "do")
	if keys, err := w.Rooms().Keys.List(t.Context()); err != nil || len(keys) != 2 {
		t.Errorf("a second one was made: %d, %v", len(keys), err)
	}
}

func TestService_RevokesKeysByTwoAlone(t *testing.T) {
	t.Parallel()
	w, olga, _ := watched(t)
	before := testkit.Must(w.Rooms().Keys.List(t.Context()))(w.T)
	for _, name := range []string{"revoke_keys", "revoke_before"} {
		p := olga.Open("/desk/service/do/" + name)
		shows(t, p, http.StatusOK)
		checked := post(olga, p, "check", "before", "2026-01-01")
		post(olga, checked, "do", "before", "2026-01-01", "revision", before[0].ID)
	}
	after := testkit.Must(w.Rooms().Keys.List(t.Context()))(w.T)
	if len(after) != 1 || after[0].ID != before[0].ID {
		t.Error("one operator alone has revoked the keys")
	}
}
