package accounts

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestAuthTimeOfAHost(t *testing.T) {
	t.Parallel()
	var at time.Time
	w := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{UserID: "carol", AuthTime: at} })
	b := w.NewBrowser()
	for name, c := range map[string]struct {
		at   time.Time
		says string
	}{
		"Missing":        {time.Time{}, "AuthTime is missing"},
		"Epoch":          {time.Unix(0, 0), "is not after 1970"},
		"Negative":       {time.Unix(-62135596799, 0), "is not after 1970"},
		"InTwoMinutes":   {time.Now().Add(2 * time.Minute), "in the future"},
		"InMilliseconds": {time.Unix(time.Now().UnixMilli(), 0), "in the future"},
	} {
		t.Run(name+"IsAnErrorOfTheHost", func(t *testing.T) {
			at = c.at
			for _, address := range []string{"/account", lab.AuthorizeURL(), lab.AuthorizeURL("prompt", "none", "client_id", "std")} {
				lab.Shown(t, b.Get(address), http.StatusServiceUnavailable)
			}
			if !strings.Contains(w.Log.String(), c.says) || !strings.Contains(w.Log.String(), "level=ERROR") {
				t.Errorf("the log does not say that it %s", c.says)
			}
		})
	}
	t.Run("SomeSecondsAheadIsAccepted", func(t *testing.T) {
		at = time.Now().Add(30 * time.Second)
		if p := b.Get("/account"); p.StatusCode != http.StatusOK {
			t.Errorf("answered %s", p.Status)
		}
	})
}
