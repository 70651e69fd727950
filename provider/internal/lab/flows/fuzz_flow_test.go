package flows

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// fuzzProvider returns a provider with one application.
func fuzzProvider(f *testing.F) *provider.Provider {
	f.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, f.TempDir()+"/identity.db")
	if err != nil {
		f.Fatal(err)
	}
	secret, err := base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")
	if err != nil {
		f.Fatal(err)
	}
	p, err := provider.New(ctx, provider.Config{BaseURL: "https://id.test", Secret: secret, Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = p.Close() })
	if err := p.Clients().Save(ctx, provider.Client{ID: "v3", Dialect: provider.V3, Name: "Shop of v3", RedirectURIs: []string{"https://rp.test/cb"}}); err != nil {
		f.Fatal(err)
	}
	return p
}

// get returns what a browser with these cookies gets.
func get(p *provider.Provider, path, cookies string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "https://id.test/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	r.Header["Cookie"] = []string{cookies}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// sealedForBrowser returns a flow as it travels, and the cookie of the browser that it
// belongs to.
func sealedForBrowser(f *testing.F, p *provider.Provider) (sealed string, browser *http.Cookie) {
	f.Helper()
	response := get(p, "/oauth/authorize?"+url.Values{
		"client_id": {"v3"}, "redirect_uri": {"https://rp.test/cb"}, "response_type": {"code"}, "scope": {"military"}, "state": {"xyz"},
	}.Encode(), "").Result()
	defer response.Body.Close()
	location, err := response.Location()
	if err != nil || location.Path != "/signin" || len(response.Cookies()) != 1 {
		f.Fatalf("%s to %s, %v", response.Status, location, err)
	}
	return location.Query().Get("flow"), response.Cookies()[0]
}

// FuzzOpenFlow holds that a flow opens as it was sealed and in its own browser, and
// in no other spelling.
func FuzzOpenFlow(f *testing.F) {
	p := fuzzProvider(f)
	sealed, browser := sealedForBrowser(f, p)
	f.Add(sealed, browser.Value)
	f.Add(sealed, "")
	f.Add(sealed+"\n", browser.Value)
	f.Add(sealed[:len(sealed)-1], browser.Value)
	f.Add("", "")
	opens := func(value, mark string) bool {
		w := get(p, "/signin?"+url.Values{"flow": {value}}.Encode(), browser.Name+"="+mark)
		return strings.Contains(w.Body.String(), "Shop of v3")
	}
	f.Fuzz(func(t *testing.T, value, mark string) {
		if !opens(value, mark) {
			return
		}
		raw, err := base64.RawURLEncoding.Strict().DecodeString(value)
		if err != nil || base64.RawURLEncoding.EncodeToString(raw) != value {
			t.Errorf("opened %q", value)
		}
		// The seeds are those of another process under `go test -fuzz`, and its browser.
		if other := strings.Repeat("A", 22); mark != other && opens(value, other) {
			t.Errorf("opened %q in the browsers %q and %q", value, mark, other)
		}
	})
}

// FuzzIsReturnTo holds that the host is never told to send a user elsewhere.
func FuzzIsReturnTo(f *testing.F) {
	p := fuzzProvider(f)
	sealed, _ := sealedForBrowser(f, p)
	for _, address := range []string{
		"https://id.test/account", "https://id.test/oauth/authorize?flow=" + sealed, "https://id.test/oauth/authorize?flow=" + sealed + "#//evil.test",
		"https://id.test/oauth/authorize?%66low=" + sealed, "https://id.test/oauth/authorize?flow=" + sealed + "&flow=x", "https://id.test/oauth/authorize?flow=" + sealed + "&flow=\xcc", "//evil.test", "/\\evil.test", "https://id.test@evil.test/account",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if !p.Pages().IsReturnTo(address) || address == "https://id.test/account" || address == "https://id.test/account?visited=1" {
			return
		}
		sealed, ok := strings.CutPrefix(address, "https://id.test/oauth/authorize?flow=")
		raw, err := base64.RawURLEncoding.DecodeString(sealed)
		if !ok || err != nil || base64.RawURLEncoding.EncodeToString(raw) != sealed {
			t.Errorf("%q is taken for our own", address)
		}
	})
}

// FuzzCookies holds that no Cookie header but one that was given signs anybody in, and
// that none is an error.
func FuzzCookies(f *testing.F) {
	p := fuzzProvider(f)
	_, browser := sealedForBrowser(f, p)
	name := strings.TrimSuffix(browser.Name, "browser")
	token := "bfs_" + strings.Repeat("A", 64)
	for _, header := range []string{
		"", name + "session=" + token, name + "session=\"" + token + "\"; " + name + "session=x", name + "session=;=;",
		name + "device=AAAA", name + "session=\xff", strings.Repeat("a=b; ", 1000), browser.String(),
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		w := get(p, "/account", header)
		if location := w.Header().Get("Location"); w.Code != http.StatusSeeOther || location != "/signin" {
			t.Errorf("status %d to %q", w.Code, location)
		}
	})
}
