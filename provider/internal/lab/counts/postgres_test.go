//go:build cgo && !race

package counts

import (
	"slices"
	"testing"

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
