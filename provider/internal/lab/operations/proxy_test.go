package operations

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// The first request from a proxy that the configuration does not name is told, once, without what
// its header says.
func TestProxyThatIsNotNamedIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trusted []netip.Prefix
		want    int
	}{
		"NotNamed": {nil, 1},
		"Another":  {[]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, 1},
		"Named":    {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, 0},
	} {
		w := lab.New(t, func(cfg *provider.Config) { cfg.TrustedProxies = c.trusted })
		b := w.NewBrowser()
		b.Get("/signin")
		for range 2 {
			b.Send(http.MethodGet, "/signin", "", "X-Forwarded-For", "203.0.113.77")
		}
		log := w.Log.String()
		if got := strings.Count(log, "Config.TrustedProxies"); got != c.want || strings.Contains(log, "203.0.113.77") {
			t.Errorf("%s: told %d times, want %d\n%s", name, got, c.want, log)
		}
	}
}
