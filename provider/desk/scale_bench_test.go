package desk_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/storage"
)

// BenchmarkPages opens each page of the desk beside a million statuses and 200,000 cases, of
// which 5,000 wait. Those that a page shows are real; the others only stand in the tables.
func BenchmarkPages(b *testing.B) {
	w := newPlace(b)
	for i := range 30 {
		id := fmt.Sprintf("waiting%d", i)
		_, err := w.Accounts().Save(b.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: staffPass})
		w.OK(err)
		if c := w.applies(w.reviewer(id), id); c.State != storage.CaseReview {
			b.Fatal(c.State)
		}
	}
	fillTables(b, w.Path, w.Now())
	w.staff["rita"] = desk.Staff{Roles: []desk.Role{desk.RoleReviewer, desk.RoleOperator}}
	rita := w.reviewer("rita")
	for _, page := range []string{"/desk/cases", "/desk/rosters", "/desk/codes", "/desk/holds", "/desk/cases/numbers"} {
		b.Run(page[len("/desk/"):]+"_page", func(b *testing.B) {
			for b.Loop() {
				if p := rita.Get(page); p.StatusCode != http.StatusOK {
					b.Fatalf("%s: %s\n%s", page, p.Status, p.Text)
				}
			}
		})
	}
	b.Run("take_and_give_back", func(b *testing.B) {
		by := storage.Reviewer{ID: "raul", Subject: "raul"}
		for b.Loop() {
			c, err := w.service.Take(b.Context(), by, "", w.Now().Add(time.Minute))
			if err == nil {
				err = w.service.Return(b.Context(), by, c.ID)
			}
			w.OK(err)
		}
	})
}

// fillTables adds the statuses of a million people and their cases.
func fillTables(b *testing.B, path string, now time.Time) {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=60000")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `
	month := (30 * 24 * time.Hour).Microseconds()
	for _, statement := range []string{
		fmt.Sprintf(numbers+`INSERT INTO statuses (subject, group_name, subgroups, verified, verified_by, verified_at, expires_at, pending, source, method, revision, sealed_reason)
			SELECT 'many' || i, 'student', '["University"]', 1, '', %d, %d, 0, '', '', i, '' FROM n`, 1_000_000, now.UnixMicro(), now.UnixMicro()+12*month),
		fmt.Sprintf(numbers+`INSERT INTO cases (id, subject, group_name, state, version, status_revision, renewal, method, round, escalated, created_at, due_at, ended_at)
			SELECT printf('0%%015d', i), 'many' || i, 'student', CASE WHEN i %% 40 = 0 THEN 'review' WHEN i %% 3 = 0 THEN 'declined' ELSE 'approved' END,
				i, 0, 0, 'office', 1, 0, %[2]d - i * 60000000, %[2]d + %[3]d + i, CASE WHEN i %% 40 <> 0 THEN %[2]d END FROM n`, 200_000, now.UnixMicro(), month),
	} {
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
}
