package pages

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Two readers of one request may each believe another of two parameters of one name.
func TestPagesRefuseWhatIsGivenTwice(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	for _, address := range []string{
		"/signout?client_id=std&client_id=v3", "/signout?id_token_hint=a&id_token_hint=b",
		"/signout?client_id=std&post_logout_redirect_uri=https://rp.test/bye&state=" + strings.Repeat("x", 4097),
		"/signin?flow=a&flow=b", "/account/apps/remove?client_id=std&client_id=v3", "/account?ui_locales=de&ui_locales=en",
	} {
		lab.Shown(t, b.Get(address), http.StatusBadRequest)
	}
	other := w.NewBrowser()
	fields := other.SignInForm("alice@example.com", lab.AlicePass)
	fields.Add("email", "bob@example.com")
	lab.Shown(t, other.Post("/signin", fields), http.StatusBadRequest)
}

// Many users come in the moment in which a provider begins to serve. Under the race
// detector nothing may be made on first use.
func TestFirstRequestsComeTogether(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.WithClients().WithUsers()
	fresh := w.Twin()
	lab.Race(24, func(i int) struct{} {
		b := fresh.NewBrowser()
		switch i % 6 {
		case 0:
			b.Get(lab.AuthorizeURL(lab.Ask()...))
		case 1:
			b.Token(lab.Std("code", "a-guess")...)
		case 2:
			b.Get("/oidc/.well-known/jwks")
		case 3:
			b.Get("/signin")
		case 4:
			b.Bearer(lab.UserinfoPath, "a-guess")
		default:
			_ = fresh.Clients().Save(t.Context(), provider.Client{ID: "std2", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}})
		}
		return struct{}{}
	})
}
