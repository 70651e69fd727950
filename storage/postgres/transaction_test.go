package postgres

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// TestExpect tests steps that take something for granted: what they leave and answer is the same
// as if they had looked.
func TestExpect(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).Schema(t)
	exec(t, url, `CREATE TABLE rows (n BIGINT PRIMARY KEY)`)
	proxy := pgtest.NewProxy(t, url)
	e := must(openEngine(t.Context(), proxy.URL))(t)
	defer e.Close()
	beside, err := sql.Open("pgx", url)
	ok(t, err)
	defer beside.Close()

	table, mistake := pgx.Identifier{e.schema, "rows"}.Sanitize(), errors.New("mistake")
	insert, renumber := `INSERT INTO `+table+` VALUES ($1) RETURNING 1`, `UPDATE `+table+` SET n = $2 WHERE n = $1 RETURNING 1`
	type step struct { // a connection within a transaction
		context.Context
		sqlstore.Conn
	}
	exec := func(s step, query string, args ...any) error {
		result, err := s.ExecContext(s, query, args...)
		if err != nil {
			return err
		}
		if changed, _ := result.RowsAffected(); changed == 0 {
			return storage.ErrSpent
		}
		return nil
	}
	expect := func(s step, query string, args ...any) error {
		queue, ok := s.Conn.(sqlstore.Queue)
		if !ok {
			return exec(s, query, args...)
		}
		queue.Expect(query, args...)
		return nil
	}
	// write expects that a row can be inserted, and does something more. It returns how often it was
	// tried, and whether the row is there.
	write := func(t *testing.T, n int, more func(step) error) (tries int, there bool, err error) {
		t.Helper()
		err = e.Write(t.Context(), func(ctx context.Context, db sqlstore.Conn) error {
			tries++
			s := step{ctx, db}
			if err := expect(s, insert, n); err != nil {
				return err
			}
			return more(s)
		})
		ok(t, beside.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM `+table+` WHERE n = $1)`, n).Scan(&there))
		return tries, there, err
	}
	nothing := func(step) error { return nil }
	if _, _, err := write(t, 0, nothing); err != nil {
		t.Fatal(err)
	}

	for n, c := range []struct {
		name  string
		more  func(step) error
		tries int
		err   error
	}{
		{"Met", func(s step) error { return expect(s, renumber, 0, -1) }, 1, nil},
		{"Unmet", func(s step) error { return expect(s, renumber, 0, 0) }, 2, storage.ErrSpent},
		{"UnmetBeforeAConflict", func(s step) error {
			if err := expect(s, renumber, 0, 0); err != nil {
				return err
			}
			return exec(s, insert, -1)
		}, 2, storage.ErrSpent},
		{"Conflict", func(s step) error { return expect(s, insert, -1) }, 1, storage.ErrConflict},
		{"ConflictBeforeAMistake", func(s step) error { return errors.Join(expect(s, insert, -1), mistake) }, 2, storage.ErrConflict},
		{"Mistake", func(step) error { return mistake }, 2, mistake},
		{"OverlookedConflict", func(s step) error { _ = exec(s, insert, -1); return nil }, 1, pgx.ErrTxCommitRollback},
	} {
		t.Run(c.name, func(t *testing.T) {
			tries, there, err := write(t, n+1, c.more)
			if !errors.Is(err, c.err) || there != (err == nil) || tries != c.tries {
				t.Errorf("%d tries, then %v; the row is there: %v", tries, err, there)
			}
		})
	}
	t.Run("AnswerToTheCommitIsLost", func(t *testing.T) {
		proxy.CutAfterCommit(1)
		if tries, there, err := write(t, 20, nothing); !errors.Is(err, storage.ErrUnavailable) || !there || tries != 1 {
			t.Errorf("%d tries, then %v; the row is there: %v", tries, err, there)
		}
	})
	t.Run("AllConnectionsBreak", func(t *testing.T) {
		const many = 4
		for range 2 { // one that has never been used again is looked at before
			var idle []*sql.Conn
			for range many {
				conn := must(e.db.Conn(t.Context()))(t)
				idle = append(idle, conn)
			}
			for _, conn := range idle {
				conn.Close()
			}
		}
		e.left = e.left.Add(-leaveInterval)
		tries, _, err := write(t, 30, func(step) error {
			proxy.Cut()
			proxy.Restore(t)
			return nil
		})
		if !errors.Is(err, storage.ErrUnavailable) || tries != 1 {
			t.Errorf("on one of them: %d tries, then %v", tries, err)
		}
		for n := range many {
			if _, _, err := write(t, 31+n, nothing); err != nil {
				t.Errorf("after that: %v", err)
			}
		}
	})
}
