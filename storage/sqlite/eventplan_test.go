//go:build cgo

package sqlite

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// TestPlansOfRareEvents tests that events with a rare name are found by it, whoever they are about:
// somebody may have many others.
func TestPlansOfRareEvents(t *testing.T) {
	path, seen := empty(t), newRecorder()
	store := seen.open(t, path)
	db := openPlain(t, path)
	defer store.Close()
	for name, filter := range map[string]storage.EventFilter{
		"Subject":     {Subject: "bob", Name: "break_made", Limit: 10},
		"Application": {ClientID: "shop", Names: []string{"break_made", "client_stopped"}, Limit: 10},
		"Actor":       {Actor: "staff:olga", Name: "break_made", Limit: 10},
	} {
		t.Run(name, func(t *testing.T) {
			clear(seen.statements)
			if _, err := store.Events(t.Context(), filter); err != nil {
				t.Fatal(err)
			}
			for query, args := range seen.statements {
				if plan := planOf(t, db, query, args); !strings.Contains(plan, "events_by_name ") {
					t.Errorf("it does not use the index of names:\n%s\n%s", query, plan)
				}
			}
		})
	}
}
