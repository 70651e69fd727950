package sqlitefile

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestPlansOfQueues tests that who waits for the next case, or for what is due, reads from
// the beginning of a queue until there is enough, and sorts nothing.
func TestPlansOfQueues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
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
	now := time.Unix(1, 0)
	senior := storage.Reviewer{ID: "rita", Subject: "user", Senior: true}
	junior := storage.Reviewer{ID: "rita", Groups: []string{"student", "teacher"}}
	for index, call := range map[string]func(ctx context.Context) error{
		"cases_in_review": func(ctx context.Context) error {
			for _, r := range []storage.Reviewer{senior, junior} {
				_, _ = store.TakeCase(ctx, r, "", now, now) // there is none
				if _, err := store.Cases(ctx, storage.CaseFilter{Reviewer: &r, DueAfter: now, AfterID: "1", Limit: 10}); err != nil {
					return err
				}
				if _, err := store.Cases(ctx, storage.CaseFilter{Reviewer: &r, Limit: 10}); err != nil {
					return err
				}
			}
			return nil
		},
		"cases_by_timer": func(ctx context.Context) error {
			_, err := store.DueCases(ctx, now, time.Minute, 10)
			return err
		},
		"evidence_to_shred": func(ctx context.Context) error {
			_, err := store.ShredEvidence(ctx, now, 10)
			return err
		},
		"cases_by_end": func(ctx context.Context) error {
			_, err := store.Trim(ctx, storage.Trim{Kind: storage.OldCases, Before: now, Now: now}, 10)
			return err
		},
		"cases_by_subject": func(ctx context.Context) error {
			_, err := store.Cases(ctx, storage.CaseFilter{Subject: "ann"})
			return err
		},
		"cases_by_group_and_state": func(ctx context.Context) error {
			_, err := store.Cases(ctx, storage.CaseFilter{Group: "student", State: storage.CaseReview})
			return err
		},
		"cases_by_kind": func(ctx context.Context) error {
			_, err := store.CaseNumbers(ctx, now, now)
			return err
		},
	} {
		t.Run(index, func(t *testing.T) {
			clear(seen.params)
			if err := call(t.Context()); err != nil {
				t.Fatal(err)
			}
			found := false
			for query, params := range seen.params {
				plan := planOf(t, e, query, params)
				if strings.Contains(plan, "ORDER BY") {
					t.Errorf("it sorts:\n%s\n%s", query, plan)
				}
				if strings.Contains(plan, index+" ") {
					found = true
				} else if strings.Contains(query, "ORDER BY") && strings.Contains(query, "LIMIT") && !strings.Contains(plan, "fingerprints") {
					t.Errorf("it does not use the index:\n%s\n%s", query, plan)
				}
			}
			if !found {
				t.Errorf("nothing uses the index: %v", seen.params)
			}
		})
	}
}

// planOf returns how SQLite would run a query.
func planOf(t *testing.T, e *engine, query string, params int) string {
	t.Helper()
	rows, err := e.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, params)...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(detail + " \n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
