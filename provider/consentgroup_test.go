package provider_test

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestAnswerIsWhatTheButtonSays compares what the consent screen says of a status with what
// the application is answered.
func TestAnswerIsWhatTheButtonSays(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.ok(w.SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	for _, c := range []struct {
		b        *browser
		verified bool
	}{{w.alice(), true}, {w.bob(), false}} {
		p := c.b.open(authorizeURL("scope", "student"))
		warned, without := strings.Contains(p.body, "sees that you aren’t verified"), strings.Contains(p.body, ">Share without verification<")
		if warned == c.verified || without == c.verified {
			t.Errorf("verified %v: the screen warns: %v, the button does: %v", c.verified, warned, without)
		}
		_, tokens := c.b.token("code", response(t, c.b.submit(p, "action", "allow")).Get("code"))
		_, attributes := c.b.json(c.b.bearer(attributesPath, text(t, tokens, "access_token")))
		status := attributes["status"].([]any)[0].(map[string]any)
		if status["group"] != "student" || status["verified"] != c.verified {
			t.Errorf("verified %v: answered %v", c.verified, status)
		}
	}
}
