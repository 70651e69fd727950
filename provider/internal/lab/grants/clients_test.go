package grants

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// underPath moves a provider to a path of its host.
func underPath(path string) func(*provider.Config) {
	return func(c *provider.Config) { c.BaseURL += path }
}

func TestGoOIDC(t *testing.T) {
	t.Parallel()
	for name, mount := range map[string]struct {
		path string
		wrap func(http.Handler) http.Handler
	}{
		"AtTheRoot":            {"", func(p http.Handler) http.Handler { return p }},
		"UnderAPath":           {"/id", func(p http.Handler) http.Handler { return p }},
		"BehindStripPrefix":    {"/id", func(p http.Handler) http.Handler { return http.StripPrefix("/id", p) }},
		"BehindTimeoutHandler": {"/id", func(p http.Handler) http.Handler { return http.TimeoutHandler(p, time.Minute, "too slow") }},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t, underPath(mount.path)).WithClients().WithUsers()
			mux := http.NewServeMux()
			mux.Handle(mount.path+"/", mount.wrap(w.Provider))
			w.Server.Config.Handler = mux
			rp := lab.NewRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "login", "military")
			b := w.NewBrowser()

			token, id := rp.SignIn(b)
			if id.Subject != "alice" || id.Nonce != "n-0S6_WzA2Mj" {
				t.Errorf("ID token of %q with nonce %q", id.Subject, id.Nonce)
			}
			if left := time.Until(token.Expiry); left < 290*time.Second || left > 300*time.Second {
				t.Errorf("the access token expires in %v", left)
			}
			info := testkit.Must(rp.Provider.UserInfo(rp.Ctx, oauth2.StaticTokenSource(token)))(t)
			var claims struct {
				FirstName string `json:"fname"`
				Status    []map[string]any
			}
			testkit.OK(t, info.Claims(&claims))
			if info.Subject != "alice" || !info.EmailVerified || claims.FirstName != "Alice" {
				t.Errorf("userinfo: %+v %+v", info, claims)
			}
			want := []map[string]any{{"group": "military", "subgroups": []any{"Veteran"}, "verified": true}}
			if diff := cmp.Diff(want, claims.Status); diff != "" {
				t.Error(diff)
			}

			next := testkit.Must(rp.TokenSource(rp.Ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token())(t)
			if next.RefreshToken == token.RefreshToken || next.AccessToken == token.AccessToken {
				t.Error("refreshing returned a token that was used")
			}
			if again := rp.Verify(next); again.Subject != "alice" {
				t.Errorf("the refreshed ID token is of %q", again.Subject)
			}
		})
	}

	t.Run("ReadsNameAndEmailByTheScopesOfOpenIDConnect", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		rp := lab.NewRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess)
		token, _ := rp.SignIn(w.NewBrowser())
		info := testkit.Must(rp.Provider.UserInfo(rp.Ctx, oauth2.StaticTokenSource(token)))(t)
		var claims struct{ Name string }
		testkit.OK(t, info.Claims(&claims))
		if claims.Name != "Alice Example" || info.Email != "alice@example.com" || !info.EmailVerified {
			t.Errorf("userinfo: %+v %+v", info, claims)
		}
	})

	t.Run("ReadsSignedUserinfo", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{
			ID: "signed", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, UserinfoSignedResponseAlg: "RS256",
		}))
		rp := lab.NewRelyingParty(t, w.Issuer(), "signed", oidc.ScopeOpenID, "login", "military")
		token, _ := rp.SignIn(w.NewBrowser())
		info, err := rp.Provider.UserInfo(rp.Ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Email != "alice@example.com" {
			t.Fatalf("%+v %v", info, err)
		}
		// Whoever holds an access token has this JWT, too: it must not sign anybody in.
		userinfo := w.NewBrowser().Bearer(lab.UserinfoPath, token.AccessToken).Text
		if _, err := rp.Provider.Verifier(&oidc.Config{ClientID: "signed", Now: w.Now}).Verify(rp.Ctx, userinfo); err == nil {
			t.Error("userinfo passes for an ID token")
		}
	})
}

