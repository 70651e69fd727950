package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// What a browser without Sec-Fetch-Site says of a form's origin decides about it, also where the
// token of the form holds.
func TestFormOfAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	for base, another := range map[string]string{"https://id.example.com": "http://id.example.com", "http://idp.test": "https://idp.test"} {
		w := lab.New(t, func(c *provider.Config) {
			c.BaseURL = base
			c.Sandbox = strings.HasPrefix(base, "http:")
			c.InsecureHTTP = c.Sandbox
		})
		// send makes a request as it arrives behind a proxy.
		send := func(method string, body url.Values, header http.Header) lab.Page {
			t.Helper()
			r := testkit.Must(http.NewRequestWithContext(t.Context(), method, w.Server.URL+"/signin", strings.NewReader(body.Encode())))(t)
			_, host, _ := strings.Cut(base, "://")
			r.Header, r.Host = header, host
			return w.NewBrowser().Do(r)
		}
		first := send(http.MethodGet, nil, http.Header{})
		lab.Safe(t, first) // with the policy under which browsers name their origin
		_, form := first.Form(t)
		form.Set("email", "nobody@example.com")
		form.Set("password", "marble-canyon-violin-78")
		token := form.Get("csrf")
		var cookies []string
		for _, c := range first.Cookies() {
			cookies = append(cookies, c.Name+"="+c.Value)
		}
		for _, c := range []struct {
			origin, site string
			want         int
		}{
			{base, "", http.StatusUnauthorized},
			{"", "", http.StatusUnauthorized},
			{"", "same-origin", http.StatusUnauthorized},
			{another, "", http.StatusForbidden},
			{base + ":8443", "", http.StatusForbidden},
			{"https://evil.test", "", http.StatusForbidden},
			{"null", "", http.StatusForbidden},
			{"https://evil.test", "cross-site", http.StatusForbidden},
			{"null", "same-site", http.StatusForbidden},
		} {
			header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {strings.Join(cookies, "; ")}}
			for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
				if value != "" {
					header.Set(name, value)
				}
			}
			if p := send(http.MethodPost, form, header); p.StatusCode != c.want {
				t.Errorf("%s, Origin %q, Sec-Fetch-Site %q: %s, want %d", base, c.origin, c.site, p.Status, c.want)
			}
			form.Del("csrf")
			if p := send(http.MethodPost, form, header); p.StatusCode != http.StatusForbidden {
				t.Errorf("%s, Origin %q without the token: %s", base, c.origin, p.Status)
			}
			form.Set("csrf", token)
		}
	}
}

func TestTwoCookiesOfOneNameThatDifferAreNone(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	alice, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	cookies := func(b *lab.Browser) string {
		return session.NewCookies(b.ServerURL(), w.Issuer()).Name(session.Session) + "=" + b.Cookie(session.Session)
	}
	for name, c := range map[string]struct {
		header string
		want   int
	}{
		"one":                    {cookies(alice), http.StatusOK},
		"the same twice":         {cookies(alice) + "; " + cookies(alice), http.StatusOK},
		"another behind it":      {cookies(alice) + "; " + cookies(bob), http.StatusSeeOther},
		"another before it":      {cookies(bob) + "; " + cookies(alice), http.StatusSeeOther},
		"an empty one before it": {strings.Split(cookies(bob), "=")[0] + "=; " + cookies(alice), http.StatusSeeOther},
	} {
		if p := w.NewBrowser().Send(http.MethodGet, "/account", "", "Cookie", c.header); p.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", name, p.Status, c.want)
		}
	}
}

// A browser gets a new value when what it has is none, and its first form works.
func TestBrowserWithACookieThatIsNoneGetsAnother(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser()
	names := session.NewCookies(b.ServerURL(), w.Issuer())
	b.HTTP.Jar.SetCookies(b.ServerURL(), []*http.Cookie{
		{Name: names.Name(session.Browser), Value: "planted", Path: "/"}, {Name: names.Name(session.Language), Value: "de", Path: "/"},
	})
	p := b.Get("/signin")
	if b.Cookie(session.Browser) == "planted" || !strings.Contains(p.Text, `lang="de"`) {
		t.Errorf("browser %q, and %s", b.Cookie(session.Browser), p.Text[:60])
	}
	if p := b.SubmitOnce(p, "email", "alice@example.com", "password", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
		t.Errorf("sign-in: %s", p.Status)
	}
}

func TestNoticeCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	const told = "Password changed"
	b := w.NewBrowser()
	p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
	_, code := w.Mails.Last(t)
	p = b.SubmitOnce(p, "code", code, "new_password", lab.NewPassword)
	link := p.Header.Get("Location")
	if p := b.Get(link); !strings.Contains(p.Text, told) {
		t.Fatalf("%s does not tell of it: %s", link, p.Text)
	}
	victim := w.NewBrowser()
	victim.Get("/signin")
	for name, c := range map[string]struct {
		b       *lab.Browser
		address string
	}{
		"a name alone":              {b, "/signin?notice=password_changed"},
		"the link of another":       {victim, link},
		"in a browser without mark": {w.NewBrowser(), link},
		"with another time":         {b, strings.Replace(link, ".1", ".2", 1)},
		"with another name":         {b, strings.Replace(link, "password_changed", "signed_out", 1)},
	} {
		if p := c.b.Get(c.address); p.StatusCode != http.StatusOK || strings.Contains(p.Text, told) {
			t.Errorf("%s: %s is believed: %s", name, c.address, p.Status)
		}
	}
	w.Advance(5*time.Minute + time.Second)
	if p := b.Get(link); strings.Contains(p.Text, told) {
		t.Error("it is told again later")
	}
}

func TestFormsHoldAnotherValueEachTime(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser()
	seen := map[string]bool{}
	for range 3 {
		_, form := b.Get("/signin").Form(t)
		if seen[form.Get("csrf")] {
			t.Error("the same twice")
		}
		seen[form.Get("csrf")] = true
		if p := b.Post("/signin", form); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("a form of before: %s", p.Status)
		}
	}
}
