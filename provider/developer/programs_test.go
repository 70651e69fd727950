package developer_test

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/samples"
	"github.com/bonafide-id/bonafide/storage"
)

func TestRegisterYourProgram(t *testing.T) {
	t.Parallel()
	const form = "/developer/o/river/sandbox/new"
	t.Run("TheFormBeginsAsItsRegistrationAndSaysWhatItNeeds", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t).as(dev)
		says(t, b.open(form), http.StatusOK, `<option value="" selected>My own code</option>`, `<option value="jupyterhub">JupyterHub</option>`)
		p := b.open(form + "?program=keycloak-js")
		says(t, p, http.StatusOK, `name="program" value="keycloak-js"`, `value="spa" checked`, "http://localhost:3000/</textarea>", "Access tokens are JWTs", "No refresh token")
		const where = "is where <bdi>keycloak-js</bdi> answers on your own computer"
		says(t, p, http.StatusOK, where)
		if refused := b.submit(p, "redirect_uris", "http://shop.test/"); !strings.Contains(refused.body, "No refresh token") || strings.Contains(refused.body, where) {
			t.Errorf("of another redirect URI it says:\n%s", refused.body)
		}
		says(t, b.open(form+"?program=nonsense"), http.StatusOK, `<option value="" selected>My own code</option>`)
	})
	t.Run("ItGetsWhatItNeedsAndItsFilesAreNext", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		p := b.submit(b.open(form+"?program=keycloak-js"), "redirect_uris", "https://shop.test/\nhttp://localhost:3000/")
		app, client := w.registered(river, storage.Sandbox)
		if p.Request.URL.Path != "/developer/o/river/sandbox/"+app.ClientID+"/samples" {
			t.Errorf("it leads to %s", p.Request.URL)
		}
		says(t, p, http.StatusOK, "index.html", "keycloak.js", app.ClientID, "https://shop.test/")
		if client.AccessTokenFormat != "jwt" || cmp.Diff([]string{"authorization_code"}, client.GrantTypes) != "" || !client.Public {
			t.Errorf("registered %+v", client)
		}
		if diff := cmp.Diff([]string{"openid", "profile", "email"}, client.Scopes); diff != "" {
			t.Errorf("scopes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"https://shop.test/", "http://localhost:3000/"}, client.PostLogoutRedirectURIs); diff != "" {
			t.Errorf("after a sign-out (-want +got):\n%s", diff)
		}
	})
	t.Run("ItIsToldOfSignOutsWhereTheProviderMayCallIt", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t) // whose sandbox may call private networks
		b := w.as(dev)
		for env, want := range map[string]string{
			storage.Sandbox: "http://localhost:8008/_synapse/client/oidc/backchannel_logout", storage.Production: "",
		} {
			b.submit(b.open("/developer/o/river/"+env+"/new?program=synapse"), "name", "Chat")
			if _, client := w.registered(river, env); client.BackchannelLogoutURI != want {
				t.Errorf("in %s it is told at %q", env, client.BackchannelLogoutURI)
			}
		}
	})
	t.Run("NothingIsToBeChanged", func(t *testing.T) { // as the lab of programs registers them
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		for _, about := range samples.Programs() {
			p := b.submit(b.open(form + "?program=" + about.ID))
			client := w.client(storage.Sandbox, path.Base(strings.TrimSuffix(p.Request.URL.Path, "/samples")))
			want := provider.Client{
				ID: client.ID, Name: about.Title, Dialect: provider.Standard, Public: about.Kind != "web", RedirectURIs: about.RedirectURIs,
				ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"openid", "offline_access", "profile", "email"},
			}
			if slices.Contains(about.Needs, samples.NeedNoRefresh) {
				want.GrantTypes, want.Scopes = []string{"authorization_code"}, []string{"openid", "profile", "email"}
			}
			if slices.Contains(about.Needs, samples.NeedJWT) {
				want.AccessTokenFormat = "jwt"
			}
			for _, uri := range about.RedirectURIs {
				u, err := url.Parse(uri)
				w.ok(err)
				site := "http://" + u.Host
				if about.Kind == "spa" {
					want.Origins = append(want.Origins, site)
				}
				if about.Afterwards != nil {
					want.PostLogoutRedirectURIs = append(want.PostLogoutRedirectURIs, site+*about.Afterwards)
				}
				if about.Backchannel != nil {
					want.BackchannelLogoutURI = site + *about.Backchannel
				}
			}
			if diff := cmp.Diff(want, client, cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", about.ID, diff)
			}
		}
	})
	t.Run("OneOfAnotherKindIsRegisteredAsItsOwnKind", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		p := b.submit(b.open(form+"?program=keycloak-js"), "kind", "web", "redirect_uris", callbackURI)
		app, client := w.registered(river, storage.Sandbox)
		if client.AccessTokenFormat != "" || client.Public || p.Request.URL.Path != "/developer/o/river/sandbox/"+app.ClientID {
			t.Errorf("%s: %+v", p.Request.URL, client)
		}
	})
}

func TestSamplesSayWhatAProgramLacks(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.RequirePKCE = true })
	const lacks = "work with this application as it is"
	b := w.as(dev)
	says(t, b.open(samplesPath+"?language=passport-openidconnect"), http.StatusOK, "passport-openidconnect", lacks, "PKCE isn’t required", "Replace <code")
	if p := b.open(samplesPath + "?language=oauth2-proxy"); strings.Contains(p.body, lacks) || !strings.Contains(p.body, "oauth2-proxy.cfg") {
		t.Errorf("%s", p.body)
	}
	if p := b.open(samplesPath + "?language=keycloak-js"); strings.Contains(p.body, "keycloak.js") {
		t.Error("an application with a server is given a page")
	}
}
