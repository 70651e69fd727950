package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/opensslsigner"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// postgresEnv tells the child process which database to use.
const postgresEnv = "BENCHMARK_POSTGRES"

// databaseFile is the name of a server's database in its folder.
const databaseFile = "bonafide.db"

func bonafideOnSQLite(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{Store: store})
}

// bonafideWithES256 signs ID tokens with ES256.
func bonafideWithES256(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{Store: store, Signing: provider.Signing{Algorithms: []string{"RS256", "ES256"}}})
}

func bonafideWithOpenSSL(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{Store: store, Signing: provider.Signing{Wrap: opensslsigner.Wrap}})
}

func bonafideOnPostgres(ctx context.Context, base, _ string) (http.Handler, func(*http.Client) (target, error), error) {
	store, err := postgres.Open(ctx, os.Getenv(postgresEnv))
	if err != nil {
		return nil, nil, err
	}
	return bonafide(ctx, base, provider.Config{Store: store})
}

const userPassword = "glacier-tulip-orbit-42"

// last returns the last algorithm of a list, or the default.
func last(algorithms []string) string {
	if len(algorithms) == 0 {
		return ""
	}
	return algorithms[len(algorithms)-1]
}

// sessions is how many users are signed in.
const sessions = 8

// bonafide is the provider as any host would mount it: its own accounts, its own
// keys, nothing switched off. cfg says in what it differs from that.
func bonafide(ctx context.Context, base string, cfg provider.Config) (http.Handler, func(*http.Client) (target, error), error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, nil, err
	}
	cfg.BaseURL, cfg.Secret = base, secret
	p, err := provider.New(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	err = p.Clients().Save(ctx, provider.Client{
		ID: clientID, Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{redirectURI},
		GrantTypes:               []string{"authorization_code", "refresh_token"},
		IDTokenSignedResponseAlg: last(cfg.Algorithms),
	})
	if err != nil {
		return nil, nil, err
	}
	go func() { _ = p.Run(ctx) }()
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"},
		"scope": {"openid military"}, "state": {"af0ifjsldkj"},
	}
	t := target{
		Authorize: "/oauth/authorize?" + query.Encode(), Token: "/oauth/token", Refresh: true,
		Userinfo: "/api/public/v3/userinfo", Attributes: "/api/public/v3/attributes.json", Introspect: "/oauth/introspect",
		Discovery: "/oidc/.well-known/openid-configuration", Keys: "/oidc/.well-known/jwks",
	}
	return p, func(client *http.Client) (target, error) {
		for i := range sessions {
			cookie, err := signIn(ctx, p, client, base, t.Authorize, i)
			if err != nil {
				return target{}, fmt.Errorf("sign in: %w", err)
			}
			t.Cookies = append(t.Cookies, cookie)
		}
		return t, nil
	}, nil
}

// signIn records a user, signs them in and allows the application, on the screens,
// and returns the browser's cookies.
func signIn(ctx context.Context, p *provider.Provider, client *http.Client, base, authorize string, i int) (string, error) {
	email := fmt.Sprintf("user%d@example.com", i)
	id, err := p.Accounts().Save(ctx, provider.Account{Email: email, EmailVerified: true, Password: userPassword})
	if err != nil {
		return "", err
	}
	err = errors.Join(
		p.People().SetAttributes(ctx, id, map[string]any{"fname": "Alice", "lname": "Example", "zip": "22030", "birthdate": "1990-04-02"}),
		p.People().SetStatus(ctx, id, provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}))
	if err != nil {
		return "", err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	browser := &http.Client{Jar: jar, Timeout: client.Timeout, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirectURI) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	// Whose code it is does not matter: it is not exchanged and expires.
	page, err := browser.Get(base + authorize + "&code_challenge_method=S256&code_challenge=" + strings.Repeat("A", 43))
	for err == nil && page.StatusCode == http.StatusOK {
		page, err = submit(browser, page, email)
	}
	if err != nil {
		return "", err
	}
	defer page.Body.Close()
	if !strings.HasPrefix(page.Header.Get("Location"), redirectURI) {
		return "", fmt.Errorf("no code: %s", page.Status)
	}
	var cookies []string
	for _, c := range jar.Cookies(page.Request.URL) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	return strings.Join(cookies, "; "), nil
}

// submit fills in the form of a page and posts it.
func submit(browser *http.Client, page *http.Response, email string) (*http.Response, error) {
	defer page.Body.Close()
	root, err := html.Parse(page.Body)
	if err != nil {
		return nil, err
	}
	var action string
	fields := url.Values{}
	for n := range root.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		switch {
		case n.Data == "form" && strings.EqualFold(attr["method"], "post") && action == "":
			action = attr["action"]
		case n.Data == "input" && attr["name"] != "":
			fields.Set(attr["name"], attr["value"])
		}
	}
	if action == "" {
		return nil, fmt.Errorf("no form at %s", page.Request.URL.Path)
	}
	fields.Set("email", email)
	fields.Set("password", userPassword)
	fields.Set("action", "allow")
	to, err := page.Request.URL.Parse(action)
	if err != nil {
		return nil, err
	}
	return browser.PostForm(to.String(), fields)
}
