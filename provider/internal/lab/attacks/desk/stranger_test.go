package desk

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// An application that nobody has registered is stopped at the desk: within a second what it has
// ends, it gets no more, and it does not come back once its row is old.
func TestStrangerIsStopped(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		const callback = "https://127.0.0.1/cb"
		var host *httptest.Server
		host = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(rw).Encode(map[string]any{
				"client_id": host.URL + r.URL.Path, "redirect_uris": []string{callback}, "token_endpoint_auth_method": "none",
				"grant_types": []string{"authorization_code", "refresh_token"},
			})
		}))
		t.Cleanup(host.Close)
		id := host.URL + "/client.json"
		ask := lab.AuthorizeURL("client_id", id, "redirect_uri", callback, "scope", "openid offline_access", "nonce", "n",
			"code_challenge", lab.S256, "code_challenge_method", "S256")
		bob, olga := w.NewBrowser().SignIn("bob@example.com", lab.BobPass), w.as("olga")
		code := lab.Response(t, bob.Submit(bob.Open(ask), "action", "allow")).Get("code")
		p, tokens := bob.Token("client_id", id, "client_secret", "", "code", code, "redirect_uri", callback, "code_verifier", lab.Verifier)
		access, refresh := lab.Granted(t, p, tokens), tokens["refresh_token"].(string)

		list := olga.Open("/desk/applications?all=1")
		page := "/desk/applications/" + url.PathEscape(id)
		if !strings.Contains(list.Text, page) {
			t.Fatalf("the list does not lead to %s:\n%s", page, list.Text)
		}
		form := olga.Submit(olga.Open(page+"/do/stop_application"), "action", "check", "reason", "It sends people elsewhere.")
		if done := olga.Submit(form, "action", "do"); done.StatusCode != http.StatusOK || !strings.HasSuffix(done.Request.URL.EscapedPath(), page) {
			t.Fatalf("%s at %s\n%s", done.Status, done.Request.URL, done.Text)
		}
		refused := func() {
			t.Helper()
			if p, said := bob.Token("client_id", id, "client_secret", "", "grant_type", "refresh_token", "refresh_token", refresh, "redirect_uri", ""); said["error"] != "invalid_client" {
				t.Errorf("refresh: %s %v", p.Status, said)
			}
			if p := bob.Send(http.MethodGet, "/api/public/v3/userinfo", "", "Authorization", "Bearer "+access); p.StatusCode != http.StatusUnauthorized {
				t.Errorf("userinfo: %s", p.Status)
			}
			if p := bob.Get(ask); p.StatusCode != http.StatusBadRequest {
				t.Errorf("authorize: %s", p.Status)
			}
		}
		w.Advance(time.Second)
		refused()
		w.Advance(365 * 24 * time.Hour)
		over, err := w.Store.Clients(t.Context(), storage.ClientFilter{ExpiredAt: new(w.Now())}, "", 10)
		w.OK(err)
		if len(over) > 0 {
			t.Errorf("%d rows are to be removed: whoever was stopped could come back", len(over))
		}
		refused()
	})
}
