package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// lookAlikes are addresses that some parser takes for https://rp.test/cb.
var lookAlikes = []string{
	"https://rp.test/cb/", "https://rp.test/cb/../x", "https://rp.test/cb/..%2fx", "https://rp.test/cb%2f..%2fx", "https://rp.test/x/../cb",
	"https://rp.test/CB", "https://rp.test//cb", "https://rp.test/cb;x", "https://rp.test/cb?x=1", "https://rp.test/cb?", "https://rp.test/cb&x=1",
	"https://rp.test/cb#", "https://rp.test/cb#f", "https://rp.test/c%62", "https://rp.test/./cb", "https://rp.test\\cb",
	"HTTPS://rp.test/cb", "https://RP.test/cb", "https://rp.test./cb", "https://rp.test:443/cb", "https://rp.test:8443/cb", "https://rp.test:/cb",
	"https://rp.test.evil.test/cb", "https://evil.rp.test/cb", "https://evil.test/https://rp.test/cb", "https://evil.test?https://rp.test/cb",
	"https://rp.test@evil.test/cb", "https://u:p@rp.test/cb", "https://@rp.test/cb", "https://rp.test%2f@evil.test/cb", "https://rp.test\\@evil.test/cb",
	"https://rp.test%00.evil.test/cb", "https://rp.test\x00.evil.test/cb", "https://rp.test\t/cb", "https://rp.test/cb\t", "https://rp.test/cb\r\nX: y",
	" https://rp.test/cb", "https://rp.test/cb ", "https://rp.test/cb\u2028", "https://rp\u3002test/cb", "https://\u0433p.test/cb", "https://xn--p-0tb.test/cb",
	"https://rp.test/cb\xff", "http://rp.test/cb", "//rp.test/cb", "https:rp.test/cb", "https:///rp.test/cb", "https:/rp.test/cb", "/cb", "cb", "*", "https://*/cb",
	"javascript:alert(1)", "JaVaScRiPt:alert(1)//https://rp.test/cb", "data:text/html,x", "about:blank",
	"https://rp.test/cb,https://evil.test/cb", "https://rp.test/cb https://evil.test/cb",
	"https://rp.test/cb" + strings.Repeat("a", 300_000),
}

