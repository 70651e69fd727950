package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Schema implements storage.Reports.
func (s *Store) Schema(ctx context.Context) (int, error) { return s.version(ctx) }

// Report implements storage.Reports.
func (s *Store) Report(ctx context.Context, now time.Time) (storage.Report, error) {
	var r storage.Report
	for _, count := range []struct {
		number *int
		query  string
		args   []any
	}{
		{&r.Accounts, `SELECT count(*) FROM main.accounts`, nil},
		{&r.Disabled, `SELECT count(*) FROM main.accounts WHERE disabled = 1`, nil},
		{&r.Sessions, `SELECT count(*) FROM main.sessions`, nil},
		{&r.Grants, `SELECT count(*) FROM main.grants`, nil},
		{&r.Events, `SELECT count(*) FROM main.events`, nil},
		{&r.Applications, `SELECT count(*) FROM main.applications WHERE organization_id <> '` + deletedOrganization + `'`, nil},
		{&r.Organizations, `SELECT count(*) FROM main.organizations WHERE id <> '` + deletedOrganization + `'`, nil},
		{&r.CasesWaiting, `SELECT count(*) FROM main.cases WHERE queued_at IS NOT NULL`, nil},
		{&r.PlansProposed, `SELECT count(*) FROM main.plans WHERE state = 'proposed' AND expires_at > ?1`, []any{micros(now)}},
		{&r.BreaksOpen, `SELECT count(*) FROM main.breaks WHERE signed_off_by IS NULL`, nil},
	} {
		n, err := read(ctx, s, "count", func(tx *tx) (int, error) { return one(tx, scanInt, count.query, count.args...) })
		if err != nil {
			return storage.Report{}, err
		}
		*count.number = n
	}
	return r, nil
}
