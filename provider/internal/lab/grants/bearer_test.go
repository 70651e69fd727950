package grants

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const staffURI = "https://id.test/desk/api/v1"

// bearers starts a provider with an API that only applications of the staff may use: robot,
// which signs, and shared, which has a secret. The application all may ask for everything.
func bearers(t *testing.T) *lab.Fixture {
	t.Helper()
	w := lab.New(t, func(c *provider.Config) {
		c.Resources = []provider.Resource{{URI: lab.FilesURI, Name: "Files"}}
		c.Resources = append(c.Resources, provider.Resource{
			URI: staffURI, Scopes: []string{"desk.people.read", "desk.people.act"}, Clients: []string{"robot", "jwtrobot", "shared", "person"},
		})
	}).WithClients().WithUsers()
	keys := lab.PublicKeys(t, lab.AllKeys...)
	desk := []string{"desk.people.read", "desk.people.act"}
	machine := []string{"client_credentials"}
	for _, c := range []provider.Client{
		{ID: "robot", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", JWKS: keys, GrantTypes: machine, Scopes: desk},
		{ID: "jwtrobot", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", JWKS: keys, GrantTypes: machine, Scopes: desk, AccessTokenFormat: "jwt"},
		{ID: "shared", Dialect: provider.V3, Secret: lab.ClientSecret, GrantTypes: machine, Scopes: desk},
		{ID: "all", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", JWKS: keys, GrantTypes: []string{"authorization_code", "client_credentials"}, RedirectURIs: []string{lab.CallbackURI}},
		{ID: "person", Dialect: provider.V3, TokenEndpointAuthMethod: "private_key_jwt", JWKS: keys, GrantTypes: []string{"authorization_code", "client_credentials"}, RedirectURIs: []string{lab.CallbackURI}},
	} {
		c.Dialect = provider.Standard
		w.OK(w.Clients().Save(t.Context(), c))
	}
	return w
}

// signs asks for a token of a client's own.
func signs(w *lab.Fixture, client string, pairs ...string) (lab.Page, map[string]any) {
	assertion := lab.ClientKeys()["ES256"].Sign(w.T, w.Assertion(client))
	return w.NewBrowser().Asserted(lab.TokenPath, assertion, append([]string{"grant_type", "client_credentials"}, pairs...)...)
}

func TestBearer(t *testing.T) {
	t.Parallel()
	w := bearers(t)
	of := func(client string, pairs ...string) string {
		p, body := signs(w, client, pairs...)
		return lab.Granted(t, p, body)
	}
	for _, client := range []string{"robot", "jwtrobot"} {
		t.Run("IsTheApplicationOfAToken/"+client, func(t *testing.T) {
			got := testkit.Must(w.Rooms().Clients.Bearer(t.Context(), staffURI, of(client, "resource", staffURI, "scope", "desk.people.read")))(w.T)
			if diff := cmp.Diff(room.Bearer{ClientID: client, Scopes: []string{"desk.people.read"}, Signs: true}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("TellsWhoSharesASecret", func(t *testing.T) {
		p, body := w.NewBrowser().Redeem("shared", "client_credentials", []string{staffURI})
		got := testkit.Must(w.Rooms().Clients.Bearer(t.Context(), staffURI, lab.Granted(t, p, body)))(w.T)
		if got.Signs || got.ClientID != "shared" {
			t.Error(got)
		}
	})
	robot := of("robot", "resource", staffURI)
	for name, token := range map[string]string{
		"OfNobody": "x", "Empty": "", "OfTheProvider": of("robot"), "OfAnotherResource": of("robot", "resource", lab.FilesURI),
		"OfAUser":       lab.Member(t, w.Alice().TokensFor("std", []string{lab.FilesURI}, []string{lab.FilesURI}), "access_token"),
		"WithALetter":   robot + "x",
		"AsAnAssertion": lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("robot"), "aud", staffURI)),
	} {
		t.Run("RefusesAToken"+name, func(t *testing.T) {
			if got, err := w.Rooms().Clients.Bearer(t.Context(), staffURI, token); !errors.Is(err, room.ErrToken) {
				t.Error(got, err)
			}
		})
	}
	t.Run("RefusesATokenThatIsGoodElsewhereToo", func(t *testing.T) {
		p, body := w.NewBrowser().Redeem("shared", "client_credentials", []string{staffURI, lab.FilesURI})
		if got, err := w.Rooms().Clients.Bearer(t.Context(), staffURI, lab.Granted(t, p, body)); !errors.Is(err, room.ErrToken) {
			t.Error(got, err)
		}
	})
	t.Run("RefusesATokenThatIsOver", func(t *testing.T) {
		w.Advance(w.Rooms().Installation().Lifetimes.AccessToken)
		if got, err := w.Rooms().Clients.Bearer(t.Context(), staffURI, robot); !errors.Is(err, room.ErrToken) {
			t.Error(got, err)
		}
	})
	t.Run("RefusesATokenOfALockedApplication", func(t *testing.T) {
		token := of("robot", "resource", staffURI)
		w.OK(w.Clients().SetDisabled(t.Context(), "robot", true, 0))
		if got, err := w.Rooms().Clients.Bearer(t.Context(), staffURI, token); !errors.Is(err, room.ErrToken) {
			t.Error(got, err)
		}
	})
}

func TestScopesOfTheDesk(t *testing.T) {
	t.Parallel()
	w := bearers(t)
	t.Run("AreNotOfWhoMayAskForAll", func(t *testing.T) {
		p, _ := signs(w, "all", "scope", "desk.people.read")
		lab.Refused(t, p, http.StatusBadRequest, "invalid_scope")
		p, body := signs(w, "all")
		lab.Granted(t, p, body)
		if strings.Contains(p.Text, "desk.") {
			t.Error(p.Text)
		}
	})
	t.Run("AreNoUsersToGive", func(t *testing.T) {
		for _, client := range []string{"all", "person", "std", "v3"} {
			answer := lab.Response(t, w.Alice().Open(lab.AuthorizeURL("client_id", client, "scope", "desk.people.read")))
			if got := answer.Get("error"); got != "invalid_scope" {
				t.Errorf("%s: %v", client, answer)
			}
		}
	})
	t.Run("AreInNoCatalogue", func(t *testing.T) {
		if slices.ContainsFunc(w.Rooms().Installation().Scopes, func(s catalogue.Scope) bool { return strings.HasPrefix(s.Name, "desk.") }) {
			t.Error("the installation offers them")
		}
		if p := w.NewBrowser().Get("/oidc/.well-known/openid-configuration"); strings.Contains(p.Text, "desk.") {
			t.Error("discovery names them")
		}
	})
	t.Run("LeadNowhereForOtherApplications", func(t *testing.T) {
		p, _ := signs(w, "all", "resource", staffURI)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_target")
		answer := lab.Response(t, w.Alice().Open(lab.AuthorizeURL("client_id", "std", "scope", "openid")+"&resource="+staffURI))
		if got := answer.Get("error"); got != "invalid_target" {
			t.Error(answer)
		}
	})
}
