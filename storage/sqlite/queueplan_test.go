//go:build cgo

package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// TestPlansOfQueues tests that who waits for the next case, or for what is due, reads from
// the beginning of a queue until there is enough, and sorts nothing.
func TestPlansOfQueues(t *testing.T) {
	path, seen := empty(t), newRecorder()
	store := seen.open(t, path)
	db := openPlain(t, path)
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
			clear(seen.statements)
			ok(t, call(t.Context()))
			found := false
			for query, args := range seen.statements {
				plan := planOf(t, db, query, args)
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
				t.Errorf("nothing uses the index: %v", seen.statements)
			}
		})
	}
}
