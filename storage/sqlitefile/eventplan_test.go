package sqlitefile

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestPlansOfRareEvents tests that events with a rare name are found by it, whoever they are about:
// somebody may have many others.
func TestPlansOfRareEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.db")
	if err := mattn.create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	e, err := mattn.openEngine(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	seen := &recorder{params: make(map[string]int)}
	store := sqlstore.New(recordingEngine{e, seen}, sqlstore.SQLite())
	defer store.Close()
	for name, filter := range map[string]storage.EventFilter{
		"Subject":     {Subject: "bob", Name: "break_made", Limit: 10},
		"Application": {ClientID: "shop", Names: []string{"break_made", "client_stopped"}, Limit: 10},
		"Actor":       {Actor: "staff:olga", Name: "break_made", Limit: 10},
	} {
		t.Run(name, func(t *testing.T) {
			clear(seen.params)
			if _, err := store.Events(t.Context(), filter); err != nil {
				t.Fatal(err)
			}
			for query, params := range seen.params {
				if plan := planOf(t, e, query, params); !strings.Contains(plan, "events_by_name ") {
					t.Errorf("it does not use the index of names:\n%s\n%s", query, plan)
				}
			}
		})
	}
}
