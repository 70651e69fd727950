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
	"github.com/bonafide-id/bonafide/storage/sqlstore"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// TestContract has its parts share the schemas that they empty.
func TestContract(t *testing.T) {
	t.Parallel()
	borrow := lender(t, pgtest.Shared(t), func(url string) string { return url })
	t.Run("Store", func(t *testing.T) {
		t.Parallel()
		storagetest.Run(t, databases[storage.Store](borrow))
	})
	t.Run("Developers", func(t *testing.T) {
		t.Parallel()
		storagetest.RunDevelopers(t, databases[storagetest.DeveloperStore](borrow))
	})
	t.Run("Verification", func(t *testing.T) {
		t.Parallel()
		storagetest.RunVerification(t, databases[storagetest.VerificationStore](borrow))
	})
	t.Run("Desk", func(t *testing.T) {
		t.Parallel()
		storagetest.RunDesk(t, databases[storagetest.DeskStore](borrow))
	})
	t.Run("Signals", func(t *testing.T) {
		t.Parallel()
		storagetest.RunSignals(t, databases[storagetest.SignalStore](borrow))
	})
	t.Run("Credentials", func(t *testing.T) {
		t.Parallel()
		storagetest.RunCredentials(t, databases[storagetest.CredentialStore](borrow))
	})
}

// TestContractSerializable runs the contract, in short its races, where the database aborts every transaction that
// would not have been the same alone, as distributed ones do.
func TestContractSerializable(t *testing.T) {
	t.Parallel()
	var proxies []*pgtest.Proxy
	borrow := lender(t, pgtest.Shared(t), func(url string) string {
		proxies = append(proxies, pgtest.NewProxy(t, url))
		return proxies[len(proxies)-1].URL + "&default_transaction_isolation=serializable"
	})
	run := storagetest.Run
	if testing.Short() {
		run = storagetest.RunRaces
	}
	run(t, databases[storage.Store](borrow))
	conflicts := 0
	for _, proxy := range proxies {
		conflicts += proxy.Conflicts()
	}
	if t.Logf("%d conflicts", conflicts); conflicts == 0 {
		t.Error("no transaction was aborted in favour of another")
	}
}

// databases returns what makes a database for a part of the contract.
func databases[S storage.Store](borrow func(t *testing.T) (open func() *lent)) func(t *testing.T) func() S {
	return func(t *testing.T) func() S {
		open := borrow(t)
		return func() S { return any(open()).(S) }
	}
}

// A schema of a lender, the connection that empties it, and stores on it that are in no use: a
// new connection would read about all tables first.
type schema struct {
	url  string
	db   *sql.DB
	idle []*postgres.Store
}

// lent is a store that goes back to its schema when the test ends, unless the test has closed it.
type lent struct {
	*postgres.Store
	t      *testing.T
	from   *schema
	closed bool
}

func (l *lent) Close() error {
	if l.closed || l.t.Context().Err() == nil {
		l.closed = true
		return l.Store.Close()
	}
	l.from.idle = append(l.from.idle, l.Store)
	return nil
}

// lender returns a function that lends schemas to the subtests of a test, to which they connect through
// another address: it takes less time to empty a schema than to make one.
func lender(whole *testing.T, server *pgtest.Server, through func(url string) string) func(t *testing.T) (open func() *lent) {
	var mu sync.Mutex
	var free []*schema
	return func(t *testing.T) func() *lent {
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
			defineEmpty(whole, db)
			// Fewer connections than calls at once, so that they also wait for each other, and each
			// prepares its statements.
			made := &schema{url: through(url) + "&pool_max_conns=4", db: db}
			whole.Cleanup(func() {
				for _, store := range made.idle {
					store.Close()
				}
				db.Close()
			})
			free = append(free, made)
		}
		borrowed := free[len(free)-1] // which has idle stores
		free = free[:len(free)-1]
		t.Cleanup(func() {
			// Not the context of the test, which has ended.
			if _, err := borrowed.db.ExecContext(context.Background(), `SELECT pg_temp.empty()`); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			free = append(free, borrowed)
		})
		return func() *lent {
			if last := len(borrowed.idle) - 1; last >= 0 {
				store := borrowed.idle[last]
				borrowed.idle = borrowed.idle[:last]
				return &lent{Store: store, t: t, from: borrowed}
			}
			return &lent{Store: open(t, borrowed.url), t: t, from: borrowed}
		}
	}
}

// defineEmpty makes a function of a connection that leaves of its schema what the migrations have
// left, in statements that are planned once.
func defineEmpty(t *testing.T, db *sql.DB) {
	t.Helper()
	tables, err := sqlstore.Postgres("").Tables()
	if err != nil {
		t.Fatal(err)
	}
	var deletes strings.Builder
	for _, table := range tables {
		if table != "schema_version" && table != "event_log" {
			deletes.WriteString("DELETE FROM " + table + ";")
		}
	}
	// A replica checks no foreign keys, so that the order of the tables does not matter.
	if _, err := db.ExecContext(t.Context(), `CREATE FUNCTION pg_temp.empty() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
		SET LOCAL session_replication_role = replica; `+deletes.String()+`
		UPDATE event_log SET sealed = 0, swept = 0, swept_turn = 0, swept_id = 0;
	END $$`); err != nil {
		t.Fatal(err)
	}
}

// TestContractBehindAPooler runs the shortest of the contracts, with its races and deeds, through PgBouncer in
// transaction mode. The others use the same connections in the same way.
func TestContractBehindAPooler(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	through := server.Pooler(t)
	borrow := lender(t, server, func(url string) string { return through(url) + "&default_query_exec_mode=exec" })
	storagetest.RunDesk(t, databases[storagetest.DeskStore](borrow))
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
