package flows

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAnswerIsWhatTheButtonSays compares what the consent screen says of a status with what
// the application is answered.
func TestAnswerIsWhatTheButtonSays(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	for _, c := range []struct {
		b        *lab.Browser
		verified bool
	}{{w.Alice(), true}, {w.Bob(), false}} {
		p := c.b.Open(lab.AuthorizeURL("scope", "student"))
		warned, without := strings.Contains(p.Text, "sees that you aren’t verified"), strings.Contains(p.Text, ">Share without verification<")
		if warned == c.verified || without == c.verified {
			t.Errorf("verified %v: the screen warns: %v, the button does: %v", c.verified, warned, without)
		}
		_, tokens := c.b.Token("code", lab.Response(t, c.b.Submit(p, "action", "allow")).Get("code"))
		_, attributes := c.b.JSON(c.b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")))
		status := attributes["status"].([]any)[0].(map[string]any)
		if status["group"] != "student" || status["verified"] != c.verified {
			t.Errorf("verified %v: answered %v", c.verified, status)
		}
	}
}
