package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bonafide-id/bonafide/internal/pgtest"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

func openTest(t *testing.T, url string) *Store {
	t.Helper()
	store, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func exec(t *testing.T, url, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func client(id string) storage.Client { return storage.Client{ID: id, CreatedAt: time.Unix(1, 0)} }

func TestOpen(t *testing.T) {
	server := pgtest.Start(t)
	t.Run("AtOnceMigratesOnce", func(t *testing.T) {
		url := server.Schema(t)
		errs := make([]error, 8)
		var opened sync.WaitGroup
		for i := range errs {
			opened.Go(func() {
				store, err := Open(t.Context(), url)
				if err == nil {
					err = store.Close()
				}
				errs[i] = err
			})
		}
		opened.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
	t.Run("AgainFindsTheData", func(t *testing.T) {
		url := server.Schema(t)
		if err := openTest(t, url).SaveClient(t.Context(), client("client")); err != nil {
			t.Fatal(err)
		}
		if _, err := openTest(t, url).Client(t.Context(), "client"); err != nil {
			t.Error(err)
		}
	})
	t.Run("RefusesNewerSchema", func(t *testing.T) {
		url := server.Schema(t)
		openTest(t, url)
		exec(t, url, `UPDATE schema_version SET version = version + 1`)
		if _, err := Open(t.Context(), url); !errors.Is(err, sqlstore.ErrNewerSchema) {
			t.Errorf("err = %v, want %v", err, sqlstore.ErrNewerSchema)
		}
	})
	t.Run("InterruptedMigrationRunsAgain", func(t *testing.T) {
		url := server.Schema(t)
		e, err := openEngine(url)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		interrupted := errors.New("interrupted")
		for statement := 1; ; statement++ {
			err := sqlstore.Migrate(t.Context(), failing{e, statement, interrupted}, sqlstore.Postgres)
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
		e, err := openEngine(url + "&pool_max_conns=3")
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if got := e.db.Stats().MaxOpenConnections; got != 3 {
			t.Errorf("%d connections, want 3", got)
		}
		for _, wrong := range []string{"0", "-1", "many"} {
			if _, err := openEngine(url + "&pool_max_conns=" + wrong); err == nil {
				t.Errorf("pool_max_conns=%s was taken", wrong)
			}
		}
	})
}

// failing is an engine whose nth statement fails.
type failing struct {
	*engine
	statement int
	err       error
}

func (f failing) Write(ctx context.Context, step sqlstore.Step) error {
	return f.engine.Write(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		return step(ctx, &failingConn{Conn: db, left: f.statement, err: f.err})
	})
}

type failingConn struct {
	sqlstore.Conn
	left int
	err  error
}

func (c *failingConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if c.left--; c.left == 0 {
		return nil, c.err
	}
	return c.Conn.ExecContext(ctx, query, args...)
}

// TestFaults tests that a database that cannot serve never looks like one that has
// no such record.
func TestFaults(t *testing.T) {
	server := pgtest.Start(t)
	isUnavailable := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrNotFound) {
			t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
		}
	}
	t.Run("NoServer", func(t *testing.T) {
		_, err := Open(t.Context(), "postgres://user:s3cret@127.0.0.1:1/db")
		isUnavailable(t, err)
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error tells the password: %v", err)
		}
	})
	t.Run("BrokenURL", func(t *testing.T) {
		_, err := Open(t.Context(), "postgres://user:s3cret@host:port/db")
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("err = %v, want one without the password", err)
		}
	})
	t.Run("LostConnection", func(t *testing.T) {
		url := server.Schema(t)
		proxy := startProxy(t, url)
		store := openTest(t, proxy.url)
		if err := store.SaveClient(t.Context(), client("client")); err != nil {
			t.Fatal(err)
		}
		proxy.cut()
		_, err := store.Client(t.Context(), "client")
		isUnavailable(t, err)
		isUnavailable(t, store.SaveClient(t.Context(), client("other")))
		isUnavailable(t, store.Ping(t.Context()))

		proxy.listen(t)
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("after the connection came back: %v", err)
		}
	})
	t.Run("KilledConnections", func(t *testing.T) {
		url := server.Schema(t)
		store := openTest(t, url+"&application_name=victim")
		if err := store.SaveClient(t.Context(), client("client")); err != nil {
			t.Fatal(err)
		}
		exec(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`)
		for range 3 {
			if _, err := store.Client(t.Context(), "client"); err != nil {
				isUnavailable(t, err)
			}
		}
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("the store did not connect anew: %v", err)
		}
	})
	t.Run("ReadOnlyServer", func(t *testing.T) {
		url := server.Schema(t)
		if err := openTest(t, url).SaveClient(t.Context(), client("client")); err != nil {
			t.Fatal(err)
		}
		store := openTest(t, url+"&default_transaction_read_only=on")
		if _, err := store.Client(t.Context(), "client"); err != nil {
			t.Errorf("read: %v", err)
		}
		isUnavailable(t, store.SaveClient(t.Context(), client("other")))
	})
	t.Run("LockedRow", func(t *testing.T) {
		url := server.Schema(t)
		if err := openTest(t, url).SaveClient(t.Context(), client("client")); err != nil {
			t.Fatal(err)
		}
		lockRow(t, url)
		isUnavailable(t, openTest(t, url+"&lock_timeout=20").SaveClient(t.Context(), client("client")))
		isUnavailable(t, openTest(t, url+"&statement_timeout=20").SaveClient(t.Context(), client("client")))

		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := openTest(t, url).SaveClient(ctx, client("client")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

// lockRow holds the locks of all clients until the end of the test.
func lockRow(t *testing.T, url string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), `SELECT 1 FROM clients FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
}

// proxy stands between a store and the server.
type proxy struct {
	url, socket, network, server string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

func startProxy(t *testing.T, url string) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &proxy{
		url: fmt.Sprintf("host=%s user=%s password=%s dbname=%s search_path=%s",
			dir, config.User, config.Password, config.Database, config.RuntimeParams["search_path"]),
		socket: filepath.Join(dir, ".s.PGSQL.5432"),
	}
	p.network, p.server = pgconn.NetworkAddress(config.Host, config.Port)
	p.listen(t)
	t.Cleanup(p.cut)
	return p
}

func (p *proxy) listen(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.listener = listener
	p.mu.Unlock()
	go func() {
		for {
			front, err := listener.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial(p.network, p.server)
			if err != nil {
				front.Close()
				return
			}
			p.mu.Lock()
			p.conns = append(p.conns, front, back)
			p.mu.Unlock()
			go io.Copy(front, back)
			go io.Copy(back, front)
		}
	}()
}

// cut ends all connections and accepts no more.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener.Close()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}

func TestRetry(t *testing.T) {
	conflict := &pgconn.PgError{Code: serializationFailure}
	t.Run("UntilItSucceeds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			err := new(engine).retry(t.Context(), func() error {
				if attempts++; attempts < 5 {
					return fmt.Errorf("exec: %w", conflict)
				}
				return nil
			})
			if err != nil || attempts != 5 {
				t.Errorf("%d attempts, then %v", attempts, err)
			}
		})
	})
	t.Run("NoLongerThanPatience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := new(engine).retry(t.Context(), func() error { return conflict })
			if !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
			}
			if waited := time.Since(start); waited < patience || waited > patience+time.Second {
				t.Errorf("gave up after %v, want %v", waited, patience)
			}
		})
	})
	t.Run("NotWhenTheContextEnds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := new(engine).retry(ctx, func() error { return conflict }); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v, want %v", err, context.DeadlineExceeded)
			}
		})
	})
	t.Run("NotWhenTheOutcomeIsUnknown", func(t *testing.T) {
		attempts := 0
		err := new(engine).retry(t.Context(), func() error { attempts++; return io.ErrUnexpectedEOF })
		if !errors.Is(err, storage.ErrUnavailable) || attempts != 1 {
			t.Errorf("%d attempts, then %v", attempts, err)
		}
	})
	t.Run("AfterADeadlock", func(t *testing.T) {
		url := pgtest.Start(t).Schema(t)
		store := openTest(t, url)
		for _, id := range []string{"a", "b"} {
			if err := store.SaveClient(t.Context(), client(id)); err != nil {
				t.Fatal(err)
			}
		}
		e, err := openEngine(url)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		// Each transaction holds what the other one wants next.
		var holding, done sync.WaitGroup
		holding.Add(2)
		attempts := make([]int, 2)
		for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
			done.Go(func() {
				err := e.Write(t.Context(), func(ctx context.Context, db sqlstore.Conn) error {
					attempts[i]++
					for n, id := range order {
						if _, err := db.ExecContext(ctx, `UPDATE clients SET document = document WHERE id = $1`, id); err != nil {
							return err
						}
						if n == 0 && attempts[i] == 1 {
							holding.Done()
							holding.Wait()
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		if attempts[0]+attempts[1] != 3 {
			t.Errorf("attempts %v, want one more for the loser", attempts)
		}
	})
}
