package grants

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// introspected asks about a token as the application that it was issued to.
func introspected(b *lab.Browser, id, token string) map[string]any {
	b.T.Helper()
	_, answer := b.JSON(b.Client(lab.IntrospectPath, id, "token", token))
	return answer
}

func TestMachineGetsATokenOfItsOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("robot")
	for name, style := range map[string]oauth2.AuthStyle{"Basic": oauth2.AuthStyleInHeader, "Post": oauth2.AuthStyleInParams} {
		t.Run(name, func(t *testing.T) {
			token, err := w.OwnToken("robot", lab.ClientSecret, style, "student")
			if err != nil {
				t.Fatal(err)
			}
			if token.TokenType != "bearer" || token.Extra("expires_in") != 300.0 || token.RefreshToken != "" || token.Extra("id_token") != nil || token.Extra("scope") != "student" {
				t.Errorf("token %+v, scope %v, id_token %v", token, token.Extra("scope"), token.Extra("id_token"))
			}
			answer := introspected(w.NewBrowser(), "robot", token.AccessToken)
			delete(answer, "exp")
			delete(answer, "iat")
			want := map[string]any{
				"active": true, "client_id": "robot", "sub": "robot", "scope": "student", "token_type": "bearer", "iss": w.Server.URL + "/oidc",
			}
			if diff := cmp.Diff(want, answer); diff != "" {
				t.Errorf("introspection (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMachineThatNamesNoScopeGetsItsOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("robot")
	if got := w.MachineToken("robot").Extra("scope"); got != "military student" {
		t.Errorf("scope %v", got)
	}
}

func TestMachineInV3GetsLifetimesAsStrings(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("old", func(c *provider.Client) { c.Dialect = provider.V3 })
	p, tokens := w.NewBrowser().JSON(w.NewBrowser().Client(lab.TokenPath, "old", "grant_type", "client_credentials"))
	if tokens["expires_in"] != "300" || tokens["refresh_token"] != nil {
		t.Errorf("%s %v", p.Status, tokens)
	}
}

func TestTokenOfAMachineOpensNobodysData(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.Machine("alice") // as a user is called
	b, token := w.NewBrowser(), w.MachineToken("alice", "military").AccessToken
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		p, body := b.JSON(b.Bearer(path, token))
		if p.StatusCode != http.StatusForbidden || body["error"] != "insufficient_scope" {
			t.Errorf("%s: %s %s", path, p.Status, p.Text)
		}
	}
}

func TestUserCalledLikeAMachineDoesNotEndItsTokens(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.Machine("alice")
	token := w.MachineToken("alice").AccessToken
	w.OK(w.People().Revoke(t.Context(), "alice"))
	w.Advance(2 * time.Second)
	if answer := introspected(w.NewBrowser(), "alice", token); answer["active"] != true {
		t.Errorf("introspection %v", answer)
	}
}

func TestMachineIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	w.Machine("robot")
	for name, c := range map[string]struct {
		id, secret, scope, want string
	}{
		"WithAWrongSecret":     {"robot", lab.ClientSecret + "x", "military", "invalid_client"},
		"Unknown":              {"nobody", lab.ClientSecret, "military", "invalid_client"},
		"WithAScopeNotItsOwn":  {"robot", lab.ClientSecret, "teacher", "invalid_scope"},
		"WithAScopeThatIsNone": {"robot", lab.ClientSecret, "magic", "invalid_scope"},
		"WithOpenID":           {"robot", lab.ClientSecret, "openid", "invalid_scope"},
		"WithOfflineAccess":    {"robot", lab.ClientSecret, "offline_access", "invalid_scope"},
		"WithoutTheGrant":      {"std", lab.ClientSecret, "military", "unauthorized_client"},
		"WithoutTheGrantInV3":  {"v3", lab.ClientSecret, "military", "unsupported_grant_type"},
		"BecauseItIsPublic":    {"pub", "", "military", "unauthorized_client"},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := w.OwnToken(c.id, c.secret, oauth2.AuthStyleInParams, c.scope)
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
	w := lab.New(t)
	w.Machine("robot")
	// It became public behind the back of SaveClient, which refuses it.
	stored, err := w.Store.Client(t.Context(), "robot")
	w.OK(err)
	stored.Public, stored.Secrets, stored.AuthMethod = true, nil, "none"
	w.OK(w.Store.SaveClient(t.Context(), stored))
	w.Advance(2 * time.Second)
	if token, err := w.OwnToken("robot", "", oauth2.AuthStyleInParams); err == nil || errorCode(err) != "unauthorized_client" {
		t.Errorf("issued %+v: %v", token, err)
	}
}

func TestAccessTokenOfAMachineIsNoRefreshToken(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("robot", func(c *provider.Client) {
		c.GrantTypes, c.RedirectURIs = append(c.GrantTypes, "refresh_token"), []string{lab.CallbackURI}
	})
	token := w.MachineToken("robot")
	if token.RefreshToken != "" {
		t.Error("a refresh token was issued")
	}
	b := w.NewBrowser()
	for _, grant := range []string{"refresh_token", "authorization_code"} {
		p, body := b.JSON(b.Client(lab.TokenPath, "robot", "grant_type", grant, "refresh_token", token.AccessToken, "code", token.AccessToken))
		if p.StatusCode != http.StatusBadRequest || body["access_token"] != nil {
			t.Errorf("%s: %s %s", grant, p.Status, p.Text)
		}
	}
}

func TestTokenOfAMachineEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Fixture, token string){
		"Revoked": func(w *lab.Fixture, token string) {
			if p := w.NewBrowser().Client(lab.RevokePath, "robot", "token", token); p.StatusCode != http.StatusOK {
				w.T.Errorf("revoke: %s", p.Status)
			}
		},
		"Expired": func(w *lab.Fixture, _ string) { w.Advance(6 * time.Minute) },
		"ScopeWithdrawn": func(w *lab.Fixture, _ string) {
			w.Machine("robot", func(c *provider.Client) { c.Scopes = []string{"student"} })
		},
		"HostEndsAll": func(w *lab.Fixture, _ string) {
			w.Advance(time.Second)
			w.OK(w.People().RevokeIssuedBefore(w.T.Context(), w.Now()))
		},
		"Deleted": func(w *lab.Fixture, _ string) {
			w.OK(w.Clients().Delete(w.T.Context(), "robot", 0))
			w.Machine("robot") // another one of the same name
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t)
			w.Machine("robot")
			token := w.MachineToken("robot", "military").AccessToken
			b := w.NewBrowser()
			if answer := introspected(b, "robot", token); answer["active"] != true {
				t.Fatalf("introspection %v", answer)
			}
			end(w, token)
			w.Advance(2 * time.Second)
			if diff := cmp.Diff(map[string]any{"active": false}, introspected(b, "robot", token)); diff != "" {
				t.Errorf("introspection (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDisabledMachineHasNoToken(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("robot")
	token := w.MachineToken("robot").AccessToken
	w.Machine("robot", func(c *provider.Client) { c.Disabled = true })
	w.Advance(time.Second)
	if p := w.NewBrowser().Bearer(lab.UserinfoPath, token); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("the former one: %s %s", p.Status, p.Text)
	}
	if _, err := w.OwnToken("robot", lab.ClientSecret, oauth2.AuthStyleInHeader); errorCode(err) != "invalid_client" {
		t.Errorf("another one: %v", err)
	}
}

func TestRevocationByAMachineIsNobodysEvent(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Machine("robot")
	w.NewBrowser().Client(lab.RevokePath, "robot", "token", w.MachineToken("robot").AccessToken)
	events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.Revoked})
	w.OK(err)
	if len(events) != 1 || events[0].UserID != "" || events[0].ClientID != "robot" {
		t.Errorf("events %+v", events)
	}
}

func TestMachineSendsNobodyToSignIn(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.Machine("robot")
	if p := w.Alice().Open(lab.AuthorizeURL("client_id", "robot")); p.StatusCode != http.StatusBadRequest {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
}

func TestApplicationThatBecameAMachineIsStillAmongThoseOfAUser(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.Alice()
	b.StandardTokens()
	w.Machine("std")
	w.Advance(2 * time.Second)
	if p := b.Open("/account/apps"); p.StatusCode != http.StatusOK {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
}

func TestRegistrationOfAMachine(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for name, c := range map[string]struct {
		client provider.Client
		field  string
	}{
		"Machine":               {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials"}}, ""},
		"MachineAndSite":        {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials", "authorization_code"}, RedirectURIs: []string{lab.CallbackURI}}, ""},
		"SiteWithoutAddress":    {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials", "authorization_code"}}, "RedirectURIs"},
		"RefreshWithoutAddress": {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials", "refresh_token"}}, "RedirectURIs"},
		"NothingAtAll":          {provider.Client{Dialect: provider.V3}, "RedirectURIs"},
		"ResponseToNowhere":     {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials"}, ResponseTypes: []string{"code"}}, "ResponseTypes"},
		"Public":                {provider.Client{Dialect: provider.V3, GrantTypes: []string{"client_credentials"}, Public: true}, "GrantTypes"},
		"API":                   {provider.Client{Dialect: provider.Standard, GrantTypes: []string{"urn:ietf:params:oauth:grant-type:token-exchange"}}, ""},
		"PublicExchange":        {provider.Client{Dialect: provider.Standard, GrantTypes: []string{"urn:ietf:params:oauth:grant-type:token-exchange"}, Public: true}, "GrantTypes"},
		"ExchangeInV3":          {provider.Client{Dialect: provider.V3, GrantTypes: []string{"urn:ietf:params:oauth:grant-type:token-exchange"}}, "GrantTypes"},
	} {
		t.Run(name, func(t *testing.T) {
			c.client.ID = "robot"
			var wrong *provider.FieldError
			field := ""
			if errors.As(w.Clients().Save(t.Context(), c.client), &wrong) {
				field = wrong.Field
			}
			if field != c.field {
				t.Errorf("the field %q is wrong, want %q", field, c.field)
			}
		})
	}
}
