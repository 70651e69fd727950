package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

func openTest(t *testing.T, url string) *Store {
	t.Helper()
	store := must(Open(t.Context(), url))(t)
	t.Cleanup(func() { store.Close() })
	return store
}

func exec(t *testing.T, url, statement string) {
	t.Helper()
	db := must(sql.Open("pgx", url))(t)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func client(id string) storage.Client { return storage.Client{ID: id, CreatedAt: time.Unix(1, 0)} }

func TestOpen(t *testing.T) {
	server := pgtest.Shared(t)
	t.Run("AtOnceMigratesOnce", func(t *testing.T) {
		url := server.Schema(t)
		var created atomic.Int64
		errs := make([]error, 8)
		var opened sync.WaitGroup
		for i := range errs {
			opened.Go(func() {
				e, err := openEngine(t.Context(), url)
				if err != nil {
					errs[i] = err
					return
				}
				before := func(query string) error {
					if strings.Contains(query, "CREATE TABLE "+pgx.Identifier{e.schema}.Sanitize()+".grants") {
						created.Add(1)
					}
					return nil
				}
				errs[i] = errors.Join(sqlstore.Migrate(t.Context(), hooked{e, before}, sqlstore.Postgres(e.schema)), e.Close())
			})
		}
		opened.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
		if got := created.Load(); got != 1 {
			t.Errorf("the table was created %d times", got)
		}
	})
	t.Run("AgainFindsTheData", func(t *testing.T) {
		url := server.Schema(t)
		ok(t, openTest(t, url).SaveClient(t.Context(), client("client")))
		if _, err := openTest(t, url).Client(t.Context(), "client"); err != nil {
			t.Error(err)
		}
	})
	t.Run("ExistingCreatesNothing", func(t *testing.T) {
		url := server.Schema(t)
		for range 2 { // the first leaves nothing that the second would take for a database
			store, err := OpenExisting(t.Context(), url)
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("err = %v, want %v", err, fs.ErrNotExist)
			}
			if err == nil {
				store.Close()
			}
		}
		ok(t, openTest(t, url).SaveClient(t.Context(), client("client")))
		store := must(OpenExisting(t.Context(), url))(t)
		defer store.Close()
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Error(err)
		}
	})
	t.Run("RefusesNewerSchema", func(t *testing.T) {
		url := server.Schema(t)
		openTest(t, url)
		exec(t, url, `DROP TABLE events; UPDATE schema_version SET version = version + 1`)
		if _, err := Open(t.Context(), url); !errors.Is(err, storage.ErrNewerSchema) {
			t.Errorf("err = %v, want %v", err, storage.ErrNewerSchema)
		}
		exec(t, url, `CREATE TABLE events ()`) // fails when it has been made again
	})
	t.Run("CurrentOpensNoUnreleasedSchema", func(t *testing.T) {
		url := server.Schema(t)
		openTest(t, url)
		store := must(OpenCurrent(t.Context(), url))(t)
		defer store.Close()
		exec(t, url, `DROP TABLE events; UPDATE schema_version SET version = version - 1`)
		if _, err := OpenCurrent(t.Context(), url); !errors.Is(err, storage.ErrUnreleasedSchema) {
			t.Errorf("err = %v, want %v", err, storage.ErrUnreleasedSchema)
		}
		exec(t, url, `CREATE TABLE events ()`) // fails when it has been made again
		if _, err := OpenCurrent(t.Context(), server.Schema(t)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an empty schema: err = %v, want %v", err, fs.ErrNotExist)
		}
	})
	t.Run("NoticesANewerSchema", func(t *testing.T) {
		url := server.Schema(t)
		store := openTest(t, url)
		exec(t, url, `UPDATE schema_version SET version = version + 1`)
		if err := store.Ping(t.Context()); !errors.Is(err, storage.ErrNewerSchema) || !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("err = %v, want %v", err, storage.ErrNewerSchema)
		}
		if _, err := store.Keys(t.Context()); !errors.Is(err, storage.ErrNewerSchema) {
			t.Errorf("a read: err = %v, want %v", err, storage.ErrNewerSchema)
		}
	})
	t.Run("InterruptedMigrationRunsAgain", func(t *testing.T) {
		url := server.Schema(t)
		e := must(openEngine(t.Context(), url))(t)
		defer e.Close()
		interrupted := errors.New("interrupted")
		for statement := 1; ; statement += 1 + statement/8 { // all of them take a minute
			left := statement
			before := func(string) error {
				if left--; left == 0 {
					return interrupted
				}
				return nil
			}
			err := sqlstore.Migrate(t.Context(), hooked{e, before}, sqlstore.Postgres(e.schema))
			if err == nil {
				if statement < 20 { // there are more tables and indexes than that
					t.Errorf("the migration was interrupted %d times", statement-1)
				}
				break
			}
			if !errors.Is(err, interrupted) {
				t.Fatal(err)
			}
		}
		if err := openTest(t, url).SaveClient(t.Context(), client("client")); err != nil {
			t.Error(err)
		}
	})
	t.Run("BoundsThePool", func(t *testing.T) {
		url := server.Schema(t)
		e := must(openEngine(t.Context(), url+"&pool_max_conns=3"))(t)
		defer e.Close()
		if got := e.db.Stats().MaxOpenConnections; got != 3 {
			t.Errorf("%d connections, want 3", got)
		}
		for _, wrong := range []string{"0", "-1", "many"} {
			if _, err := openEngine(t.Context(), url+"&pool_max_conns="+wrong); err == nil {
				t.Errorf("pool_max_conns=%s was taken", wrong)
			}
		}
	})
}