func TestRedirectURI(t *testing.T) {
	t.Parallel()
	t.Run("RefusesWhatOnlyLooksRegistered", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		b.Allow() // so that a mistake would answer at once
		for _, uri := range lookAlikes {
			for _, rest := range [][]string{nil, {"prompt", "none"}, {"response_type", "bogus"}, {"response_mode", "form_post"}} {
				p := b.Get(lab.AuthorizeURL(append(rest, "redirect_uri", uri)...))
				lab.Shown(t, p, 400)
				if t.Failed() {
					t.Fatalf("redirect_uri %.200q", uri)
				}
			}
		}
		lab.Shown(t, b.Get(lab.AuthorizeURL("redirect_uri", "")), 400)
		lab.Shown(t, b.Get(lab.AuthorizeURL("redirect_uri", "")+"&redirect_uri="), 400)
		lab.Shown(t, b.Get(lab.AuthorizeURL("client_id", "std2")), 400) // another application's
		lab.Shown(t, b.Get(lab.AuthorizeURL("client_id", "q")), 400)
		if n := w.Count("grants"); n != 1 {
			t.Errorf("%d grants, want only the one from before", n)
		}
	})

	t.Run("EscapesWhatItShowsInTheSandbox", func(t *testing.T) {
		w := lab.New(t, func(c *provider.Config) { c.Sandbox = true }).WithClients()
		p := w.NewBrowser().Get(lab.AuthorizeURL("redirect_uri", `https://evil.test/"><script>alert(1)</script>`))
		lab.Shown(t, p, 400)
		if strings.Contains(p.Text, "<script>alert") || strings.Contains(p.Text, `test/">`) || strings.Contains(p.Text, `href="https://evil`) {
			t.Error("the page repeats the address as markup")
		}
	})

	t.Run("AppOnLoopbackMayChangeItsPortAndNothingElse", func(t *testing.T) {
		w := lab.New(t).WithClients()
		b := w.NewBrowser()
		challenge := []string{"client_id", "pub", "scope", "openid", "code_challenge", strings.Repeat("A", 43), "code_challenge_method", "S256"}
		for uri, want := range map[string]int{
			"http://127.0.0.1/cb": 303, "http://127.0.0.1:80/cb": 303, "http://127.0.0.1:49152/cb": 303,
			"http://127.0.0.1:49152/cb/": 400, "http://127.0.0.1:49152/": 400, "http://127.0.0.1:49152/cb?x=1": 400, "http://127.0.0.1:49152/cb#": 400,
			"https://127.0.0.1:49152/cb": 400, "http://127.0.0.2/cb": 400, "http://[::1]/cb": 400, "http://localhost/cb": 400, "http://2130706433/cb": 400,
			"http://127.0.0.1:80@evil.test/cb": 400, "http://evil.test#127.0.0.1/cb": 400, "http://127.0.0.1.evil.test/cb": 400, "http://0177.0.0.1/cb": 400,
			"http://127.0.0.1:/cb": 400, "http://127.0.0.1:0/cb": 400, "http://127.0.0.1:080/cb": 400, "http://127.0.0.1:00/cb": 400, "http://127.0.0.1:65536/cb": 400,
			"http://127.0.0.1:99999/cb": 400, "http://127.0.0.1:18446744073709551617/cb": 400, "http://127.0.0.1:65535/cb": 303, "http://127.0.0.1:1/cb": 303,
			"http://127.0.0.1:x/cb": 400, "http://127.0.0.1:-1/cb": 400, "http://127.1/cb": 400, "http://user@127.0.0.1/cb": 400, "http://[::ffff:127.0.0.1]/cb": 400,
			"https://rp.test:8443/cb": 400,
		} {
			p := b.Get(lab.AuthorizeURL(append(challenge, "redirect_uri", uri)...))
			if p.StatusCode != want {
				t.Errorf("%s answers %s, want %d", uri, p.Status, want)
			}
		}
	})

	t.Run("RefusesDangerousOnesEvenFromTheDatabase", func(t *testing.T) {
		w := lab.New(t).WithClients()
		b := w.NewBrowser()
		for _, uri := range []string{
			"http://rp.test/cb", "javascript:alert(1)", "data:text/html,x", "https://u:p@rp.test/cb", "https://rp.test/cb#f", "https://rp.test/cb?code=x",
			"https://rp.test/*", "blob:https://rp.test/1", "intent://x",
		} {
			c := testkit.Must(w.Store.Client(t.Context(), "v3"))(t)
			c.RedirectURIs = []string{uri}
			testkit.OK(t, w.Store.SaveClient(t.Context(), c))
			w.Advance(2 * time.Second)
			for _, responseType := range protocol.ResponseTypes {
				lab.Shown(t, b.Get(lab.AuthorizeURL("redirect_uri", uri, "response_type", responseType, "scope", "openid military", "prompt", "none")), 400)
			}
		}
	})

	t.Run("OmittedStandsForTheOnlyOneWithoutOpenID", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		answer := b.Allow("client_id", "std2", "redirect_uri", "")
		for _, c := range []struct {
			sent   string
			status int
		}{{"https://evil.test/cb", 400}, {"", 200}} {
			p, _ := b.Token("client_id", "std2", "client_secret", lab.ClientSecret+"2", "redirect_uri", c.sent, "code", answer.Get("code"))
			if p.StatusCode != c.status {
				t.Errorf("token with redirect_uri %q: %s %s", c.sent, p.Status, p.Text)
			}
		}
		lab.Shown(t, b.Get(lab.AuthorizeURL("client_id", "std2", "redirect_uri", "", "scope", "openid military")), 400)
		lab.Shown(t, b.Get(lab.AuthorizeURL("client_id", "std", "redirect_uri", "")), 400)
	})
}

