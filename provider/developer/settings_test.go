package developer_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	t.Run("SavingWithoutAChangeChangesNothing", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		b := w.as(dev)
		for name, change := range map[string]func(*provider.Client){
			"Standard": func(*provider.Client) {},
			"V3":       func(c *provider.Client) { c.Dialect, c.NoJSONP = provider.V3, true },
			"Defaults": func(c *provider.Client) { c.Scopes, c.GrantTypes, c.ResponseTypes = nil, nil, nil },
			"Public":   func(c *provider.Client) { c.Public, c.Origins = true, []string{"https://app.test"} },
		} {
			w.withApplication(river, storage.Sandbox, name, change)
			unchanged := w.unchanged()
			says(t, b.submit(b.open("/developer/o/river/sandbox/"+name+"/settings"), "action", "save"), http.StatusOK, "saved and active")
			unchanged(name)
		}
	})
	t.Run("EveryFieldIsSavedAndRecorded", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		before := w.client(storage.Sandbox, "shop")
		b := w.as(dev)
		p := b.submit(b.open(shopPath+"/settings"), "name", "Till", "policy_uri", "https://app.test/p", "tos_uri", "https://app.test/t",
			"redirect_uris", callbackURI+"\r\nhttps://app.test/two", "post_logout_redirect_uris", "https://app.test/bye", "origins", "https://app.test",
			"initiate_login_uri", "https://app.test/start", "scopes.military", "-", "scopes.student", "on", "require_verified", "on", "grant_types.refresh_token", "-", "response_types.code-id_token", "on",
			"token_endpoint_auth_method", "client_secret_post", "userinfo_signed", "on", "action", "save")
		says(t, p, http.StatusOK, "saved and active")
		want := before
		want.Name, want.PolicyURL, want.TermsURL, want.InitiateLoginURI = "Till", "https://app.test/p", "https://app.test/t", "https://app.test/start"
		want.RedirectURIs, want.PostLogoutRedirectURIs = []string{callbackURI, "https://app.test/two"}, []string{"https://app.test/bye"}
		want.Origins, want.Scopes, want.RequireVerified = []string{"https://app.test"}, []string{"openid", "student"}, true
		want.GrantTypes, want.ResponseTypes = []string{"authorization_code"}, []string{"code", "code id_token"}
		want.TokenEndpointAuthMethod, want.UserinfoSignedResponseAlg = "client_secret_post", "RS256"
		if diff := cmp.Diff(want, w.client(storage.Sandbox, "shop"), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
			t.Errorf("client (-want +got):\n%s", diff)
		}
		if app, err := w.store.Application(t.Context(), storage.Sandbox, "shop"); err != nil || app.Name != "Till" {
			t.Errorf("the application is found as %q, %v", app.Name, err)
		}
		change := w.changes(river)[0]
		if change.What != "application.change" || len(change.Fields) != 13 {
			t.Errorf("recorded %q with %d fields: %v", change.What, len(change.Fields), change.Fields)
		}
		if diff := cmp.Diff(storage.ChangedField{Name: "name", Before: "App shop", After: "Till"}, change.Fields[0]); diff != "" {
			t.Errorf("the first field (-want +got):\n%s", diff)
		}
	})
	t.Run("AChangeIsInForceAtTheProviderAtOnce", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		status := func(uri string) int {
			b := w.newBrowser()
			b.home = w.sandboxServer.URL
			return b.get("/oauth/authorize?" + url.Values{
				"client_id": {"shop"}, "redirect_uri": {uri}, "response_type": {"code"}, "scope": {"openid"}, "login_hint": {"persona:veteran"},
			}.Encode()).StatusCode
		}
		const moved = "https://app.test/moved"
		if status(callbackURI) != http.StatusSeeOther || status(moved) != http.StatusBadRequest {
			t.Fatalf("before: %d and %d", status(callbackURI), status(moved))
		}
		b := w.as(dev)
		b.submit(b.open(shopPath+"/settings"), "redirect_uris", moved, "action", "save")
		if status(callbackURI) != http.StatusBadRequest || status(moved) != http.StatusSeeOther {
			t.Errorf("after: %d and %d", status(callbackURI), status(moved))
		}
		b.submit(b.open(shopPath+"/settings"), "action", "disable")
		if status(moved) != http.StatusBadRequest {
			t.Errorf("disabled: %d", status(moved))
		}
		b.submit(b.open(shopPath+"/settings"), "action", "enable")
		if status(moved) != http.StatusSeeOther {
			t.Errorf("enabled again: %d", status(moved))
		}
	})
	t.Run("OfTwoWhoEditAtOnceTheSecondIsToldAndLosesNothing", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		first, second := w.as(dev), w.as(owner)
		of1, of2 := first.open(shopPath+"/settings"), second.open(shopPath+"/settings")
		first.submit(of1, "name", "Of the first", "action", "save")
		p := second.submit(of2, "name", "Of the second", "policy_uri", "https://app.test/p", "action", "save")
		if p.StatusCode != http.StatusConflict || !strings.Contains(p.body, "This page has changed since you opened it") || !strings.Contains(p.body, "Of the first") ||
			!strings.Contains(p.body, `value="Of the second"`) || !strings.Contains(p.body, `value="https://app.test/p"`) {
			t.Fatalf("%s\n%s", p.Status, p.body)
		}
		if got := w.client(storage.Sandbox, "shop").Name; got != "Of the first" {
			t.Fatalf("saved %q", got)
		}
		second.submit(p, "action", "save")
		if got := w.client(storage.Sandbox, "shop"); got.Name != "Of the second" || got.PolicyURL != "https://app.test/p" {
			t.Errorf("saved %+v", got)
		}
	})
	t.Run("WhatWasEnteredIsStillThereAfterConfirmingInAnotherTab", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		b := w.as(dev)
		p := b.open(shopPath + "/settings")
		w.advance(10 * time.Minute)
		p = b.submit(p, "name", "Till", "redirect_uris", "https://app.test/two", "action", "save")
		says(t, p, http.StatusForbidden, `href="?confirm=yes" target="_blank"`)
		tab := b.signIn(b.open(shopPath+"/settings?confirm=yes"), dev)
		if tab.Request.URL.Path != shopPath+"/settings" || !strings.Contains(tab.body, "Confirmed.") {
			t.Fatalf("%s at %s\n%s", tab.Status, tab.Request.URL, tab.body)
		}
		b.submit(p, "action", "save")
		if c := w.client(storage.Sandbox, "shop"); c.Name != "Till" || c.RedirectURIs[0] != "https://app.test/two" {
			t.Errorf("saved %+v", c)
		}
	})
	t.Run("SaysWhatIsWrong", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
		b := w.as(dev)
		unchanged := w.unchanged()
		for want, pairs := range map[string][]string{
			"Enter at least one address":                              {"redirect_uris", ""},
			"Line 1: Use https://, lowercase letters":                 {"origins", "app.test"},
			"Choose at least one grant type":                          {"grant_types.authorization_code", "-", "grant_types.refresh_token", "-"},
			"Choose at least one response type":                       {"response_types.code", "-"},
			"Enter the full address of a page":                        {"policy_uri", "javascript:alert(1)"},
			"Use up to 120 characters":                                {"name", strings.Repeat("x", 121)},
			"Line 2: Use https:// (http:// works only for localhost)": {"post_logout_redirect_uris", "\nhttp://app.test/"},
		} {
			p := b.submit(b.open(shopPath+"/settings"), append(pairs, "action", "save")...)
			says(t, p, http.StatusUnprocessableEntity, want)
		}
		unchanged("the application")
	})
}