// hooked is an engine that calls a function before each statement of a
// transaction, which fails when the function does.
type hooked struct {
	sqlstore.Engine
	before func(query string) error
}

func (h hooked) Write(ctx context.Context, step sqlstore.Step) error {
	return h.Engine.Write(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		return step(ctx, hookedConn{db, h.before})
	})
}

type hookedConn struct {
	sqlstore.Conn
	before func(query string) error
}

func (c hookedConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := c.before(query); err != nil {
		return nil, err
	}
	return c.Conn.ExecContext(ctx, query, args...)
}

// TestSweep tests that a session which is used while it is swept stays.
func TestSweep(t *testing.T) {
	url := pgtest.Shared(t).Schema(t)
	store := openTest(t, url+"&application_name=sweeper")
	start := time.Unix(1_000_000, 0)
	session := storage.Session{
		AccountID: "account", CreatedAt: start, LastSeenAt: start, ExpiresAt: start.Add(24 * time.Hour), IdleUntil: start.Add(time.Hour),
	}
	if err := errors.Join(
		store.CreateAccount(t.Context(), storage.Account{ID: "account", CreatedAt: start}),
		store.CreateSession(t.Context(), session, storage.Proof{}, storage.Digest{1}),
	); err != nil {
		t.Fatal(err)
	}
	db := must(sql.Open("pgx", url))(t)
	defer db.Close()
	use := must(db.BeginTx(t.Context(), nil))(t)
	defer use.Rollback()
	if _, err := use.ExecContext(t.Context(), `UPDATE sessions SET idle_until = expires_at`); err != nil {
		t.Fatal(err)
	}

	swept := make(chan int, 1)
	go func() {
		n, err := store.Sweep(t.Context(), start.Add(time.Hour), 10)
		if err != nil {
			t.Error(err)
		}
		swept <- n
	}()
	for waiting := 0; waiting == 0; { // until the sweep wants the row
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE application_name = 'sweeper' AND wait_event_type = 'Lock'`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, use.Commit())
	if n := <-swept; n != 0 {
		t.Errorf("%d rows were swept", n)
	}
	if _, _, err := store.Session(t.Context(), session.Digest); err != nil {
		t.Error(err)
	}
}

// ok ends a test when a step on which it relies has failed.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns what a call has returned, in a test that ends when it has failed.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}
