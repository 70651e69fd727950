package provider_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestFlow(t *testing.T) {
	t.Parallel()
	t.Run("V3FromSignInToAttributes", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser()
		p := b.open(authorizeURL())
		p = b.submit(p, "email", "alice@example.com", "password", alicePass)
		if !strings.Contains(p.body, "Veterans Shop") || !strings.Contains(p.body, "Veteran") {
			t.Fatalf("no consent screen: %s\n%s", p.Status, p.body)
		}
		answer := response(t, b.submit(p, "action", "allow"))
		if answer.Get("state") != "xyz" || answer.Get("iss") != w.Issuer() {
			t.Fatalf("response %v", answer)
		}
		p, tokens := b.token("code", answer.Get("code"))
		if p.StatusCode != http.StatusOK || tokens["expires_in"] != "300" || tokens["refresh_expires_in"] != "604800" || tokens["id_token"] != nil {
			t.Fatalf("token payload: %s %v", p.Status, tokens)
		}
		_, attributes := b.json(b.get("/api/public/v3/attributes.json?access_token=" + tokens["access_token"].(string)))
		if len(attributes["status"].([]any)) != 1 {
			t.Fatalf("attributes: %v", attributes)
		}
	})
}