// Somebody adds fields to the form that the page does not have.
func TestAttackMassAssignment(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.OperatorScopes = []string{"military"} })
	w.withApplication(river, storage.Production, "shop", func(c *provider.Client) { c.Unreviewed, c.Scopes = true, []string{"openid", "offline_access"} })
	w.withApplication(lake, storage.Production, "boats")
	before := w.client(storage.Production, "shop")
	b := w.as(owner)
	action, fields := b.open("/developer/o/river/production/shop/settings").form(t, "action", "save", "name", "Till")
	for field, value := range map[string]string{
		"skip_consent": "on", "SkipConsent": "true", "unreviewed": "", "public": "on", "secret": "correct-horse-battery-staple-0123456789",
		"client_secret": "correct-horse-battery-staple-0123456789", "client_id": "boats", "id": "boats", "ID": "boats", "client": "boats",
		"org": lake, "owner": "mallory", "organization_id": lake, "dialect": "v3", "kind": "spa", "disabled": "on", "env": "sandbox",
		"scopes": "military", "scopes.military": "on", "scopes.openid": "on", "revision": "0", "logo": "x", "button_color": "#ff0000",
		"no_query_token": "on", "no_jsonp": "on",
	} {
		fields.Set(field, value)
	}
	says(t, b.follow(b.post(action, fields)), http.StatusOK)
	want := before
	want.Name = "Till"
	if diff := cmp.Diff(want, w.client(storage.Production, "shop"), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
	if got := w.client(storage.Production, "boats").Name; got != "App boats" {
		t.Errorf("the application of another is called %q", got)
	}
	unchanged := w.unchanged()
	for _, field := range []string{"name", "redirect_uris", "version", "action"} {
		twice := url.Values{}
		for name, values := range fields {
			twice[name] = values
		}
		twice[field] = []string{fields.Get(field), "Other"}
		if p := b.post(action, twice); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s twice: %s", field, p.Status)
		}
	}
	for _, version := range []string{"0", "-1", "", "x"} {
		fields.Set("version", version)
		says(t, b.post(action, fields), http.StatusForbidden)
	}
	unchanged("the application")
}

