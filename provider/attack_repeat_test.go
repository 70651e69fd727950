package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// Two readers of one request may each believe another of two parameters of one name.
func TestPagesRefuseWhatIsGivenTwice(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	for _, address := range []string{
		"/signout?client_id=std&client_id=v3", "/signout?id_token_hint=a&id_token_hint=b",
		"/signout?client_id=std&post_logout_redirect_uri=https://rp.test/bye&state=" + strings.Repeat("x", 4097),
		"/signin?flow=a&flow=b", "/account/apps/remove?client_id=std&client_id=v3", "/account?ui_locales=de&ui_locales=en",
	} {
		shown(t, b.get(address), http.StatusBadRequest)
	}
	other := w.newBrowser()
	fields := other.signInForm("alice@example.com", alicePass)
	fields.Add("email", "bob@example.com")
	shown(t, other.post("/signin", fields), http.StatusBadRequest)
}

// Many users come in the moment in which a provider begins to serve. Under the race
// detector nothing may be made on first use.
func TestFirstRequestsComeTogether(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.withClients().withUsers()
	fresh := w.twin()
	race(24, func(i int) struct{} {
		b := fresh.newBrowser()
		switch i % 6 {
		case 0:
			b.get(authorizeURL(ask()...))
		case 1:
			b.token(std("code", "a-guess")...)
		case 2:
			b.get("/oidc/.well-known/jwks")
		case 3:
			b.get("/signin")
		case 4:
			b.bearer(userinfoPath, "a-guess")
		default:
			_ = fresh.SaveClient(t.Context(), provider.Client{ID: "std2", RedirectURIs: []string{callbackURI}})
		}
		return struct{}{}
	})
}
