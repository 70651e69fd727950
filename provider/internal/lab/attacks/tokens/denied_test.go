package tokens

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestPolicyNarrows tests that what clients were allowed that nobody has registered ends where
// the host no longer lets them in, and that users find and end what they have allowed.
func TestPolicyNarrows(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]provider.UnknownClients{
		"Denied": {Documents: true, Deny: []string{"127.0.0.1"}}, "NotAllowed": {Documents: true, Allow: []string{"*.example"}}, "Off": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newUnknown(t)
			b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
			got, tokens := d.redeem(b, code, callback)
			lab.Granted(t, got, tokens)
			apps := b.Open("/account/apps")
			if !strings.Contains(apps.Text, "Registered by nobody") || !strings.Contains(apps.Text, "Code Helper") {
				t.Errorf("the apps of the account: %s", apps.Text)
			}
			store, err := sqlite.Open(t.Context(), w.Path)
			if err != nil {
				t.Fatal(err)
			}
			narrower, err := provider.New(t.Context(), provider.Config{
				BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: store, Mailer: w.Mails, Clock: w.Now, AllowPrivateNetworks: true, UnknownClients: policy,
			})
			if err != nil {
				t.Fatal(err)
			}
			former := w.Provider
			t.Cleanup(func() {
				w.Provider = former
				_ = narrower.Close()
			})
			w.Provider = narrower
			w.Advance(time.Second)
			if got, refused := d.refresh(b, tokens["refresh_token"]); refused["error"] != "invalid_client" {
				t.Errorf("refresh: %s %v", got.Status, refused)
			}
			access, _ := tokens["access_token"].(string)
			if got := b.Send(http.MethodGet, "/api/public/v3/userinfo", "", "Authorization", "Bearer "+access); got.StatusCode != http.StatusUnauthorized {
				t.Errorf("userinfo: %s", got.Status)
			}
			if got := b.Get(d.ask()); got.StatusCode != http.StatusBadRequest {
				t.Errorf("authorize: %s", got.Status)
			}
		})
	}
}
