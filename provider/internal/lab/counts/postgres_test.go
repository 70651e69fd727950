//go:build cgo && !race

package counts

import (
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// trips are how often each operation waits for PostgreSQL, which is what it takes where that is far.
var trips = []struct {
	name string
	want int
}{
	{"flow", 2}, {"refresh", 2},
	{"flow, cold", 7}, {"introspection, cold", 2}, {"userinfo, cold", 3},
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
	store, err := postgres.Open(t.Context(), proxy.URL+parameters)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *provider.Config) { c.Store = store })
	operations := s.operations()
	for _, f := range trips {
		s.flow(&counter{handler: s.program.handler}) // with fresh tokens
		var took []int
		for range 2 * repeats {
			before := proxy.RoundTrips()
			operations[f.name](&counter{handler: s.program.handler})
			took = append(took, proxy.RoundTrips()-before)
		}
		took = took[repeats:]
		slices.Sort(took)
		if got := took[repeats/2]; got != f.want {
			t.Errorf("%s takes %d round trips instead of %d", f.name, got, f.want)
		}
	}
}
