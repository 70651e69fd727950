package clients

import (
	"net/http"
	"strings"
	"testing"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/zitadel/oidc/v3/pkg/client/rp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestZitadelOnADevice gets tokens for a device whose user decides elsewhere, with the client
// library of zitadel/oidc. Its ID token verifies with coreos/go-oidc.
func TestZitadelOnADevice(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(c *provider.Config) { c.DeviceAuthorization.On = true })
	testkit.OK(t, i.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Name: "A Television", Dialect: provider.Standard, Public: true, // with a secret, the library sends it twice (RFC 6749 section 2.3)
		GrantTypes: []string{"urn:ietf:params:oauth:grant-type:device_code", "refresh_token"},
	}))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	device := testkit.Must(rp.NewRelyingPartyOIDC(t.Context(), i.Issuer(), clientID, "", "", nil, rp.WithHTTPClient(&http.Client{Transport: transport})))(t)
	asked := testkit.Must(rp.DeviceAuthorization(t.Context(), []string{"openid", "offline_access"}, device, nil))(t)
	i.newBrowser(t).allowDevice(asked.VerificationURI, asked.UserCode, "A Television")
	tokens := testkit.Must(rp.DeviceAccessToken(t.Context(), asked.DeviceCode, time.Second, device))(t)
	if i.verifies(t, tokens.IDToken); tokens.RefreshToken == "" {
		t.Error("there is no refresh token")
	}
}

// verifies reads an ID token of Alice with coreos/go-oidc.
func (i *installation) verifies(t *testing.T, idToken string) {
	t.Helper()
	found := testkit.Must(gooidc.NewProvider(t.Context(), i.Issuer()))(t)
	token, err := found.Verifier(&gooidc.Config{ClientID: clientID}).Verify(t.Context(), idToken)
	if err != nil || token.Subject != userID {
		t.Errorf("the token is of %+v, %v", token, err)
	}
}

// allowDevice signs Alice in and allows the request of a device with this code.
func (b *browser) allowDevice(address, code, name string) {
	b.t.Helper()
	p := b.submit(b.open(address), map[string]string{"email": email, "password": password})
	if p = b.submit(p, map[string]string{"user_code": strings.ToLower(code)}); !p.shows(name) {
		b.t.Fatalf("the user is not told who asks: %s\n%s", p.Status, p.body)
	}
	b.submit(p, map[string]string{"action": "allow"})
}
