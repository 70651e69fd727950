package operations

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// named has nginx forward what docs/operate.md says.
const named = "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr; "

// Whole sign-ins go through nginx with the buffers that it has by default, whatever an application sends and wherever the
// provider is, and so do its errors and sign-outs. The log tells why callers are counted together.
func TestSignInBehindNginx(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, server string
		change       func(*provider.Config)
		state, claim int
		told         string
	}{
		"AtTheRoot":     {"", "location / { proxy_pass UPSTREAM; " + named + "}", behindProxy, 10, 0, ""},
		"LongRequest":   {"", "location / { proxy_pass UPSTREAM; " + named + "}", behindProxy, 2500, 2500, ""},
		"LongState":     {"", "location / { proxy_pass UPSTREAM; " + named + "}", behindProxy, 4096, 3000, ""},
		"BelowAPath":    {"/id", "location /id/ { proxy_pass UPSTREAM; " + named + "}", behindProxy, 4096, 3000, ""},
		"PathIsCut":     {"/id", "location /id/ { proxy_pass UPSTREAM/; " + named + "}", behindProxy, 2500, 2500, ""},
		"NoFetchHeader": {"", "location / { proxy_pass UPSTREAM; proxy_set_header Sec-Fetch-Site ''; " + named + "}", behindProxy, 10, 0, ""},
		"NoAddress":     {"", "location / { proxy_pass UPSTREAM; proxy_set_header Host $http_host; }", behindProxy, 10, 0, "names sends no X-Forwarded-For"},
		"NotTrusted":    {"", "location / { proxy_pass UPSTREAM; " + named + "}", func(*provider.Config) {}, 10, 0, "does not name is ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t, c.change, func(cfg *provider.Config) { cfg.BaseURL += c.base }).WithClients().WithUsers()
			app, _ := w.AddApp("bob")
			proxy := w.Nginx(c.server)
			proxy.Header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
			state := strings.Repeat("s", c.state)
			asked := c.base + lab.AuthorizeURL(lab.Std("state", state, "prompt", "consent", "claims", `{"id_token":{"`+strings.Repeat("x", c.claim)+`":null}}`)...)
			var b *lab.Browser
			for flow, credentials := range map[string][]string{
				"Password":   {"email", "alice@example.com", "password", lab.AlicePass},
				"SecondStep": {"email", "bob@example.com", "password", lab.BobPass},
			} {
				b = proxy.Browser()
				p := b.Submit(b.Open(asked), credentials...)
				if flow == "SecondStep" {
					p = b.Submit(p, "code", app.Code())
				}
				if got := lab.Response(t, b.Submit(p, "action", "allow")).Get("state"); got != state {
					t.Errorf("%s: a state of %d bytes came back as one of %d", flow, len(state), len(got))
				}
			}
			if got := lab.Response(t, b.Get(c.base+lab.AuthorizeURL(lab.Std("state", state, "scope", "none")...))); got.Get("state") != state || got.Get("error") == "" {
				t.Errorf("an error with a state of %d bytes: %.200v", len(state), got)
			}
			leave := url.Values{"client_id": {"std"}, "post_logout_redirect_uri": {"https://rp.test/bye"}, "state": {state}}
			address := c.base + "/signout?" + leave.Encode()
			if c.state == 4096 { // by a form of another site
				address = b.Post(c.base+"/oauth/logout", leave).Next()
			}
			if p := b.Submit(b.Get(address)); !strings.HasSuffix(p.Header.Get("Location")+p.Next(), "https://rp.test/bye?state="+state) {
				t.Errorf("a sign-out with a state of %d bytes: %s", len(state), p.Status)
			}
			log := w.Log.String()
			for _, warning := range []string{"names sends no X-Forwarded-For", "does not name is ignored"} {
				if got := strings.Count(log, warning); (got == 1) != (warning == c.told) || got > 1 {
					t.Errorf("%q is told %d times\n%s", warning, got, log)
				}
			}
			w.Advance(time.Minute) // for the next code
			t.Logf("the longest address of a page has %d bytes", proxy.Longest())
		})
	}
}
