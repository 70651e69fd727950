package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// writerTest is a writer on a database with one table, in a bubble of
// testing/synctest: there, synctest.Wait returns when all callers wait in the queue,
// and time passes as soon as everyone waits for it.
type writerTest struct {
	*testing.T
	w       *writer
	path    string
	commits atomic.Int64
}

func testWriter(t *testing.T, test func(t *writerTest)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "writer.db")
	ok(t, mattn.create(t.Context(), path))
	synctest.Test(t, func(t *testing.T) {
		w := must(mattn.openWriter(t.Context(), path))(t)
		wt := &writerTest{T: t, w: w, path: path}
		ok(t, w.write(t.Context(), sqlStep(`CREATE TABLE written (name TEXT UNIQUE)`)))
		wt.onCommit(func() int { wt.commits.Add(1); return 0 })
		test(wt)
		if !w.closed {
			if err := w.close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// onCommit calls a hook before each commit; one that returns 1 makes it fail.
func (t *writerTest) onCommit(hook func() int) {
	t.Helper()
	if err := t.w.conn.Raw(func(driver any) error {
		driver.(*sqlite3.SQLiteConn).RegisterCommitHook(hook)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func sqlStep(statement string, args ...any) sqlstore.Step {
	return func(ctx context.Context, db sqlstore.Conn) error {
		_, err := db.ExecContext(ctx, statement, args...)
		return err
	}
}

func insert(name string) sqlstore.Step { return sqlStep(`INSERT INTO written VALUES (?1)`, name) }

// inOneBatch makes the calls while the writer is busy with another, so that they
// are in one batch, in their order. It returns their errors.
func (t *writerTest) inOneBatch(steps ...sqlstore.Step) []error {
	t.Helper()
	errs := make([]error, len(steps))
	var done sync.WaitGroup
	release := make(chan struct{})
	done.Go(func() {
		if err := t.w.write(t.Context(), func(context.Context, sqlstore.Conn) error {
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	for i, step := range steps {
		done.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panicked: %v", p)
				}
			}()
			errs[i] = t.w.write(t.Context(), step)
		})
		synctest.Wait()
	}
	close(release)
	done.Wait()
	return errs
}

// written returns what other connections see.
func (t *writerTest) written() []string {
	t.Helper()
	db := t.otherConnection()
	rows := must(db.QueryContext(t.Context(), `SELECT name FROM written ORDER BY name`))(t)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		ok(t, rows.Scan(&name))
		names = append(names, name)
	}
	ok(t, rows.Err())
	return names
}

// otherConnection is one as another process has it.
func (t *writerTest) otherConnection() *sql.DB {
	db := sql.OpenDB(mattn.connector(t.path))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func (t *writerTest) wantWritten(want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, t.written()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

func TestGroupCommit(t *testing.T) {
	t.Run("CallersShareOneCommit", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			steps := make([]sqlstore.Step, maxBatch)
			for i := range steps {
				steps[i] = insert(fmt.Sprint(i))
			}
			if err := errors.Join(t.inOneBatch(steps...)...); err != nil {
				t.Error(err)
			}
			if got := len(t.written()); got != maxBatch {
				t.Errorf("%d rows, want %d", got, maxBatch)
			}
			if got := t.commits.Load(); got != 1+1 { // of the step that was in the way, and of the batch
				t.Errorf("%d commits, want 2", got)
			}
		})
	})
	t.Run("BatchIsBounded", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			steps := make([]sqlstore.Step, 2*maxBatch+1)
			for i := range steps {
				steps[i] = insert(fmt.Sprint(i))
			}
			if err := errors.Join(t.inOneBatch(steps...)...); err != nil {
				t.Error(err)
			}
			if got := t.commits.Load(); got != 1+3 {
				t.Errorf("%d commits, want 4", got)
			}
		})
	})
	t.Run("FailedStepLeavesTheOthers", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			failure := errors.New("failure")
			errs := t.inOneBatch(
				insert("first"),
				func(ctx context.Context, db sqlstore.Conn) error {
					if err := insert("half")(ctx, db); err != nil {
						return err
					}
					return failure
				},
				insert("first"), // is there already
				insert("last"),
			)
			if errs[0] != nil || errs[1] != failure || errs[2] == nil || errs[3] != nil {
				t.Errorf("errors %v", errs)
			}
			t.wantWritten("first", "last")
		})
	})
	t.Run("StepsRunOnceWhereOthersHaveFailedBefore", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			failure := errors.New("failure")
			for _, want := range []int{2, 1, 1} { // the first batch has no savepoints
				ran := 0
				errs := t.inOneBatch(
					func(context.Context, sqlstore.Conn) error { ran++; return nil },
					func(context.Context, sqlstore.Conn) error { return failure },
				)
				if errs[0] != nil || errs[1] != failure || ran != want {
					t.Errorf("errors %v, and the first ran %d times, want %d", errs, ran, want)
				}
			}
		})
	})
	t.Run("PanicStaysWithItsCaller", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			errs := t.inOneBatch(
				insert("first"),
				func(ctx context.Context, db sqlstore.Conn) error {
					if err := insert("half")(ctx, db); err != nil {
						return err
					}
					panic("bug")
				},
				insert("last"),
			)
			if errs[0] != nil || errs[1] == nil || errs[1].Error() != "panicked: bug" || errs[2] != nil {
				t.Errorf("errors %v", errs)
			}
			t.wantWritten("first", "last")
		})
	})
	t.Run("FailedCommitFailsForAll", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			failure := errors.New("failure")
			fail := func(context.Context, sqlstore.Conn) error { return failure }
			commits := 0
			t.onCommit(func() int { commits++; return commits - 1 }) // all but the first
			errs := t.inOneBatch(insert("first"), fail, insert("last"))
			if errs[0] == nil || errs[1] != failure || errs[2] == nil {
				t.Errorf("errors %v", errs)
			}
			t.wantWritten()

			t.onCommit(nil)
			if err := t.w.write(t.Context(), insert("next")); err != nil {
				t.Error(err)
			}
			t.wantWritten("next")
		})
	})
	t.Run("RefusedCommitLeavesNothingOpen", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			errs := t.inOneBatch(insert("first"), func(ctx context.Context, db sqlstore.Conn) error {
				// A violation that SQLite finds at the commit only; it keeps the
				// transaction open, to be repaired.
				if err := sqlStep(`PRAGMA defer_foreign_keys = ON`)(ctx, db); err != nil {
					return err
				}
				return sqlStep(`INSERT INTO consents (subject, client_id, client_name, created_at) VALUES ('subject', 'nobody', '', 1)`)(ctx, db)
			})
			if errs[0] == nil || errs[1] == nil {
				t.Errorf("errors %v", errs)
			}
			if err := t.w.write(t.Context(), insert("next")); err != nil {
				t.Error(err)
			}
			t.wantWritten("next")
		})
	})
	t.Run("LostTransactionFailsForAll", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			full := sqlite3.Error{Code: sqlite3.ErrFull}
			errs := t.inOneBatch(
				insert("first"),
				func(ctx context.Context, db sqlstore.Conn) error { // as SQLite does when the disk is full
					if err := sqlStep(`ROLLBACK`)(ctx, db); err != nil {
						return err
					}
					return full
				},
				insert("last"),
			)
			if want := []error{full, full, full}; !slices.Equal(errs, want) {
				t.Errorf("errors %v, want %v", errs, want)
			}
			t.wantWritten()
			if err := t.w.write(t.Context(), insert("next")); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("CallerWhoLeavesTheQueueChangesNothing", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			ctx, cancel := context.WithCancel(t.Context())
			left := make(chan error, 1)
			errs := t.inOneBatch(
				insert("first"),
				func(context.Context, sqlstore.Conn) error {
					go func() { left <- t.w.write(ctx, insert("left")) }()
					synctest.Wait() // in the queue for the next batch
					cancel()
					synctest.Wait()
					select {
					case err := <-left: // while this batch still runs
						return err
					default:
						return errors.New("the caller did not leave")
					}
				},
			)
			if errs[0] != nil || errs[1] != context.Canceled {
				t.Errorf("errors %v", errs)
			}
			t.wantWritten("first")
		})
	})
	t.Run("AppointedLeaderCannotLeave", func(t *testing.T) {
		// Or those behind would wait for nobody.
		next := &call{appointed: make(chan bool, 1)}
		w := &writer{queue: []*call{next}, leading: true}
		w.handOver()
		if w.withdraw(next) {
			t.Error("the caller left")
		}
		if !<-next.appointed {
			t.Error("the caller was not appointed")
		}
	})
	t.Run("CloseAnswersThoseWhoWait", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			closed := make(chan error, 1)
			errs := t.inOneBatch(
				func(context.Context, sqlstore.Conn) error {
					go func() { closed <- t.w.close() }()
					synctest.Wait()
					return nil
				},
				insert("last"),
			)
			if err := errors.Join(append(errs, <-closed)...); err != nil {
				t.Error(err)
			}
			if err := t.w.write(t.Context(), insert("late")); !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
			}
			t.wantWritten("last")
		})
	})
}