func TestRegistrationRefusesDangerousRedirectURIs(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	refuse := []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "\x01javascript:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://rp.test/1", "file:///etc/passwd",
		"about:blank", "intent://scan/#Intent;end", "view-source:https://rp.test/", "mailto:a@rp.test", "http://rp.test/cb", "ftp://rp.test/cb", "ws://rp.test/",
		"https://rp.test/cb#f", "https://rp.test/*", "https://*.rp.test/cb", "https://u:p@rp.test/cb", "https:rp.test/cb", "https://", "https:///cb", "//rp.test/cb", "/cb", "",
		"https://rp.test/c b", "https://rp.test/\"", "https://rp\u3002test/cb", "https://rp.test\\cb", "HTTPS://rp.test/cb", "http://localhost.evil.test/cb", "http://127.0.0.1.evil.test/",
		"https://rp.test:/cb", "https://rp.test:0/cb", "https://rp.test:0443/cb", "https://rp.test:65536/cb", "http://[::1]:/cb", "http://[::1]:080/cb",
		"http://127.0.0.1:/cb", "http://localhost:99999/cb", "com.example.app://x:0/cb",
		"https://%80", "https://caf%C3%A9.test/cb", "https://rp%2Etest/cb", "https://rp.test%2F.evil.test/cb", "https://rp.test%40evil.test/cb", "http://%6cocalhost/cb", "http://[::1%25lo]/cb",
		"https://rp.test/" + strings.Repeat("a", 1<<20),
	}
	for _, name := range []string{"code", "state", "error", "iss", "response", "access_token", "id_token", "error_description", "%63ode"} {
		refuse = append(refuse, "https://rp.test/cb?"+name+"=x", "https://rp.test/cb?a=1&"+name, "com.example.app:cb?"+name+"=x")
	}
	for _, uri := range refuse {
		for _, c := range []provider.Client{
			{ID: "c", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI, uri}},
			{ID: "c", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, PostLogoutRedirectURIs: []string{uri}},
		} {
			if err := w.Clients().Save(t.Context(), c); err == nil {
				t.Errorf("registered %.100q", uri)
			}
		}
	}
	for _, uri := range []string{"https://rp.test/cb?code=x", "https://rp.test/cb?state=x&iss=y", "https://rp.test/cb?%63ode"} {
		if err := w.Clients().Save(t.Context(), provider.Client{ID: "c", Dialect: provider.V3, RedirectURIs: []string{uri}}); err == nil {
			t.Errorf("registered %s for v3", uri)
		}
	}
	if err := w.Clients().Save(t.Context(), provider.Client{ID: "c", Dialect: provider.V3, RedirectURIs: make([]string, 10_000)}); err == nil {
		t.Error("registered 10000 addresses")
	}
}

func TestResponseKeepsTheQueryOfTheRegisteredAddress(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	p := w.Alice().Get(lab.AuthorizeURL("client_id", "q", "redirect_uri", "https://rp.test/cb?x=1", "prompt", "none", "state", "a&code=evil"))
	location := p.Header.Get("Location")
	values := lab.Response(t, p)
	if !strings.HasPrefix(location, "https://rp.test/cb?x=1&error=") || values.Get("state") != "a&code=evil" || values.Has("code") {
		t.Errorf("Location %q", location)
	}
	if u, err := url.Parse(location); err != nil || len(u.Query()["iss"]) != 1 {
		t.Errorf("Location %q: %v", location, err)
	}
}

// TestAttackCodeOfARedirectURIThatIsGone redeems a code that went to an address which has been
// taken from the registration since: whoever answers there may be why.
func TestAttackCodeOfARedirectURIThatIsGone(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.Alice()
	const gone = "https://gone.test/cb"
	native := "http://127.0.0.1/cb"
	for name, c := range map[string]provider.Client{
		"Standard":   {ID: "s", Dialect: provider.Standard},
		"V3":         {ID: "v", Dialect: provider.V3},
		"FirstParty": {ID: "f", Dialect: provider.Standard, SkipConsent: true},
	} {
		t.Run(name, func(t *testing.T) {
			c.Secret, c.RedirectURIs = lab.ClientSecret, []string{lab.CallbackURI, gone, native}
			w.OK(w.Clients().Save(t.Context(), c))
			codeAt := func(uri string) string {
				p := b.Open(lab.AuthorizeURL("client_id", c.ID, "redirect_uri", uri, "scope", "military"))
				if p.StatusCode == http.StatusOK {
					p = b.Submit(p, "action", "allow")
				}
				return lab.Response(t, p).Get("code")
			}
			redeem := func(code, uri string) lab.Page {
				p, _ := b.Token("client_id", c.ID, "code", code, "redirect_uri", uri)
				return p
			}
			atGone, atNative, kept := codeAt(gone), codeAt("http://127.0.0.1:5123/cb"), codeAt(lab.CallbackURI)
			c.RedirectURIs = []string{lab.CallbackURI, native}
			w.OK(w.Clients().Save(t.Context(), c))
			seen := w.WatchActivity()
			lab.Refused(t, redeem(atGone, gone), http.StatusBadRequest, "invalid_grant")
			if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "redirect_uri_not_registered" {
				t.Errorf("told %v", told)
			}
			for code, uri := range map[string]string{atNative: "http://127.0.0.1:5123/cb", kept: lab.CallbackURI} {
				if p := redeem(code, uri); p.StatusCode != http.StatusOK {
					t.Errorf("%s: %s %s", uri, p.Status, p.Text)
				}
			}
		})
	}
}
