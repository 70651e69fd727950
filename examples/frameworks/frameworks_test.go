package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const clientSecret = "rUq3-Zt7wYkP0sVx9LmB2nHdGf5CjEa8"

func TestEveryFrameworkSignsItsMembersIn(t *testing.T) {
	for name, site := range sites {
		t.Run(name, func(t *testing.T) {
			var handler http.Handler
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
			t.Cleanup(server.Close)
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "identity.db"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := newIdentity(t.Context(), server.URL, []byte("n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU"), store)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Close() })
			handler = site(p)
			var answer url.Values
			application := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { answer = r.URL.Query() }))
			t.Cleanup(application.Close)
			err = p.Clients().Save(t.Context(), provider.Client{
				ID: "app", Name: "An App", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{application.URL + "/cb"},
			})
			if err != nil {
				t.Fatal(err)
			}
			found, err := oidc.NewProvider(t.Context(), p.Issuer())
			if err != nil {
				t.Fatal(err)
			}
			config := oauth2.Config{ClientID: "app", ClientSecret: clientSecret, Endpoint: found.Endpoint(), RedirectURL: application.URL + "/cb", Scopes: []string{"openid", "identity"}}

			b := browser.New(t)
			b.Open(config.AuthCodeURL("s"))
			if b.URL.Path != "/login" {
				t.Fatalf("the browser is at %s, not at the sign-in page", b.URL)
			}
			b.Submit("email", memberEmail, "password", "not hers")
			if b.Status != http.StatusUnauthorized {
				t.Fatalf("a wrong password: %d", b.Status)
			}
			b.Open(config.AuthCodeURL("s"))
			b.Submit("email", memberEmail, "password", memberPassword)
			b.Shows("An App")
			b.Submit("action", "allow") // past the host's protection against forged requests
			token, err := config.Exchange(t.Context(), answer.Get("code"))
			if err != nil {
				t.Fatalf("%v %v", err, answer)
			}
			raw, _ := token.Extra("id_token").(string)
			id, err := found.Verifier(&oidc.Config{ClientID: "app"}).Verify(t.Context(), raw)
			if err != nil || id.Subject != memberID {
				t.Errorf("ID token of %v: %v", id, err)
			}

			// The session is enough for the next application, and not for prompt=login.
			answer = nil
			b.Open(config.AuthCodeURL("s"))
			if answer.Get("code") == "" {
				t.Errorf("with a session: %s %v", b.URL, answer)
			}
			b.Open(config.AuthCodeURL("s", oauth2.SetAuthURLParam("prompt", "login")))
			if b.URL.Path != "/login" {
				t.Errorf("with prompt=login the browser is at %s", b.URL)
			}

			// Nobody else posts the forms of the host.
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/login", strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			forged, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = forged.Body.Close()
			if forged.StatusCode != http.StatusForbidden && forged.StatusCode != http.StatusBadRequest {
				t.Errorf("a forged form: %s", forged.Status)
			}
		})
	}
}
