package tokens

import (
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackIdentifyBesideAGroup asks for the status in a group alone, and receives, with it,
// what recognizes the user again: the screen names that, too.
func TestAttackIdentifyBesideAGroup(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "veteran", Title: "Veteran", Groups: []string{"military"}})
	}).WithUsers().WithClients()
	b := w.Alice()
	for _, lang := range []struct{ tag, says string }{{"en", "stands for your account"}, {"de", "für Ihr Konto steht"}} {
		p := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid veteran", "ui_locales", lang.tag))
		if !strings.Contains(p.Text, lang.says) {
			t.Errorf("%s: the screen does not say that the user is recognized: %s", lang.tag, p.Text)
		}
	}
	// Without OpenID Connect there is no such claim.
	if p := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "veteran")); strings.Contains(p.Text, "stands for your account") {
		t.Error("named, and not released")
	}
}
