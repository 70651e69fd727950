package developer_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// A change ends a year after it was made by the clock that all processes agree on: one that
// leaps takes nothing along.
func TestChangesAreKeptForAYear(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const day = 24 * time.Hour
	for what, ago := range map[string]time.Duration{"clock.move": 366 * day, "personas.change": 364 * day} {
		err := w.store.AppendChange(t.Context(), storage.Change{OrganizationID: river, At: w.now().Add(-ago), UserID: dev, What: what})
		w.ok(err)
	}
	w.ok(storagetest.AgreeOnTime(t.Context(), w.store, w.now()))
	w.advance(30 * day)
	defer w.recording()()
	eventually(t, func() bool { return len(w.changes(river)) < 2 })
	if left := w.changes(river); len(left) != 1 || left[0].What != "personas.change" {
		t.Errorf("left: %+v", left)
	}
}

func TestTheActivityEndsWithTheOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(owner)
	settings := "/developer/o/river/settings"
	b.submit(b.open(settings), "name", "Org river", "contact", "us@example.com", "action", "save")
	if len(w.changes(river)) == 0 {
		t.Fatal("nothing has been recorded")
	}
	says(t, b.submit(b.open(settings), "confirm", "Org river", "action", "delete"), http.StatusOK, "Your organizations")
	if left := w.changes(river); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if log := w.log.String(); !strings.Contains(log, `msg="organization deleted" organization=river user=owner`) || strings.Contains(log, "level=ERROR") {
		t.Errorf("the operator is told:\n%s", log)
	}
}
