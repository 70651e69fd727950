package tokens

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackExchangeOfWhatWasWithdrawn exchanges a token after its application has lost what the
// exchange needs, while the token itself stays good.
func TestAttackExchangeOfWhatWasWithdrawn(t *testing.T) {
	t.Parallel()
	change := func(w *lab.Fixture, id string, edit func(*storage.Client)) {
		row, err := w.Store.Client(w.T.Context(), id)
		w.OK(err)
		edit(&row)
		w.OK(w.Store.SaveClient(w.T.Context(), row))
	}
	for name, c := range map[string]struct {
		withdraw func(w *lab.Fixture)
		code     string
	}{
		"the other API": {func(w *lab.Fixture) {
			change(w, "agent", func(c *storage.Client) { c.Resources = tools })
		}, "invalid_target"},
		"the other API of the host": {func(w *lab.Fixture) {
			change(w, "tools-api", func(c *storage.Client) { c.Resources = tools })
		}, "invalid_target"},
		"a weak sign-in": {func(w *lab.Fixture) {
			change(w, "agent", func(c *storage.Client) { c.Requires.Assurance = storage.PhishingResistant })
		}, "invalid_request"},
		"the secret of the API": {func(w *lab.Fixture) {
			change(w, "tools-api", func(c *storage.Client) { c.Public, c.AuthMethod, c.Secrets = true, "none", nil })
		}, "unauthorized_client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withAPIs(t)
			b := w.Alice()
			token := toolsToken(b)
			exchanged(b, "tools-api", token)
			c.withdraw(w)
			w.Advance(time.Second)
			var pairs []string
			if c.code == "unauthorized_client" {
				pairs = []string{"client_secret", ""}
			}
			before := w.Count("tokens")
			p, _ := askExchange(b, "tools-api", token, pairs...)
			lab.Refused(t, p, http.StatusBadRequest, c.code)
			if after := w.Count("tokens"); after != before {
				t.Errorf("%d tokens were written", after-before)
			}
		})
	}
}

// TestAttackExchangeThatTheHostRefuses asks the host about the user, the application of the grant and
// the scopes of the new token.
func TestAttackExchangeThatTheHostRefuses(t *testing.T) {
	t.Parallel()
	var refusing, broken atomic.Bool
	w := withAPIs(t, func(c *provider.Config) {
		c.Authorize = func(_ context.Context, userID, clientID string, scopes []string) error {
			switch {
			case userID != "alice" || clientID != "agent":
				t.Errorf("asked about %s at %s", userID, clientID)
			case broken.Load():
				return storage.ErrUnavailable
			case refusing.Load() && len(scopes) == 1 && scopes[0] == "files:read":
				return provider.Refusal{Message: "Not from there."}
			}
			return nil
		}
	})
	b := w.Alice()
	token := toolsToken(b)
	refusing.Store(true)
	p, _ := askExchange(b, "tools-api", token)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	broken.Store(true)
	if p, _ := askExchange(b, "tools-api", token); p.StatusCode < http.StatusInternalServerError {
		t.Errorf("a host that cannot answer: %s %s", p.Status, p.Text)
	}
	broken.Store(false)
	refusing.Store(false)
	exchanged(b, "tools-api", token)
}
