package storagetest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Rows is how a database is told to make many rows, which nobody looks at singly.
type Rows struct {
	numbers string // a table n with the numbers i from the first parameter to the second
	bytes   string // of a number, after a prefix: so many as the second parameter says
}

// The kinds of database.
var (
	SQLiteRows = Rows{
		`(WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n) AS n`,
		`CAST(printf('%s%%0%dd', i) AS BLOB)`,
	}
	PostgresRows = Rows{
		`generate_series(%d::bigint, %d::bigint) AS n(i)`,
		`convert_to('%s' || lpad(i::text, %d, '0'), 'UTF8')`,
	}
)

// Insert inserts n rows, made of the numbers from 1 on, behind the back of whoever uses the
// database. $now stands for a time, $digest and $other for different 32 bytes of a number, $id
// for 16.
func (r Rows) Insert(t testing.TB, db *sql.DB, now time.Time, n int, into, rows string) {
	t.Helper()
	const chunk = 500_000 // are written in one step
	rows = strings.NewReplacer("$now", fmt.Sprint(now.UnixMicro()), "$digest", fmt.Sprintf(r.bytes, "", 32),
		"$other", fmt.Sprintf(r.bytes, "z", 31), "$id", fmt.Sprintf(r.bytes, "", 16)).Replace(rows)
	for first := 1; first <= n; first += chunk {
		statement := `INSERT INTO ` + into + ` ` + rows + ` FROM ` + fmt.Sprintf(r.numbers, first, min(first+chunk-1, n))
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
