package developer_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

// machine registers a machine client in the sandbox and returns the path of its page.
func (b *browser) machine(pairs ...string) (path string) {
	b.t.Helper()
	p := b.register(storage.Sandbox, append([]string{"kind", "machine", "redirect_uris", "not an address"}, pairs...)...)
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Registered and ready to use.") {
		b.t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
	return p.Request.URL.Path
}

func TestAMachineClientIsRegisteredWithoutRedirectURIs(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.as(dev).machine("scopes.military", "on")
	app, client := w.registered(river, storage.Sandbox)
	want := provider.Client{
		ID: app.ClientID, Name: "Shop", Dialect: provider.Standard, GrantTypes: []string{"client_credentials"}, Scopes: []string{"openid", "military"},
	}
	if diff := cmp.Diff(want, client, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
	if app.Kind != "machine" {
		t.Errorf("kind %q", app.Kind)
	}
}

func TestAMachineClientGetsATokenWithItsSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.as(dev).machine("scopes.military", "on")
	app, _ := w.registered(river, storage.Sandbox)
	secret, err := w.sandbox.Clients().Secret(t.Context(), app.ClientID)
	w.ok(err)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	token, err := (&clientcredentials.Config{
		ClientID: app.ClientID, ClientSecret: secret, TokenURL: w.sandboxServer.URL + "/oauth/token",
	}).Token(context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: transport}))
	if err != nil || token.Extra("scope") != "military" {
		t.Errorf("token %+v, %v", token, err)
	}
}

func TestAttackMachineClientWithoutScopesAsksForThoseOfTheOperator(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.OperatorScopes = []string{"military"} })
	b := w.as(dev)
	path := b.machine()
	b.submit(b.open(path+"/settings"), "action", "save")
	// One that names none may ask for all.
	if _, client := w.registered(river, storage.Sandbox); !slices.Equal(client.Scopes, []string{"openid"}) {
		t.Errorf("scopes %q", client.Scopes)
	}
}

func TestSettingsOfAMachineClient(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	app, before := w.registered(river, storage.Sandbox)
	form := b.open(path + "/settings")
	for _, field := range []string{"redirect_uris", "origins", "grant_types", "response_types", "require_verified", "requires", "userinfo_signed"} {
		if strings.Contains(form.body, `name="`+field) {
			t.Errorf("the page asks for %s", field)
		}
	}
	action, fields := form.form(t, "name", "Robot", "scopes.student", "on", "token_endpoint_auth_method", "client_secret_basic", "action", "save")
	for name, value := range map[string]string{
		"redirect_uris": callbackURI, "grant_types.authorization_code": "on", "response_types.code": "on", "require_verified": "on", "requires": "two_factors",
	} {
		fields.Set(name, value)
	}
	says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
	want := before
	want.Name, want.TokenEndpointAuthMethod, want.Scopes = "Robot", "client_secret_basic", []string{"openid", "military", "student"}
	after := w.client(storage.Sandbox, app.ClientID)
	slices.Sort(after.Scopes)
	slices.Sort(want.Scopes)
	if diff := cmp.Diff(want, after, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

func TestPagesOfAMachineClient(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	for page, wants := range map[string][]string{
		"":                                    {"Machine", "token_endpoint"},
		"/samples":                            {"own-token.sh", "grant_type=client_credentials", "military", "BONAFIDE_CLIENT_SECRET"},
		"/try":                                {"no user to sign in"},
		"/secrets":                            {"Newest"},
		"/branding":                           {},
		"/log":                                {},
		"/numbers":                            {},
		"/samples?language=go&redirect_uri=3": {"own-token.sh"},
	} {
		p := b.open(path + page)
		if p.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", page, p.Status)
		}
		for _, want := range wants {
			if !strings.Contains(p.body, want) {
				t.Errorf("%q without %q:\n%s", page, want, p.body)
			}
		}
	}
	if p := b.open(path + "/try"); strings.Contains(p.body, `value="try"`) {
		t.Error("a trial can be begun")
	}
}

func TestAMachineClientIsCopiedToProduction(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	if p := b.submit(b.open(path), "action", "copy"); p.StatusCode != http.StatusOK || !strings.Contains(p.Request.URL.Path, "/production/") {
		t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
	app, client := w.registered(river, storage.Production)
	if app.Kind != "machine" || !slices.Equal(client.GrantTypes, []string{"client_credentials"}) || len(client.RedirectURIs) > 0 {
		t.Errorf("kind %s, client %+v", app.Kind, client)
	}
}

func TestAMachineClientGoesToProductionWithoutPagesForPeople(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t)
	b := w.as(dev)
	path := b.machine("scopes.military", "on")
	id := path[strings.LastIndex(path, "/")+1:]
	says(t, b.submitForm(path+"/access", "note", "Nightly reports.", "action", "ask"), http.StatusOK, "Waiting for review")
	p := w.as(operator).submitForm("/developer/review/sandbox/"+id, "action", "approve")
	if p.StatusCode != http.StatusOK || len(w.live()) != 1 || w.live()[0].Kind != "machine" {
		t.Errorf("%s at %s: %v", p.Status, p.Request.URL, w.live())
	}
}
