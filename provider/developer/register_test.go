package developer_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// register fills in the form of a new application, as a website unless pairs say otherwise,
// and returns its page.
func (b *browser) register(env string, pairs ...string) page {
	b.t.Helper()
	fields := append([]string{"name", "Shop", "kind", "web", "redirect_uris", callbackURI}, pairs...)
	return b.submit(b.open("/developer/o/"+river+"/"+env+"/new"), fields...)
}

// registered returns the one application of an organization in an environment, and its
// client.
func (w *fixture) registered(organization, env string) (storage.Application, provider.Client) {
	w.t.Helper()
	list, err := w.store.Applications(w.t.Context(), storage.ApplicationFilter{OrganizationID: organization, Environment: env})
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d applications of %s in %s: %v", len(list), organization, env, err)
	}
	return list[0], w.client(env, list[0].ClientID)
}

func TestRegister(t *testing.T) {
	t.Parallel()
	t.Run("AWebsiteHasASecret", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		p := w.as(dev).register(storage.Sandbox, "scopes.military", "on")
		app, client := w.registered(river, storage.Sandbox)
		if p.StatusCode != http.StatusOK || p.Request.URL.Path != "/developer/o/river/sandbox/"+app.ClientID || !strings.Contains(p.body, "Registered and ready to use.") {
			t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
		}
		if !strings.HasPrefix(app.ClientID, "test_") || app.Kind != "web" || app.CreatedBy != dev || app.Name != "Shop" {
			t.Errorf("application %+v", app)
		}
		want := provider.Client{
			ID: app.ClientID, Name: "Shop", Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
			ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"},
			Scopes: []string{"openid", "offline_access", "profile", "email", "military"},
		}
		if diff := cmp.Diff(want, client, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
			t.Errorf("client (-want +got):\n%s", diff)
		}
		if secret, err := w.sandbox.Clients().Secret(t.Context(), app.ClientID); err != nil || secret == "" || strings.Contains(p.body, secret) {
			t.Errorf("secret %q, %v; on the page: %t", secret, err, strings.Contains(p.body, secret))
		}
		if c := w.changes(river)[0]; c.What != "application.create" || c.UserID != dev || c.ClientID != app.ClientID || c.Environment != storage.Sandbox {
			t.Errorf("recorded %+v", c)
		}
		// A registration is told as what it sets, and not as a change of what nobody had set.
		for _, f := range w.changes(river)[0].Fields {
			if f.Before != "" || len(f.Removed) > 0 || f.After == "" && len(f.Added) == 0 {
				t.Errorf("recorded as a change: %+v", f)
			}
		}
	})
	t.Run("APageInTheBrowserIsPublicAndHasItsOrigins", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		w.as(dev).register(storage.Sandbox, "kind", "spa", "dialect", "v3",
			"redirect_uris", "https://app.test/a\r\n\r\n  https://app.test/b \nhttp://localhost:3000/cb\nhttps://app.test/a\nhttps://APP.test:443/x\ncom.example.app:/cb")
		_, client := w.registered(river, storage.Sandbox)
		if !client.Public || client.Dialect != provider.V3 {
			t.Errorf("public %t, dialect %s", client.Public, client.Dialect)
		}
		if diff := cmp.Diff([]string{"https://app.test", "http://localhost:3000"}, client.Origins); diff != "" {
			t.Errorf("origins (-want +got):\n%s", diff)
		}
		if len(client.RedirectURIs) != 5 {
			t.Errorf("redirect URIs %q", client.RedirectURIs)
		}
	})
	t.Run("OneOfTheDialectV3MayUseWhatItsProgramsUse", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		b.register(storage.Sandbox, "dialect", "v3", "scopes.military", "on")
		app, _ := w.registered(river, storage.Sandbox)
		q := url.Values{"client_id": {app.ClientID}, "response_type": {"token"}, "scope": {"military"}, "redirect_uri": {callbackURI}}
		p := b.get(w.sandboxServer.URL + "/oauth/authorize?" + q.Encode())
		if to := p.Header.Get("Location"); p.StatusCode != http.StatusSeeOther || !strings.Contains(to, "/signin") {
			t.Errorf("%s, and leads to %s", p.Status, to)
		}
		p = b.open("/developer/o/river/sandbox/" + app.ClientID + "/settings")
		for _, want := range []string{"code", "token", "id_token"} {
			if !strings.Contains(p.body, `name="response_types.`+want+`" value="on" checked`) {
				t.Errorf("the settings do not say %s", want)
			}
		}
	})
	t.Run("SaysWhatIsWrongWithEachLineAndKeepsWhatWasEntered", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		p := b.register(storage.Sandbox, "name", " ", "kind", "-", "redirect_uris", "https://app.test/cb\nhttp://app.test/cb\nhttps://app.test/*", "scopes.military", "on")
		says(t, p, http.StatusUnprocessableEntity,
			"Line 2: Use https:// (http:// works only for localhost)", "Line 3: Wildcards aren’t supported", "Enter a name", "Choose a type",
			"https://app.test/cb\nhttp://app.test/cb\nhttps://app.test/*</textarea>", `name="scopes.military" value="on" checked`)
		if list, err := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: river}); err != nil || len(list) > 0 {
			t.Errorf("registered %v, %v", list, err)
		}
	})
	t.Run("InProductionPeopleAreToldThatNobodyHasReviewed", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		if p := b.open("/developer/o/river/production/new"); !strings.Contains(p.body, "this application hasn’t been reviewed") {
			t.Error("the form does not say so")
		}
		b.register(storage.Production)
		app, client := w.registered(river, storage.Production)
		if !client.Unreviewed || strings.HasPrefix(app.ClientID, "test_") {
			t.Errorf("client %+v", client)
		}
	})
	t.Run("IsNotOfferedInProductionWhereApplicationsAreReviewed", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t, reviewed)
		b := w.as(owner)
		if p := b.open("/developer/o/river/production"); p.StatusCode != http.StatusOK || strings.Contains(p.body, "/production/new") {
			t.Errorf("%s\n%s", p.Status, p.body)
		}
		says(t, b.open("/developer/o/river/production/new"), http.StatusNotFound)
		action, fields := b.open("/developer/o/river/sandbox/new").form(t, "name", "Shop", "kind", "web", "redirect_uris", callbackURI)
		says(t, b.post(strings.Replace(action, "sandbox", "production", 1), fields), http.StatusNotFound)
	})
	t.Run("DoesNotOfferScopesOfTheOperator", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t, func(c *developer.Config) { c.OperatorScopes = []string{"military"} })
		b := w.as(dev)
		p := b.open("/developer/o/river/sandbox/new")
		if strings.Contains(p.body, "scopes.military") {
			t.Error("the form offers it")
		}
		action, fields := p.form(t, "name", "Shop", "kind", "web", "redirect_uris", callbackURI)
		fields.Set("scopes.military", "on")
		b.follow(b.post(action, fields))
		if _, client := w.registered(river, storage.Sandbox); strings.Contains(strings.Join(client.Scopes, " "), "military") {
			t.Errorf("scopes %q", client.Scopes)
		}
	})
}

