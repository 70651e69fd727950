package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// hostedFixture is a fixture whose users are the host's: whoever who returns is signed in.
func hostedFixture(t testing.TB, who func() provider.SignedIn, change ...func(*provider.Config)) *fixture {
	t.Helper()
	return newFixture(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL:  "https://host.test/login",
			SignOutURL: "https://host.test/logout",
			SignedIn:   func(*http.Request) (provider.SignedIn, error) { return who(), nil },
		}
	}}, change...)...).withClients()
}

func TestAuthTimeOfAHost(t *testing.T) {
	t.Parallel()
	var at time.Time
	w := hostedFixture(t, func() provider.SignedIn { return provider.SignedIn{UserID: "carol", AuthTime: at} })
	b := w.newBrowser()
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
			for _, address := range []string{"/account", authorizeURL(), authorizeURL("prompt", "none", "client_id", "std")} {
				shown(t, b.get(address), http.StatusServiceUnavailable)
			}
			if !strings.Contains(w.log.String(), c.says) || !strings.Contains(w.log.String(), "level=ERROR") {
				t.Errorf("the log does not say that it %s", c.says)
			}
		})
	}
	t.Run("SomeSecondsAheadIsAccepted", func(t *testing.T) {
		at = time.Now().Add(30 * time.Second)
		if p := b.get("/account"); p.StatusCode != http.StatusOK {
			t.Errorf("answered %s", p.Status)
		}
	})
}
