package clients

import (
	"net"
	"os/exec"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestOmniAuth signs in with a strategy of omniauth-oauth2 in the dialect v3. At the token endpoint
// it names the address that it was called at, with code and state in its query.
func TestOmniAuth(t *testing.T) {
	once(t)
	if exec.CommandContext(t.Context(), "ruby", "-e", `require "omniauth-oauth2"; require "rack/handler/webrick"`).Run() != nil {
		need(t, "OmniAuth is missing: apt-get install ruby ruby-omniauth-oauth2 ruby-webrick")
	}
	i, address := newInstallation(t), freeAddress(t)
	host, port, err := net.SplitHostPort(address)
	testkit.OK(t, err)
	s := site{installation: i, start: "http://" + address + "/auth/verified", redirectURI: "http://" + address + "/auth/verified/callback"}
	err = i.Clients().Save(t.Context(), provider.Client{ID: clientID, Dialect: provider.V3, Secret: clientSecret, Name: "An App", RedirectURIs: []string{s.redirectURI}})
	testkit.OK(t, err)
	start(t, "http://"+address+"/", command(t, "ruby", "testdata/omniauth/app.rb", i.base, clientID, clientSecret, host, port))
	if p := s.newBrowser(t).signIn(s.start); !p.shows(fullName, email) {
		t.Fatalf("name and e-mail address do not arrive: %s at %s\n%s", p.Status, p.url, p.body)
	}
	s.forgeState(t)
	s.changeRedirectURI(t)
}