// reviewed makes applications ask for production.
func reviewed(c *developer.Config) {
	c.Review, c.Operator = true, isOperator
}

func TestWhatIsTypedIsChecked(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(viewer)
	for _, c := range []struct{ field, value, said string }{
		{"redirect_uris", callbackURI, "This is valid."},
		{"redirect_uris", " \n", ""},
		{"redirect_uris", "http://app.test/", "Line 1: Use https:// (http:// works only for localhost)"},
		{"redirect_uris", "\n\napp.test/cb", "Line 3: Enter the full address, starting with https:// (http:// works for localhost)"},
		{"redirect_uris", "https://app.test/#x", "Line 1: Remove the # and everything after it"},
		{"redirect_uris", "https://a:b@app.test/", "Line 1: Remove the user name and everything before the @"},
		{"redirect_uris", "https://app.test/a b", "Line 1: Remove spaces and accented letters, or write them percent-encoded, as browsers do when you copy an address"},
		{"redirect_uris", "https://app.test/?code=1", "Line 1: This address must not carry the response parameter code in its query."},
		{"post_logout_redirect_uris", "https://*.app.test/", "Line 1: Wildcards aren’t supported. Add each address on its own line."},
		{"origins", "https://app.test/", "Line 1: Use https://, lowercase letters and no path, for example https://app.example.com"},
	} {
		p := b.get("/developer/o/river/sandbox/check?" + url.Values{"field": {c.field}, "value": {c.value}}.Encode())
		if p.StatusCode != http.StatusOK || p.body != c.said || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s %q: %s %s %q, want %q", c.field, c.value, p.Status, p.Header.Get("Content-Type"), p.body, c.said)
		}
	}
	says(t, b.get("/developer/o/river/sandbox/check?field=name&value=x"), http.StatusNotFound)
}

// What is configured is what the provider publishes about itself.
func TestTheOverviewHasTheAddressesOfTheDiscoveryDocument(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.GrantTypes = append(c.GrantTypes, deviceGrant) })
	b := w.as(viewer)
	p := b.open("/developer/o/river/sandbox/shop")
	discovery := w.sandboxServer.URL + "/oidc/.well-known/openid-configuration"
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, ">"+discovery+"<") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	var document map[string]any
	w.ok(json.Unmarshal([]byte(b.get(discovery).body), &document))
	for name, value := range document {
		address, ok := value.(string)
		if name == "registration_endpoint" { // is for who has no application yet
			continue
		}
		if ok && !strings.Contains(p.body, ">"+address+"<") {
			t.Errorf("%s, %s, is not on the page", name, address)
		}
	}
	metadata := w.sandboxServer.URL + "/oidc/.well-known/oauth-authorization-server"
	if !strings.Contains(p.body, ">"+metadata+"<") || b.get(metadata).body != b.get(discovery).body {
		t.Error("the discovery document is not where OAuth clients look for it")
	}
	shown := b.open("/developer/o/river/sandbox/shop/settings").body
	for _, responseType := range document["response_types_supported"].([]any) {
		name := "response_types." + strings.ReplaceAll(responseType.(string), " ", "-")
		if !strings.Contains(shown, `name="`+name+`"`) {
			t.Errorf("the settings do not offer %q", responseType)
		}
	}
}

func TestAnApplicationWithoutAClientCanBeDeleted(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	// The process has ended between the two databases.
	c, err := w.sandboxStore.Client(t.Context(), "shop")
	if err == nil {
		err = w.sandboxStore.DeleteClient(t.Context(), c.ID, c.Version)
	}
	w.ok(err)
	b := w.as(dev)
	if p := b.open("/developer/o/river/sandbox"); !strings.Contains(p.body, "Incomplete") {
		t.Errorf("the list does not say so: %s\n%s", p.Status, p.body)
	}
	p := b.open("/developer/o/river/sandbox/shop")
	says(t, p, http.StatusOK, "This application is incomplete")
	says(t, b.open("/developer/o/river/sandbox/shop/settings"), http.StatusNotFound)
	b.submit(b.open("/developer/o/river/sandbox/shop/delete"), "confirm", "App shop", "action", "delete")
	w.GoOn(t.Context())
	if _, err := w.store.Application(t.Context(), storage.Sandbox, "shop"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the application is still there: %v", err)
	}
}
