package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// NewHosted is a fixture whose users are the host's: whoever who returns is signed in.
func NewHosted(t testing.TB, who func() provider.SignedIn, change ...func(*provider.Config)) *Fixture {
	t.Helper()
	return New(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL:  "https://host.test/login",
			SignOutURL: "https://host.test/logout",
			SignedIn:   func(*http.Request) (provider.SignedIn, error) { return who(), nil },
		}
	}}, change...)...).WithClients()
}

func TestAuthTimeOfAHost(t *testing.T) {
	t.Parallel()
	var at time.Time
	w := NewHosted(t, func() provider.SignedIn { return provider.SignedIn{UserID: "carol", AuthTime: at} })
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
			for _, address := range []string{"/account", AuthorizeURL(), AuthorizeURL("prompt", "none", "client_id", "std")} {
				Shown(t, b.Get(address), http.StatusServiceUnavailable)
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