func TestXOAuth2(t *testing.T) {
	t.Parallel()
	t.Run("AuthenticatesInEveryStyle", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		for id, method := range map[string]string{"any": "", "basic": "client_secret_basic", "post": "client_secret_post"} {
			testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{
				ID: id, Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, TokenEndpointAuthMethod: method,
			}))
			for style, fits := range map[oauth2.AuthStyle]bool{
				oauth2.AuthStyleAutoDetect: true,
				oauth2.AuthStyleInHeader:   method != "client_secret_post",
				oauth2.AuthStyleInParams:   method != "client_secret_basic",
			} {
				rp := lab.NewRelyingParty(t, w.Issuer(), id, "military")
				rp.Endpoint.AuthStyle = style
				_, err := rp.Exchange(rp.Ctx, rp.Authorize(b))
				if fits != (err == nil) {
					t.Errorf("%s with style %d: %v", id, style, err)
				}
				if !fits && errorCode(err) != "invalid_client" {
					t.Errorf("%s with style %d: %v", id, style, err)
				}
			}
		}
	})

	t.Run("IsToldOfErrors", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		rp := lab.NewRelyingParty(t, w.Issuer(), "std", "military")
		b := w.NewBrowser()
		verifier := oauth2.GenerateVerifier()
		code := rp.Authorize(b, oauth2.S256ChallengeOption(verifier))
		if _, err := rp.Exchange(rp.Ctx, code); errorCode(err) != "invalid_grant" {
			t.Errorf("without the verifier: %v", err)
		}
		token, err := rp.Exchange(rp.Ctx, code, oauth2.VerifierOption(verifier))
		testkit.OK(t, err)
		w.Advance(301 * time.Second)
		client := rp.Client(rp.Ctx, &oauth2.Token{AccessToken: token.AccessToken})
		if got := status(t, client, w.Server.URL+lab.AttributesPath); got != http.StatusUnauthorized {
			t.Errorf("an expired token reads attributes: %d", got)
		}
		if _, err := rp.Exchange(rp.Ctx, code, oauth2.VerifierOption(verifier)); errorCode(err) != "invalid_grant" {
			t.Errorf("the code a second time: %v", err)
		}
		_, err = rp.TokenSource(rp.Ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if errorCode(err) != "invalid_grant" {
			t.Errorf("refreshing after the code was replayed: %v", err)
		}
	})

	t.Run("SpeaksV3", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		rp := lab.NewRelyingParty(t, w.Issuer(), "v3", oidc.ScopeOpenID, "military")
		token, id := rp.SignIn(w.NewBrowser())
		if id.Subject != "alice" || token.ExpiresIn != 300 || token.Extra("refresh_expires_in") != "604800" {
			t.Errorf("%q, %d s, %v", id.Subject, token.ExpiresIn, token.Extra("refresh_expires_in"))
		}
		client := rp.Client(rp.Ctx, token)
		for _, path := range []string{lab.AttributesPath, lab.UserinfoPath} {
			if got := status(t, client, w.Server.URL+path); got != http.StatusOK {
				t.Errorf("%s: %d", path, got)
			}
		}
		_, err := rp.TokenSource(rp.Ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if errorCode(err) != "unsupported_grant_type" {
			t.Errorf("refreshing: %v", err)
		}
	})
}

// errorCode is the code in x/oauth2's error.
func errorCode(err error) string {
	var retrieve *oauth2.RetrieveError
	if !errors.As(err, &retrieve) {
		return ""
	}
	return retrieve.ErrorCode
}

func status(t testing.TB, client *http.Client, address string) int {
	t.Helper()
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	answer, err := client.Do(r)
	testkit.OK(t, err)
	testkit.OK(t, answer.Body.Close())
	return answer.StatusCode
}

