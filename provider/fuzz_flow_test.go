package provider

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/opaque"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// fuzzProvider returns a provider with one application.
func fuzzProvider(f *testing.F) *Provider {
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
	p, err := New(ctx, Config{BaseURL: "https://id.test", Secret: secret, Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = p.Close() })
	if err := p.SaveClient(ctx, Client{ID: "v3", RedirectURIs: []string{"https://rp.test/cb"}}); err != nil {
		f.Fatal(err)
	}
	return p
}

// sealedForBrowser returns a flow as it travels, and the browser that it belongs to.
func sealedForBrowser(f *testing.F, p *Provider) (sealed, browser string) {
	f.Helper()
	request, err := p.parseAuthorize(context.Background(), url.Values{
		"client_id": {"v3"}, "redirect_uri": {"https://rp.test/cb"}, "response_type": {"code"}, "scope": {"military"}, "state": {"xyz"},
	})
	if err != nil {
		f.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/oauth/authorize", nil)
	sealed, err = p.seal(httptest.NewRecorder(), r, p.newFlow(request))
	if err != nil {
		f.Fatal(err)
	}
	return sealed, p.cookies.Get(r, session.Browser)
}

// FuzzOpenFlow holds that a flow opens as it was sealed and in its own browser, and
// in no other spelling.
func FuzzOpenFlow(f *testing.F) {
	p := fuzzProvider(f)
	sealed, browser := sealedForBrowser(f, p)
	f.Add(sealed, browser)
	f.Add(sealed, "")
	f.Add(sealed+"\n", browser)
	f.Add(sealed[:len(sealed)-1], browser)
	f.Add("", "")
	f.Add(p.secrets.SealString("ticket "+p.issuer, []byte(`{"i":"AA"}`)), browser)
	f.Fuzz(func(t *testing.T, value, mark string) {
		r := httptest.NewRequest(http.MethodGet, "/oauth/consent?"+url.Values{flowParameter: {value}}.Encode(), nil)
		r.AddCookie(&http.Cookie{Name: p.cookies.Name(session.Browser), Value: mark})
		flow, err := p.openFlow(t.Context(), r)
		if err != nil {
			return
		}
		raw, err := base64.RawURLEncoding.Strict().DecodeString(value)
		if err != nil || base64.RawURLEncoding.EncodeToString(raw) != value || !isBrowser(p.cookies.Get(r, session.Browser)) || flow.request.State != "xyz" {
			t.Errorf("opened %q in browser %q", value, mark)
		}
	})
}

// FuzzIsReturnTo holds that the host is never told to send a visitor elsewhere.
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
		if !p.IsReturnTo(address) || address == "https://id.test/account" {
			return
		}
		sealed, ok := strings.CutPrefix(address, "https://id.test/oauth/authorize?flow=")
		raw, err := base64.RawURLEncoding.DecodeString(sealed)
		if !ok || err != nil || base64.RawURLEncoding.EncodeToString(raw) != sealed {
			t.Errorf("%q is taken for our own", address)
		}
	})
}

// FuzzCookies holds that no Cookie header but one that was given signs anybody in or
// makes a device known, and that none is an error.
func FuzzCookies(f *testing.F) {
	p := fuzzProvider(f)
	name := p.cookies.Name(session.Session)
	token, _ := p.tokens.New(opaque.Session)
	for _, header := range []string{"", name + "=" + token, name + "=\"" + token + "\"; " + name + "=x", name + "=;=;", p.cookies.Name(session.Device) + "=AAAA", name + "=\xff", strings.Repeat("a=b; ", 1000)} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest(http.MethodGet, "/account", nil)
		r.Header["Cookie"] = []string{header}
		user, err := p.signedIn(r)
		if user != nil || err != nil {
			t.Errorf("signed in %v, %v", user, err)
		}
		if device := p.knownDevice(r, "alice@example.com"); device != "" {
			t.Errorf("device %q", device)
		}
		if value := p.browser(httptest.NewRecorder(), r); !isBrowser(value) {
			t.Errorf("browser %q", value)
		}
	})
}

// FuzzEmailKey holds that the key of an address is an address of which it is the key,
// so that no two keys are one account, and that no address carries more than itself
// into a mail.
func FuzzEmailKey(f *testing.F) {
	for _, address := range []string{
		"alice@example.com", "ALICE@Example.COM", "al\u0130ce@example.com", "\uff41lice@example.com", "a\uff20b@example.com", "a@b@example.com", "a\u00a8@example.com",
		"a@example.com\r\nBcc: b@example.com", "Alice <alice@example.com>", "a,b@example.com", "\u202ea@example.com", "a@[127.0.0.1]", "\u212a@example.com", "\u01c4@example.com",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		key, err := emailKey(address)
		if err != nil {
			return
		}
		again, err := emailKey(key)
		if err != nil || again != key {
			t.Errorf("the key of %q is %q, whose key is %q (%v)", address, key, again, err)
		}
		if strings.ContainsAny(address+key, "\r\n\x00 <>\"") || len(key) > 254 || strings.Count(key, "@") != 1 {
			t.Errorf("%q is an address with the key %q", address, key)
		}
	})
}
