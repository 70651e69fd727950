package provider_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/bonafide-id/bonafide/provider"
)

// machine registers an application that asks for itself only; change may adjust it.
func (w *fixture) machine(id string, change ...func(*provider.Client)) {
	w.t.Helper()
	c := provider.Client{
		ID: id, Secret: clientSecret, Dialect: provider.Standard,
		GrantTypes: []string{"client_credentials"}, Scopes: []string{"openid", "military", "student"},
	}
	for _, f := range change {
		f(&c)
	}
	w.ok(w.SaveClient(w.t.Context(), c))
}

// ownToken asks for an access token as the application itself, as a library does.
func (w *fixture) ownToken(id, secret string, style oauth2.AuthStyle, scopes ...string) (*oauth2.Token, error) {
	ctx := context.WithValue(w.t.Context(), oauth2.HTTPClient, &http.Client{Transport: ownConnections(w.t)})
	return (&clientcredentials.Config{
		ClientID: id, ClientSecret: secret, TokenURL: w.server.URL + tokenPath, AuthStyle: style, Scopes: scopes,
	}).Token(ctx)
}

func (w *fixture) machineToken(id string, scopes ...string) *oauth2.Token {
	w.t.Helper()
	token, err := w.ownToken(id, clientSecret, oauth2.AuthStyleInHeader, scopes...)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// introspected asks about a token as the application that it was issued to.
func (b *browser) introspected(id, token string) map[string]any {
	b.t.Helper()
	_, answer := b.json(b.client(introspectPath, id, "token", token))
	return answer
}

func TestMachineGetsATokenOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot")
	for name, style := range map[string]oauth2.AuthStyle{"Basic": oauth2.AuthStyleInHeader, "Post": oauth2.AuthStyleInParams} {
		t.Run(name, func(t *testing.T) {
			token, err := w.ownToken("robot", clientSecret, style, "student")
			if err != nil {
				t.Fatal(err)
			}
			if token.TokenType != "bearer" || token.Extra("expires_in") != 300.0 || token.RefreshToken != "" || token.Extra("id_token") != nil || token.Extra("scope") != "student" {
				t.Errorf("token %+v, scope %v, id_token %v", token, token.Extra("scope"), token.Extra("id_token"))
			}
			answer := w.newBrowser().introspected("robot", token.AccessToken)
			delete(answer, "exp")
			delete(answer, "iat")
			want := map[string]any{
				"active": true, "client_id": "robot", "sub": "robot", "scope": "student", "token_type": "bearer", "iss": w.server.URL + "/oidc",
			}
			if diff := cmp.Diff(want, answer); diff != "" {
				t.Errorf("introspection (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMachineThatNamesNoScopeGetsItsOwn(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot")
	if got := w.machineToken("robot").Extra("scope"); got != "military student" {
		t.Errorf("scope %v", got)
	}
}

func TestMachineInV3GetsLifetimesAsStrings(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("old", func(c *provider.Client) { c.Dialect = provider.V3 })
	p, tokens := w.newBrowser().json(w.newBrowser().client(tokenPath, "old", "grant_type", "client_credentials"))
	if tokens["expires_in"] != "300" || tokens["refresh_token"] != nil {
		t.Errorf("%s %v", p.Status, tokens)
	}
}

func TestTokenOfAMachineOpensNobodysData(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	w.machine("alice") // as a user is called
	b, token := w.newBrowser(), w.machineToken("alice", "military").AccessToken
	for _, path := range []string{userinfoPath, attributesPath} {
		p, body := b.json(b.bearer(path, token))
		if p.StatusCode != http.StatusForbidden || body["error"] != "insufficient_scope" {
			t.Errorf("%s: %s %s", path, p.Status, p.body)
		}
	}
}

func TestUserCalledLikeAMachineDoesNotEndItsTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	w.machine("alice")
	token := w.machineToken("alice").AccessToken
	w.ok(w.RevokeUser(t.Context(), "alice"))
	w.advance(2 * time.Second)
	if answer := w.newBrowser().introspected("alice", token); answer["active"] != true {
		t.Errorf("introspection %v", answer)
	}
}

func TestMachineIsRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	w.machine("robot")
	for name, c := range map[string]struct {
		id, secret, scope, want string
	}{
		"WithAWrongSecret":     {"robot", clientSecret + "x", "military", "invalid_client"},
		"Unknown":              {"nobody", clientSecret, "military", "invalid_client"},
		"WithAScopeNotItsOwn":  {"robot", clientSecret, "teacher", "invalid_scope"},
		"WithAScopeThatIsNone": {"robot", clientSecret, "magic", "invalid_scope"},
		"WithOpenID":           {"robot", clientSecret, "openid", "invalid_scope"},
		"WithOfflineAccess":    {"robot", clientSecret, "offline_access", "invalid_scope"},
		"WithoutTheGrant":      {"std", clientSecret, "military", "unauthorized_client"},
		"WithoutTheGrantInV3":  {"v3", clientSecret, "military", "unsupported_grant_type"},
		"BecauseItIsPublic":    {"pub", "", "military", "unauthorized_client"},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := w.ownToken(c.id, c.secret, oauth2.AuthStyleInParams, c.scope)
			if err == nil {
				t.Fatalf("issued %+v", token)
			}
			if got := errorCode(err); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestPublicClientCannotHaveClientCredentials(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot")
	// It became public behind the back of SaveClient, which refuses it.
	stored, err := w.store.Client(t.Context(), "robot")
	w.ok(err)
	stored.Public, stored.Secrets, stored.AuthMethod = true, nil, "none"
	w.ok(w.store.SaveClient(t.Context(), stored))
	w.advance(2 * time.Second)
	if token, err := w.ownToken("robot", "", oauth2.AuthStyleInParams); err == nil || errorCode(err) != "unauthorized_client" {
		t.Errorf("issued %+v: %v", token, err)
	}
}

func TestAccessTokenOfAMachineIsNoRefreshToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot", func(c *provider.Client) {
		c.GrantTypes, c.RedirectURIs = append(c.GrantTypes, "refresh_token"), []string{callbackURI}
	})
	token := w.machineToken("robot")
	if token.RefreshToken != "" {
		t.Error("a refresh token was issued")
	}
	b := w.newBrowser()
	for _, grant := range []string{"refresh_token", "authorization_code"} {
		p, body := b.json(b.client(tokenPath, "robot", "grant_type", grant, "refresh_token", token.AccessToken, "code", token.AccessToken))
		if p.StatusCode != http.StatusBadRequest || body["access_token"] != nil {
			t.Errorf("%s: %s %s", grant, p.Status, p.body)
		}
	}
}

func TestTokenOfAMachineEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *fixture, token string){
		"Revoked": func(w *fixture, token string) {
			if p := w.newBrowser().client(revokePath, "robot", "token", token); p.StatusCode != http.StatusOK {
				w.t.Errorf("revoke: %s", p.Status)
			}
		},
		"Expired": func(w *fixture, _ string) { w.advance(6 * time.Minute) },
		"ScopeWithdrawn": func(w *fixture, _ string) {
			w.machine("robot", func(c *provider.Client) { c.Scopes = []string{"student"} })
		},
		"HostEndsAll": func(w *fixture, _ string) {
			w.advance(time.Second)
			w.ok(w.RevokeIssuedBefore(w.t.Context(), w.now()))
		},
		"Deleted": func(w *fixture, _ string) {
			w.ok(w.DeleteClient(w.t.Context(), "robot"))
			w.machine("robot") // another one of the same name
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.machine("robot")
			token := w.machineToken("robot", "military").AccessToken
			b := w.newBrowser()
			if answer := b.introspected("robot", token); answer["active"] != true {
				t.Fatalf("introspection %v", answer)
			}
			end(w, token)
			w.advance(2 * time.Second)
			if diff := cmp.Diff(map[string]any{"active": false}, b.introspected("robot", token)); diff != "" {
				t.Errorf("introspection (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDisabledMachineHasNoToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot")
	token := w.machineToken("robot").AccessToken
	w.machine("robot", func(c *provider.Client) { c.Disabled = true })
	w.advance(time.Second)
	if p := w.newBrowser().bearer(userinfoPath, token); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("the former one: %s %s", p.Status, p.body)
	}
	if _, err := w.ownToken("robot", clientSecret, oauth2.AuthStyleInHeader); errorCode(err) != "invalid_client" {
		t.Errorf("another one: %v", err)
	}
}

func TestRevocationByAMachineIsNobodysEvent(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.machine("robot")
	w.newBrowser().client(revokePath, "robot", "token", w.machineToken("robot").AccessToken)
	events, err := w.Events(t.Context(), provider.EventFilter{Name: provider.EventRevoked})
	w.ok(err)
	if len(events) != 1 || events[0].UserID != "" || events[0].ClientID != "robot" {
		t.Errorf("events %+v", events)
	}
}

func TestMachineSendsNobodyToSignIn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	w.machine("robot")
	if p := w.alice().open(authorizeURL("client_id", "robot")); p.StatusCode != http.StatusBadRequest {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

func TestApplicationThatBecameAMachineIsStillAmongThoseOfAUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	b.standardTokens()
	w.machine("std")
	w.advance(2 * time.Second)
	if p := b.open("/account/apps"); p.StatusCode != http.StatusOK {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

func TestRegistrationOfAMachine(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, c := range map[string]struct {
		client provider.Client
		field  string
	}{
		"Machine":               {provider.Client{GrantTypes: []string{"client_credentials"}}, ""},
		"MachineAndSite":        {provider.Client{GrantTypes: []string{"client_credentials", "authorization_code"}, RedirectURIs: []string{callbackURI}}, ""},
		"SiteWithoutAddress":    {provider.Client{GrantTypes: []string{"client_credentials", "authorization_code"}}, "RedirectURIs"},
		"RefreshWithoutAddress": {provider.Client{GrantTypes: []string{"client_credentials", "refresh_token"}}, "RedirectURIs"},
		"NothingAtAll":          {provider.Client{}, "RedirectURIs"},
		"ResponseToNowhere":     {provider.Client{GrantTypes: []string{"client_credentials"}, ResponseTypes: []string{"code"}}, "ResponseTypes"},
		"Public":                {provider.Client{GrantTypes: []string{"client_credentials"}, Public: true}, "GrantTypes"},
	} {
		t.Run(name, func(t *testing.T) {
			c.client.ID = "robot"
			var wrong *provider.FieldError
			field := ""
			if errors.As(w.SaveClient(t.Context(), c.client), &wrong) {
				field = wrong.Field
			}
			if field != c.field {
				t.Errorf("the field %q is wrong, want %q", field, c.field)
			}
		})
	}
}