// Two providers with the same clients, users and even the same secret, one of them
// below the other, as production and sandbox are.
func TestTwoProvidersInOneProcess(t *testing.T) {
	t.Parallel()
	production := lab.New(t).WithClients().WithUsers()
	sandbox := lab.New(t, lab.WithoutKey(t), func(c *provider.Config) { c.BaseURL = production.Server.URL + "/sandbox" }).WithClients().WithUsers()
	mux := http.NewServeMux()
	mux.Handle("/", production.Provider)
	mux.Handle("/sandbox/", sandbox.Provider)
	production.Server.Config.Handler = mux

	b := production.NewBrowser()
	live := lab.NewRelyingParty(t, production.Issuer(), "std", oidc.ScopeOpenID, "military")
	test := lab.NewRelyingParty(t, sandbox.Issuer(), "std", oidc.ScopeOpenID, "military")
	token, _ := test.SignIn(b)

	t.Run("ASessionOfOneIsNoneAtTheOther", func(t *testing.T) {
		p := b.Open(live.AuthCodeURL("s"))
		if !strings.Contains(p.Text, `name="password"`) {
			t.Errorf("no sign-in screen: %s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("SessionsStandBesideEachOther", func(t *testing.T) {
		live.SignIn(b)
		for _, rp := range []*lab.RelyingParty{live, test} {
			if got := lab.Response(t, b.Open(rp.AuthCodeURL("s"))); got.Get("code") == "" {
				t.Errorf("not signed in any more: %v", got)
			}
		}
	})
	t.Run("ACodeOfOneIsRefusedAtTheOther", func(t *testing.T) {
		if _, err := live.Exchange(live.Ctx, test.Authorize(b)); errorCode(err) != "invalid_grant" {
			t.Errorf("%v", err)
		}
	})
	t.Run("AnAccessTokenOfOneIsRefusedAtTheOther", func(t *testing.T) {
		client := test.Client(test.Ctx, token)
		for address, want := range map[string]int{"/sandbox" + lab.AttributesPath: http.StatusOK, lab.AttributesPath: http.StatusUnauthorized} {
			if got := status(t, client, production.Server.URL+address); got != want {
				t.Errorf("%s: %d, want %d", address, got, want)
			}
		}
	})
	t.Run("ARefreshTokenOfOneIsRefusedAtTheOther", func(t *testing.T) {
		_, err := live.TokenSource(live.Ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if errorCode(err) != "invalid_grant" {
			t.Errorf("%v", err)
		}
	})
	t.Run("AnIDTokenOfOneIsRefusedByClientsOfTheOther", func(t *testing.T) {
		raw := token.Extra("id_token").(string)
		for _, config := range []*oidc.Config{{ClientID: "std"}, {ClientID: "std", SkipIssuerCheck: true}} {
			if _, err := live.Provider.Verifier(config).Verify(live.Ctx, raw); err == nil {
				t.Errorf("accepted with SkipIssuerCheck=%v", config.SkipIssuerCheck)
			}
		}
		p := b.Open(live.AuthCodeURL("s", oauth2.SetAuthURLParam("id_token_hint", raw)))
		if got := lab.Response(t, p).Get("error"); got != "invalid_request" {
			t.Errorf("as id_token_hint: %q", got)
		}
	})
}

func TestBesideTheHost(t *testing.T) {
	t.Parallel()
	w := lab.New(t, underPath("/id")).WithClients().WithUsers()
	mux := http.NewServeMux()
	mux.Handle("/id/", w.Provider)
	mux.HandleFunc("/{$}", func(rw http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("session")
		if err != nil {
			http.SetCookie(rw, &http.Cookie{Name: "session", Value: "of-the-host", Path: "/", HttpOnly: true})
			return
		}
		_, _ = rw.Write([]byte(c.Value))
	})
	w.Server.Config.Handler = mux
	b := w.NewBrowser()
	b.Get("/")
	rp := lab.NewRelyingParty(t, w.Issuer(), "std", oidc.ScopeOpenID, "military")
	rp.SignIn(b)

	t.Run("TheHostKeepsItsCookie", func(t *testing.T) {
		if got := b.Get("/").Text; got != "of-the-host" {
			t.Errorf("session cookie %q", got)
		}
		host := testkit.Must(url.Parse(w.Server.URL + "/"))(t)
		for _, c := range b.HTTP.Jar.Cookies(host) {
			if c.Name != "session" && !strings.HasPrefix(c.Name, "bonafide_") {
				t.Errorf("the provider set a cookie that may be the host's: %s", c.Name)
			}
		}
	})
	t.Run("OnlyItsOwnPathsAreAnswered", func(t *testing.T) {
		for path, want := range map[string]int{"/id/account": http.StatusOK, "/account": http.StatusNotFound, "/identity": http.StatusNotFound, "/id/nothing": http.StatusNotFound} {
			if got := b.Open(path).StatusCode; got != want {
				t.Errorf("%s: %d, want %d", path, got, want)
			}
		}
	})
	t.Run("SigningOutLeavesTheHostAlone", func(t *testing.T) {
		b.Submit(b.Open("/id/signout"))
		if got := b.Get("/").Text; got != "of-the-host" {
			t.Errorf("session cookie %q", got)
		}
		if p := b.Open("/id/account"); !strings.Contains(p.Text, `name="password"`) {
			t.Errorf("still signed in: %s", p.Status)
		}
	})
}

func TestClientSecretThatCouldBeGuessedIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for length, want := range map[int]bool{16: false, 31: false, 32: true, 255: true, 256: false} {
		err := w.Clients().Save(t.Context(), provider.Client{ID: "shop", Dialect: provider.V3, Secret: strings.Repeat("s", length), RedirectURIs: []string{lab.CallbackURI}})
		if (err == nil) != want {
			t.Errorf("a secret of %d bytes: %v", length, err)
		}
	}
}
