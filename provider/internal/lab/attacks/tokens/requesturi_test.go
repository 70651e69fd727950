package tokens

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// A request object is fetched from an address that the client has registered, and from no other (OpenID Connect Core
// section 6.2).
func TestAttackRequestURI(t *testing.T) {
	t.Parallel()
	on := func(c *provider.Config) { c.RequestURI = true }
	w, key := lab.New(t, lab.AllowPrivate, on).WithClients().WithUsers(), lab.ClientKeys()["ES256"]
	asked := 0
	answers := map[string]string{
		"/good": key.Sign(t, w.Object("refers")) + "\n", "/hashed": key.Sign(t, w.Object("refers", "state", "mine")), "/other": key.Sign(t, w.Object("refers", "state", "other")),
		"/aud": key.Sign(t, w.Object("refers", "aud", "https://other.test")), "/none": "<html>", "/unsigned": lab.Unsigned(t, w.Object("refers"), "none"),
		"/huge": strings.Repeat("x", 1<<15),
	}
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked++
		if answer, ok := answers[r.URL.Path]; ok {
			_, _ = rw.Write([]byte(answer))
			return
		}
		rw.Header().Set("Location", "/good")
		rw.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(site.Close)
	sum := sha256.Sum256([]byte(answers["/hashed"]))
	digest := "#" + base64.RawURLEncoding.EncodeToString(sum[:])
	client := provider.Client{ID: "refers", Dialect: provider.Standard, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, JWKS: lab.PublicKeys(t, "ES256")}
	for _, path := range []string{"/good", "/hashed" + digest, "/other" + digest, "/aud", "/none", "/unsigned", "/huge", "/away"} {
		client.RequestURIs = append(client.RequestURIs, site.URL+path)
	}
	w.OK(w.Clients().Save(t.Context(), client))
	b := w.Alice()
	for _, c := range []struct{ uri, error, diagnosis string }{
		{site.URL + "/good", "", ""},
		{site.URL + "/hashed" + digest, "", ""},
		{site.URL + "/good", "invalid_request_object", "jwt_used"},
		{site.URL + "/other" + digest, "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/good#" + strings.Repeat("A", 43), "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/hashed", "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/unregistered", "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/huge", "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/away", "invalid_request_uri", "request_uri_refused"},
		{site.URL + "/none", "invalid_request_object", "jwt_malformed"},
		{site.URL + "/unsigned", "invalid_request_object", "request_object_unsigned"},
		{site.URL + "/aud", "invalid_request_object", "jwt_audience_wrong"},
	} {
		seen, before := w.WatchActivity(), asked
		p := b.Open(lab.AuthorizeURL("client_id", "refers", "scope", "openid", "state", "", "request_uri", c.uri))
		if c.error == "" {
			if p.StatusCode == http.StatusOK {
				p = b.Submit(p, "action", "allow")
			}
			if got := lab.Response(t, p); got.Get("code") == "" || got.Get("state") == "" {
				t.Errorf("%s: %v", c.uri, got)
			}
			continue
		}
		if got := lab.Response(t, p); got.Get("error") != c.error {
			t.Errorf("%s: %v", c.uri, got)
		}
		if told := fmt.Sprint(seen.All()); !strings.Contains(told, c.diagnosis) {
			t.Errorf("%s is told as %s", c.uri, told)
		}
		if strings.Contains(c.uri, "/unregistered") && asked != before {
			t.Error("an address that is not registered is called")
		}
	}
	p, body := b.Push("client_id", "refers", "request_uri", site.URL+"/other"+digest)
	if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_request" {
		t.Errorf("pushed: %s %s", p.Status, p.Text)
	}
	if _, found := b.JSON(b.Get("/oidc/.well-known/openid-configuration")); found["request_uri_parameter_supported"] != true || found["require_request_uri_registration"] != true {
		t.Errorf("discovery says %v", found["request_uri_parameter_supported"])
	}

	// What is registered is on a private network, where a provider calls nothing that is not told to, as one that has it off.
	record, err := w.Store.Client(t.Context(), "refers")
	w.OK(err)
	record.Version = 0
	for code, change := range map[string]func(*provider.Config){"invalid_request_uri": on, "request_uri_not_supported": lab.AllowPrivate} {
		other, before := lab.New(t, change), asked
		w.OK(other.Store.SaveClient(t.Context(), record))
		address := lab.AuthorizeURL("client_id", "refers", "scope", "openid", "request_uri", site.URL+"/other"+digest)
		if got := lab.Response(t, other.NewBrowser().Open(address)); got.Get("error") != code || asked != before {
			t.Errorf("%v, %d calls, want %s", got, asked-before, code)
		}
	}
}
