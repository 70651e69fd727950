package flows

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestFlow(t *testing.T) {
	t.Parallel()
	t.Run("V3FromSignInToAttributes", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser()
		p := b.Open(lab.AuthorizeURL())
		p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
		if !strings.Contains(p.Text, "Veterans Shop") || !strings.Contains(p.Text, "Veteran") {
			t.Fatalf("no consent screen: %s\n%s", p.Status, p.Text)
		}
		answer := lab.Response(t, b.Submit(p, "action", "allow"))
		if answer.Get("state") != "xyz" || answer.Get("iss") != w.Issuer() {
			t.Fatalf("response %v", answer)
		}
		p, tokens := b.Token("code", answer.Get("code"))
		if p.StatusCode != http.StatusOK || tokens["expires_in"] != "300" || tokens["refresh_expires_in"] != "604800" || tokens["id_token"] != nil {
			t.Fatalf("token payload: %s %v", p.Status, tokens)
		}
		_, attributes := b.JSON(b.Get("/api/public/v3/attributes.json?access_token=" + tokens["access_token"].(string)))
		if len(attributes["status"].([]any)) != 1 {
			t.Fatalf("attributes: %v", attributes)
		}
	})
}
