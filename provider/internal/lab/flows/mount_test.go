package flows

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// One table for all base paths: what begins like a route, and what does not.
func TestBasePath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/id", "/oauth", "/oauth/authorize", "/api", "/api/public", "/account", "/oidc", "/signin", "/signup", "/assets", "/widget", "/images"} {
		w := lab.New(t, func(c *provider.Config) { c.BaseURL += base })
		mounted := http.NewServeMux()
		mounted.Handle(base+"/", w.Provider)
		stripped := http.NewServeMux()
		stripped.Handle(base+"/", http.StripPrefix(base, w.Provider))
		style := strings.TrimPrefix(assetOf(t, w, base), base)
		for way, handler := range map[string]http.Handler{"Mounted": mounted, "BehindStripPrefix": stripped} {
			t.Run(way+strings.ReplaceAll(base, "/", "At"), func(t *testing.T) {
				for path, want := range map[string]int{
					"/signin": 200, "/signup": 200, "/account": 303, "/account/apps": 303, "/oauth/authorize": 400, "/oauth/token": 405,
					lab.DiscoveryPath: 200, lab.KeysPath: 200, lab.UserinfoPath: 401, lab.AttributesPath: 401, "/widget/v1.js": 200, style: 200,
					"/images/x.png": 404, "/nothing": 404, "/": 303, "/nothing/": 404, "/signin/": 404, "/apps": 404, "/authorize": 404,
				} {
					if base == "/signin" && path == "/signin/" || base == "/account" && path == "/apps" || base == "/oauth" && path == "/authorize" {
						continue // may be meant as another
					}
					answer := httptest.NewRecorder()
					handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil))
					if answer.Code != want {
						t.Errorf("%s%s answers %d, want %d", base, path, answer.Code, want)
					}
				}
			})
		}
	}
}

// assetOf returns the address of a stylesheet of the sign-in screen.
func assetOf(t *testing.T, w *lab.Fixture, base string) string {
	t.Helper()
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+"/signin", nil))
	found := regexp.MustCompile(`href="([^"]*/assets/[^"]+)"`).FindStringSubmatch(answer.Body.String())
	if found == nil {
		t.Fatalf("no stylesheet on the page: %s", answer.Body)
	}
	return found[1]
}

func TestHEADAnswersWhereGETDoes(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	for _, address := range []string{
		"/signin", "/signup", "/reset", "/account", "/account/apps", lab.DiscoveryPath, lab.KeysPath,
		"/widget/v1.js", "/nothing", "/oauth/consent?flow=x", lab.UserinfoPath, lab.UserinfoPath + "?access_token=" + token, lab.AttributesPath + "?access_token=" + token + "&callback=show",
	} {
		get, head := b.Get(address), b.Send(http.MethodHead, address, "")
		if head.StatusCode != get.StatusCode || head.Text != "" || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") ||
			head.Header.Get("Cache-Control") != get.Header.Get("Cache-Control") || (head.Header.Get("Location") == "") != (get.Header.Get("Location") == "") {
			t.Errorf("%s: GET %s %v, HEAD %s %v %q", address, get.Status, get.Header, head.Status, head.Header, head.Text)
		}
	}
	for _, address := range []string{"/signout", "/oauth/authorize", lab.AuthorizeURL("prompt", "none")} { // which do something
		if p := b.Send(http.MethodHead, address, ""); p.StatusCode != http.StatusOK || p.Text != "" || p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Location") != "" {
			t.Errorf("%s: HEAD %s %v %q", address, p.Status, p.Header, p.Text)
		}
	}
	for _, path := range []string{lab.TokenPath, lab.RevokePath, lab.IntrospectPath} {
		if p := b.Send(http.MethodHead, path, ""); p.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s, where GET does not answer: %s", path, p.Status)
		}
	}
}

func TestRequestsAfterCloseWriteOneLine(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	if err := w.Provider.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if p := w.NewBrowser().Get("/signin"); p.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("answered %s", p.Status)
		}
	}
	warnings := 0
	for line := range strings.Lines(w.Log.String()) {
		if !strings.Contains(line, "level=DEBUG") {
			warnings++
		}
	}
	if warnings != 1 {
		t.Errorf("%d lines, want 1:\n%s", warnings, w.Log)
	}
}

func TestMountAtAnotherPathIsToldOnce(t *testing.T) {
	t.Parallel()
	const told = "level=WARN"
	get := func(w *lab.Fixture, paths ...string) {
		t.Helper()
		for _, path := range paths {
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if answer.Code != http.StatusNotFound {
				t.Errorf("%s answers %d", path, answer.Code)
			}
		}
	}
	for name, c := range map[string]struct {
		base  string
		paths []string
	}{
		"ElsewhereThanTheBaseURLSays":   {"/id", []string{"/auth/signin", "/auth/signin", "/auth/x"}},
		"BelowABaseURLWithoutAPath":     {"", []string{"/id/oauth/authorize", "/id/signin"}},
		"TwiceBelowItself":              {"/id", []string{"/id/id/signin", "/id/id/"}},
		"AtARootThatTheBaseURLHasNot":   {"/id", []string{"/robots.txt", "/favicon.ico"}},
		"BesideAPathThatBeginsTheSame":  {"/id", []string{"/identity/signin"}},
		"WithAPathOfThousandCharacters": {"/id", []string{"/" + strings.Repeat("x", 1000)}},
	} {
		w := lab.New(t, func(cfg *provider.Config) { cfg.BaseURL += c.base })
		get(w, c.paths...)
		if got := strings.Count(w.Log.String(), told); got != 1 || !strings.Contains(w.Log.String(), "mount_at="+c.base+"/ path="+truncated(c.paths[0])+" ") {
			t.Errorf("%s: told %d times:\n%s", name, got, w.Log)
		}
	}
	for name, c := range map[string]struct{ base, first string }{"WhatIsNotThere": {"", ""}, "StripPrefix": {"/id", "/signin"}, "FullPath": {"/id", "/id/signin"}} {
		w := lab.New(t, func(cfg *provider.Config) { cfg.BaseURL += c.base })
		if c.first != "" {
			w.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.first, nil))
		}
		get(w, "/nothing", "/wp-login.php", "/x/y/z")
		if strings.Contains(w.Log.String(), told) {
			t.Errorf("%s: told of a provider that is where it should be:\n%s", name, w.Log)
		}
	}
}

func truncated(path string) string { return path[:min(len(path), 128)] }
