package clients

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/zitadel/oidc/v3/pkg/client"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestOAuth2Proxy has oauth2-proxy guard a page that knows nothing of sign-in.
func TestOAuth2Proxy(t *testing.T) {
	once(t)
	program := tool(t, "oauth2proxy", "oauth2-proxy")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Header.Get("X-Name") + " " + r.Header.Get("X-Email")))
	}))
	t.Cleanup(page.Close)
	i, address := newInstallation(t), freeAddress(t)
	s := site{
		installation: i, start: "http://" + address + "/", redirectURI: "http://" + address + "/oauth2/callback",
		afterwards: "http://" + address + "/ping",
	}
	i.register(t, s.redirectURI, s.afterwards)

	// It knows no RP-initiated logout, but leads to any address that it is allowed to.
	found := testkit.Must(client.Discover(t.Context(), i.Issuer(), page.Client()))(t)
	end := found.EndSessionEndpoint + "?" + url.Values{"client_id": {clientID}, "post_logout_redirect_uri": {s.afterwards}}.Encode()
	s.signOut = "http://" + address + "/oauth2/sign_out?" + url.Values{"rd": {end}}.Encode()

	config := filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf(oauth2ProxyConfig, address, page.URL, clientID, clientSecret, i.Issuer())
	testkit.OK(t, os.WriteFile(config, []byte(text), 0o600))
	start(t, s.afterwards, command(t, program, "--alpha-config="+config,
		"--redirect-url="+s.redirectURI, "--skip-provider-button", "--email-domain=*", "--whitelist-domain=127.0.0.1:*",
		"--cookie-secret=n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU", "--cookie-secure=false", "--cookie-refresh=1s",
	))
	s.test(t)
}

const oauth2ProxyConfig = `
server:
  bindAddress: %s
upstreamConfig:
  upstreams:
    - id: page
      path: /
      uri: %s
providers:
  - id: bonafide
    provider: oidc
    clientID: %s
    clientSecret: %s
    scope: openid profile email offline_access
    code_challenge_method: S256
    additionalClaims: [name]
    oidcConfig:
      issuerURL: %s
      emailClaim: email
      audienceClaims: [aud]
injectRequestHeaders:
  - name: X-Name
    values:
      - claimSource:
          claim: name
  - name: X-Email
    values:
      - claimSource:
          claim: email
`