// An application that was reviewed with one scope asks for another afterwards.
func TestAttackScopesPastTheReview(t *testing.T) {
	t.Parallel()
	w := newFixture(t, reviewed).withApplication(river, storage.Production, "shop")
	b := w.as(owner)
	p := b.open("/developer/o/river/production/shop/settings")
	if strings.Contains(p.body, "scopes.student") {
		t.Error("it is offered")
	}
	action, fields := p.form(t, "scopes.military", "on", "action", "save")
	fields.Set("scopes.student", "on")
	b.follow(b.post(action, fields))
	if diff := cmp.Diff([]string{"openid", "military"}, w.client(storage.Production, "shop").Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	// It can do with less, also when something else of the form is wrong.
	p = b.submit(b.open("/developer/o/river/production/shop/settings"), "scopes.military", "-", "name", "", "action", "save")
	b.submit(p, "name", "Till", "scopes.military", "-", "action", "save")
	if diff := cmp.Diff([]string{"openid"}, w.client(storage.Production, "shop").Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
}

// An application keeps the scopes that the operator has given it, and only these.
func TestScopesOfTheOperatorStay(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.OperatorScopes = []string{"military"} })
	w.withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	b.submit(b.open(shopPath+"/settings"), "scopes.student", "on", "action", "save")
	if diff := cmp.Diff([]string{"military", "openid", "student"}, w.client(storage.Sandbox, "shop").Scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	b.submit(b.open(shopPath), "action", "copy")
	if _, copied := w.registered(river, storage.Production); strings.Contains(strings.Join(copied.Scopes, " "), "military") {
		t.Errorf("the copy has scopes %q", copied.Scopes)
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.SkipConsent, c.ButtonColor = true, "#0f766e" })
	b := w.as(dev)
	p := b.submit(b.open(shopPath), "action", "copy")
	app, copied := w.registered(river, storage.Production)
	if p.Request.URL.Path != "/developer/o/river/production/"+app.ClientID || !strings.Contains(p.body, "This is the copy.") {
		t.Errorf("%s at %s", p.Status, p.Request.URL)
	}
	want := w.client(storage.Sandbox, "shop")
	want.ID, want.SkipConsent, want.Unreviewed = app.ClientID, false, true
	if diff := cmp.Diff(want, copied, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(provider.Client{}, "Revision")); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	one, err1 := w.sandbox.Clients().Secret(t.Context(), "shop")
	other, err2 := w.id.Clients().Secret(t.Context(), app.ClientID)
	if errors.Join(err1, err2) != nil || one == other {
		t.Errorf("the copy has the same secret, or none: %v", errors.Join(err1, err2))
	}
	back := b.submit(b.open("/developer/o/river/production/"+app.ClientID), "action", "copy")
	if c := w.client(storage.Sandbox, strings.TrimPrefix(back.Request.URL.Path, "/developer/o/river/sandbox/")); c.Unreviewed || !strings.HasPrefix(c.ID, "test_") {
		t.Errorf("copied back: %+v", c)
	}
	reviewing := newFixture(t, reviewed).withApplication(river, storage.Sandbox, "shop")
	b = reviewing.as(owner)
	p = b.open(shopPath)
	if strings.Contains(p.body, `value="copy"`) {
		t.Error("offered where applications are reviewed")
	}
	action, fields := p.form(t, "action", "reveal")
	fields.Set("action", "copy")
	unchanged := reviewing.unchanged()
	says(t, b.post(action, fields), http.StatusForbidden)
	unchanged("production")
}

func TestDelete(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "other")
	entries := make([]storage.LogEntry, 1200)
	for i := range entries {
		entries[i] = storage.LogEntry{Environment: storage.Sandbox, ClientID: "shop", At: w.now(), Event: "token", Outcome: "ok"}
	}
	w.ok(w.store.AppendLog(t.Context(), entries))
	b := w.as(dev)
	p := b.submit(b.open(shopPath+"/delete"), "confirm", "app shop", "action", "delete")
	says(t, p, http.StatusUnprocessableEntity, "Type the name exactly")
	p = b.submit(p, "confirm", "App shop", "action", "delete")
	if p.Request.URL.Path != "/developer/o/river/sandbox" || !strings.Contains(p.body, "App other") {
		t.Fatalf("%s at %s", p.Status, p.Request.URL)
	}
	if _, err := w.sandbox.Clients().Get(t.Context(), "shop"); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("the client: %v", err)
	}
	w.removed(storage.Sandbox, "shop")
	if left, err := w.store.Log(t.Context(), storage.LogFilter{Environment: storage.Sandbox, ClientID: "shop"}); err != nil || len(left) > 0 {
		t.Errorf("%d lines of its log are left, %v", len(left), err)
	}
	says(t, b.open(shopPath), http.StatusNotFound)
	if c := w.changes(river)[0]; c.What != "application.delete" || c.ClientID != "shop" {
		t.Errorf("recorded %+v", c)
	}
}
