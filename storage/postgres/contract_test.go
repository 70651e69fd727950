package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	borrow := lender(t, pgtest.Shared(t))
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		url := borrow(t)
		return func() storage.Store { return open(t, url) }
	})
}

func TestDevelopersContract(t *testing.T) {
	t.Parallel()
	borrow := lender(t, pgtest.Shared(t))
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		url := borrow(t)
		return func() storagetest.DeveloperStore { return open(t, url) }
	})
}

func TestVerificationContract(t *testing.T) {
	t.Parallel()
	borrow := lender(t, pgtest.Shared(t))
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		url := borrow(t)
		return func() storagetest.VerificationStore { return open(t, url) }
	})
}

func TestDeskContract(t *testing.T) {
	t.Parallel()
	borrow := lender(t, pgtest.Shared(t))
	storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
		url := borrow(t)
		return func() storagetest.DeskStore { return open(t, url) }
	})
}

// A schema of a lender and the connection that empties it: a new one would read about all
// tables first.
type schema struct {
	url string
	db  *sql.DB
}

// lender returns a function that lends schemas to the subtests of a test: it takes less time
// to empty a schema than to make one.
func lender(whole *testing.T, server *pgtest.Server) func(t *testing.T) (url string) {
	var mu sync.Mutex
	var free []schema
	return func(t *testing.T) string {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(free) == 0 {
			url := server.Schema(whole)
			db, err := sql.Open("pgx", url)
			if err != nil {
				t.Fatal(err)
			}
			db.SetMaxOpenConns(1)
			whole.Cleanup(func() { db.Close() })
			free = []schema{{url, db}}
		}
		lent := free[0]
		free = free[1:]
		t.Cleanup(func() {
			empty(t, lent.db)
			mu.Lock()
			defer mu.Unlock()
			free = append(free, lent)
		})
		return lent.url
	}
}

// empty leaves of a schema what the migrations have left.
func empty(t *testing.T, db *sql.DB) {
	t.Helper()
	// Not the context of the test, which has ended. A replica checks no foreign keys, so
	// that the order of the tables does not matter.
	_, err := db.ExecContext(context.Background(), `DO $$ DECLARE name text; BEGIN
		SET LOCAL session_replication_role = replica;
		FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema AND tablename NOT IN ('schema_version', 'event_log') LOOP
			EXECUTE format('DELETE FROM %I', name);
		END LOOP;
		UPDATE event_log SET sealed = 0, swept = 0;
	END $$`)
	if err != nil {
		t.Fatal(err)
	}
}

// TestContractBehindAPooler runs the shortest of the contracts, with its races and deeds, through PgBouncer in
// transaction mode. The others use the same connections in the same way.
func TestContractBehindAPooler(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	through, borrow := server.Pooler(t), lender(t, server)
	url := func(t *testing.T) string { return through(borrow(t)) + "&default_query_exec_mode=exec" }
	storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
		url := url(t)
		return func() storagetest.DeskStore { return open(t, url) }
	})
}

// TestPoolerAndPreparedStatements tests that the URL which works without a pooler and
// not with one is answered by what to add to it.
func TestPoolerAndPreparedStatements(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.Pooler(t)(server.Schema(t))
	for range 10 { // the first may have a server's session to itself
		store, err := postgres.Open(t.Context(), url)
		if err == nil {
			store.Close()
			continue
		}
		if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			t.Errorf("err = %v, want one that says what to add", err)
		}
		return
	}
	t.Error("statements are prepared in sessions that are shared, and nobody noticed")
}

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
