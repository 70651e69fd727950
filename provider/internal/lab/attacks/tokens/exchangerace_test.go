package tokens

import (
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
)

// TestAttackExchangeDuringRevocation exchanges a token at two processes while its application
// revokes it, and afterwards.
func TestAttackExchangeDuringRevocation(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := withAPIs(t, databases.At(t, url))
		raceWithRevocation(t, w, w.Twin(databases.At(t, url), chain))
	})
}

func raceWithRevocation(t *testing.T, w, elsewhere *lab.Fixture) {
	t.Helper()
	b := w.Alice()
	for range 3 {
		tokens := tokensFor(b, "agent", allAPIs, tools)
		token := lab.Member(t, tokens, "access_token")
		const times = 12
		callers := make([]*lab.Browser, times)
		for i := range callers {
			callers[i] = []*lab.Fixture{w, elsewhere}[i%2].NewBrowser()
		}
		got := lab.Race(times, func(i int) string {
			if i == times/2 {
				callers[i].Client("/oauth/revoke", "agent", "token", token)
				return ""
			}
			p, answer := askExchange(callers[i], "tools-api", token)
			if p.StatusCode != http.StatusOK {
				return ""
			}
			return lab.Member(t, answer, "access_token")
		})
		w.Advance(time.Second)
		for _, files := range got {
			if files != "" && seenBy(b, "files-api", files) != nil {
				t.Error("a token in exchange outlives the one that was revoked")
			}
		}
		for _, at := range callers[:2] {
			p, _ := askExchange(at, "tools-api", token)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
		}
	}
}
