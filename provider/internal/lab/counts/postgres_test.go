//go:build cgo && !race

package counts

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// trips are how often each operation waits for PostgreSQL, which is what it takes where that is
// far, and how many statements it sends.
var trips = []struct {
	name              string
	trips, statements int
}{
	{"flow", 2, 8}, {"refresh", 2, 5},
	{"flow, cold", 7, 13}, {"introspection, cold", 2, 2}, {"userinfo, cold", 3, 3},
}

// TestRoundTrips counts what an operation waits for when the connections are warm. The median
// leaves out the look at the version of the schema, of which there is one a second.
func TestRoundTrips(t *testing.T) {
	server := pgtest.Shared(t)
	t.Run("Directly", func(t *testing.T) { countTrips(t, server.Schema(t), "") })
	t.Run("ThroughPgBouncer", func(t *testing.T) {
		countTrips(t, server.Pooler(t)(server.Schema(t)), "&default_query_exec_mode=exec")
	})
}

func countTrips(t *testing.T, url, parameters string) {
	proxy := pgtest.NewProxy(t, url)
	store := testkit.Must(postgres.Open(t.Context(), proxy.URL+parameters))(t)
	newSite(t, func(c *provider.Config) { c.Store = store }).compareTrips(t, proxy)
}

// compareTrips compares how often the database is waited for.
func (s *site) compareTrips(t *testing.T, proxy *pgtest.Proxy) {
	t.Helper()
	operations := s.operations()
	for _, f := range trips {
		s.flow(&counter{handler: s.program.handler}) // with fresh tokens
		var waits, sends []int
		for range 2 * repeats {
			waited, sent := proxy.RoundTrips(), proxy.Statements()
			operations[f.name](&counter{handler: s.program.handler})
			waits, sends = append(waits, proxy.RoundTrips()-waited), append(sends, proxy.Statements()-sent)
		}
		middle := func(of []int) int {
			of = slices.Sorted(slices.Values(of[repeats:]))
			return of[repeats/2]
		}
		if got := middle(waits); got != f.trips {
			t.Errorf("%s takes %d round trips instead of %d", f.name, got, f.trips)
		}
		if got := middle(sends); got != f.statements {
			t.Errorf("%s sends %d statements instead of %d", f.name, got, f.statements)
		}
	}
}

// TestNoTableIsReadWhole is about the first minute of a database: until PostgreSQL has counted what is
// in it, it plans by a guess, and a plan that reads all of a growing table looks good to it.
func TestNoTableIsReadWhole(t *testing.T) {
	url := pgtest.Shared(t).Schema(t)
	store := testkit.Must(postgres.Open(t.Context(), url+"&application_name=counted"))(t)
	s := newSite(t, func(c *provider.Config) { c.Store = store })
	none := &counter{handler: s.program.handler}
	for range 2 * repeats { // the first five plans of a statement are of its arguments
		s.flow(none)
		s.refresh(none)
	}
	testkit.OK(t, store.Close()) // connections say what they have read when they end
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	for open := 1; open > 0; time.Sleep(10 * time.Millisecond) {
		testkit.OK(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'`).Scan(&open))
	}
	rows := testkit.Must(db.QueryContext(t.Context(), `SELECT relname, seq_tup_read FROM pg_stat_user_tables
		WHERE schemaname = current_schema() AND n_tup_ins > $1`, repeats))(t)
	defer rows.Close()
	tables := 0
	for ; rows.Next(); tables++ {
		var name string
		var read int
		testkit.OK(t, rows.Scan(&name, &read))
		if read > 0 {
			t.Errorf("%d rows of %s were read that no index had found", read, name)
		}
	}
	if testkit.OK(t, rows.Err()); tables < 2 {
		t.Errorf("%d tables have grown: those of grants and tokens should", tables)
	}
}
