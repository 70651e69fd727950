package pages

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestPagesCannotBeFramedOrScripted(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	strangers := w.NewBrowser()
	for name, p := range map[string]lab.Page{
		"sign-in": strangers.Get("/signin"), "sign-up": strangers.Get("/signup"), "reset": strangers.Get("/reset"), "consent": b.Open(openID()),
		"chooser": b.Open(openID("prompt", "select_account")), "reauthenticate": b.Open(openID("prompt", "login")), "account": b.Get("/account"),
		"apps": b.Get("/account/apps"), "sessions": b.Get("/account/sessions"), "password": b.Get("/account/password"), "sign-out": b.Get("/signout"),
		"form_post": b.Get(lab.AuthorizeURL("response_mode", "form_post", "prompt", "none")), "bad client": b.Get(lab.AuthorizeURL("client_id", "x")),
		"not found": b.Get("/nothing"), "wrong method": b.Send(http.MethodPut, "/signin", ""), "asset not found": b.Get("/assets/nothing.css"),
		"image not found": b.Get("/images/nothing"), "forbidden": b.Post("/signin", url.Values{}), "wrong password": strangers.Attempt("alice@example.com", "wrong-password-here"),
		"too large": b.Send(http.MethodPost, "/signin", strings.Repeat("a", 200<<10), "Content-Type", "application/x-www-form-urlencoded"),
	} {
		if p.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s %s", name, p.Status, p.Header.Get("Content-Type"))
		}
		lab.Safe(t, p)
		if t.Failed() {
			t.Fatal(name)
		}
		for _, leak := range []string{"go1.", "panic", "goroutine", ".go:", "sqlite", "fosite", w.Path} {
			if strings.Contains(p.Text, leak) {
				t.Errorf("%s tells %q", name, leak)
			}
		}
	}
}

func TestPagesOverHTTPSStayThere(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.BaseURL = "https://id.test" }).WithClients().WithUsers()
	for _, header := range [][]string{nil, {"X-Forwarded-Proto", "http"}, {"Forwarded", "proto=http;host=evil.test"}, {"X-Forwarded-Ssl", "off"}} {
		p := w.NewBrowser().Send(http.MethodGet, "/signin", "", header...)
		lab.Safe(t, p)
		if !strings.HasPrefix(p.Header.Get("Strict-Transport-Security"), "max-age=31536000") {
			t.Errorf("%v: no HSTS", header)
		}
		if len(p.Cookies()) == 0 {
			t.Fatal("no cookie")
		}
		for _, c := range p.Cookies() {
			if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("%v: cookie %v", header, c)
			}
		}
	}
}

func TestHostHeaderIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	victim := w.NewBrowser()
	_, form := victim.Get("/reset").Form(t)
	spoofs := [][]string{
		{"Host: evil.test"}, {"Host: evil.test:80"}, {"Host: x", "X-Forwarded-Host: evil.test"}, {"Host: x", "X-Forwarded-Proto: gopher", "Forwarded: host=evil.test;proto=gopher"},
		{"Host: x", "X-Forwarded-Uri: /evil.test", "X-Forwarded-Prefix: //evil.test", "X-Original-URL: //evil.test", "X-Rewrite-URL: //evil.test",
			"X-Forwarded-Server: evil.test", "X-Original-Host: evil.test"},
	}
	for i, spoof := range spoofs {
		for _, path := range []string{
			"/signin", "/reset", lab.AuthorizeURL(), lab.AuthorizeURL("prompt", "none"), lab.AuthorizeURL("client_id", "x"), "/account", lab.DiscoveryPath,
			lab.KeysPath, "/widget/v1.js", "/nothing", "/signout", "http://evil.test/signin",
		} {
			p := w.Raw(append([]string{"GET " + path + " HTTP/1.1"}, spoof...)...)
			told := strings.Join([]string{p.Text, p.Header.Get("Location"), p.Header.Get("Set-Cookie"), p.Header.Get("Link"), p.Header.Get("Content-Security-Policy")}, "\n")
			if strings.Contains(told, "evil.test") || strings.Contains(told, "gopher") {
				t.Errorf("%s with %q repeats the host", path, spoof)
			}
			if honest := w.Raw("GET "+path+" HTTP/1.1", "Host: x"); p.StatusCode != honest.StatusCode {
				t.Errorf("%s with %q: %s, otherwise %s", path, spoof, p.Status, honest.Status)
			}
		}
		if i > 3 { // as many mails as one address gets
			continue
		}
		form.Set("email", "alice@example.com")
		body := form.Encode()
		cookie := victim.HTTP.Jar.Cookies(victim.ServerURL())[0].String()
		p := w.Raw(append([]string{"POST /reset HTTP/1.1", "Cookie: " + cookie, "Content-Type: application/x-www-form-urlencoded",
			"Content-Length: " + strconv.Itoa(len(body))}, append(spoof, "Connection: close", "", body)...)...)
		if mail, _ := w.Mails.Last(t); p.StatusCode != http.StatusSeeOther || strings.Contains(mail.Text, "evil.test") {
			t.Errorf("%q: %s, mail %s", spoof, p.Status, mail.Text)
		}
	}
}

func TestUnknownPathIsNoLinkToAnotherHost(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for _, path := range []string{"//evil.test/x", "/%5cevil.test/x", "/%09/evil.test", "/\\evil.test", "///evil.test", "/x%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/%2f%2fevil.test", "/.//evil.test"} {
		p := w.Raw("GET "+path+" HTTP/1.1", "Host: x")
		lab.Shown(t, p, http.StatusNotFound)
		for _, bad := range []string{"evil.test", "<script>alert"} {
			if strings.Contains(p.Text, bad) {
				t.Errorf("%s: the page holds %s", path, bad)
			}
		}
	}
}

func TestMethodConfusion(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	form := b.SignInForm("alice@example.com", lab.AlicePass)

	t.Run("PasswordInTheAddressSignsNobodyIn", func(t *testing.T) {
		p := b.Send(http.MethodGet, "/signin?"+form.Encode(), "", "X-HTTP-Method-Override", "POST", "X-Method-Override", "POST")
		lab.Shown(t, p, http.StatusOK)
		if b.IsSignedIn() || strings.Contains(w.Log.String(), lab.AlicePass) || strings.Contains(p.Text, lab.AlicePass) {
			t.Error("accepted, logged or repeated")
		}
	})
	t.Run("OtherMethodsAreRefused", func(t *testing.T) {
		for _, path := range []string{"/signin", "/signup", "/reset", "/oauth/authorize", "/oauth/consent", "/account", "/signout"} {
			for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodTrace, http.MethodOptions, "PROPFIND", "post", "GETX"} {
				p := b.Send(method, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-HTTP-Method-Override", "POST")
				if p.StatusCode != http.StatusMethodNotAllowed || p.Header.Get("Allow") != "GET, HEAD, POST" {
					t.Errorf("%s %s: %s, Allow %q", method, path, p.Status, p.Header.Get("Allow"))
				}
				lab.Safe(t, p)
			}
		}
		if b.IsSignedIn() {
			t.Error("signed in")
		}
	})
}

func TestWhatIsNoTextReachesNothing(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	for _, value := range []string{"%ff", "%00", "%c0%af", "%ed%a0%80", "%", "%zz", "a;b=c"} {
		for _, path := range []string{"/signin?flow=", "/account/apps/remove?client_id=", "/signout?client_id=", "/signout?state=", "/reset?ticket=", "/signin?ui_locales="} {
			p := w.Raw("GET "+path+value+" HTTP/1.1", "Host: x")
			lab.Shown(t, p, http.StatusBadRequest)
			if t.Failed() {
				t.Fatal(path + value)
			}
		}
		for _, field := range []string{"email", "password", "csrf", "unknown"} {
			_, form := w.NewBrowser().Get("/signin").Form(t)
			form.Del(field)
			p := b.Send(http.MethodPost, "/signin", form.Encode()+"&"+field+"="+value, "Content-Type", "application/x-www-form-urlencoded")
			if p.StatusCode != http.StatusBadRequest && p.StatusCode != http.StatusForbidden {
				t.Errorf("%s=%s: %s", field, value, p.Status)
			}
		}
	}
	// A browser may send any bytes as its name.
	odd := w.NewBrowser()
	form := odd.SignInForm("alice@example.com", lab.AlicePass)
	p := odd.Send(http.MethodPost, "/signin", form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"User-Agent", strings.Repeat("x", 255)+"\u00e9\xff\xfe", "Accept-Language", "\xff,"+strings.Repeat("de-", 1000))
	if p.StatusCode != http.StatusSeeOther || odd.Cookie(session.Session) == "" {
		t.Errorf("sign-in: %s", p.Status)
	}
	if p := odd.Get("/account/sessions"); p.StatusCode != http.StatusOK || strings.Contains(p.Text, "\xff") {
		t.Errorf("sessions: %s", p.Status)
	}
}

func TestWishesForLanguageAndDisplayAreHarmless(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	for _, value := range []string{"../../etc/passwd", "/etc/passwd", "de/../en", "x-klingon", strings.Repeat("de ", 600), strings.Repeat("a-", 1000), "\"><script>alert(1)</script>", "de_DE@euro"} {
		for _, name := range []string{"ui_locales", "claims_locales", "display", "acr_values"} {
			p := w.NewBrowser().Open(lab.AuthorizeURL(name, value))
			lab.Shown(t, p, http.StatusOK)
			if strings.Contains(p.Text, "<script>alert") || strings.Contains(p.Text, "root:") {
				t.Errorf("%s=%.40q is repeated", name, value)
			}
		}
	}
}

func TestPanicIsAnErrorPage(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL: "https://host.test/login",
			SignedIn:  func(r *http.Request) (provider.SignedIn, error) { panic("secret of the host") },
		}
	}).WithClients()
	p := w.NewBrowser().Get("/account")
	lab.Shown(t, p, http.StatusServiceUnavailable)
	if strings.Contains(p.Text, "secret of the host") {
		t.Error("the page tells what happened inside")
	}
}

func TestReturnTo(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL: "https://host.test/login",
			SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
		}
	}).WithClients()
	location := testkit.Must(url.Parse(w.NewBrowser().Get(lab.AuthorizeURL()).Header.Get("Location")))(t)
	given := location.Query().Get("return_to")
	if !strings.HasPrefix(given, w.Server.URL+"/oauth/authorize?flow=") || !w.Pages().IsReturnTo(given) || !w.Pages().IsReturnTo(w.Server.URL+"/account") {
		t.Fatalf("return_to %q is not known again", given)
	}
	path := strings.TrimPrefix(given, w.Server.URL)
	for _, address := range []string{
		"", "/", path, "//evil.test", "/\\evil.test", "/%09/evil.test", "/%5cevil.test", "\t//evil.test", "/./\\evil.test", "https:evil.test", "///evil.test",
		"/x/..//evil.test", "javascript:alert(1)", "%2f%2fevil.test", "https://evil.test/account", "https://evil.test" + path, w.Server.URL, w.Server.URL + "/",
		w.Server.URL + ".evil.test" + path, w.Server.URL + "@evil.test" + path, w.Server.URL + "\\@evil.test" + path, w.Server.URL + "/account/", w.Server.URL + "/account?x=1",
		w.Server.URL + "/account#x", w.Server.URL + "//evil.test", w.Server.URL + "/signout", w.Server.URL + lab.AuthorizeURL(), w.Server.URL + lab.AuthorizeURL("redirect_uri", "https://evil.test"),
		given + "&redirect_uri=https://evil.test", given + "&flow=\xcc", given + "&", strings.Replace(given, "?flow", "?%66low", 1), given + "#//evil.test", given + "\r\nSet-Cookie: x=1", given + "\u2028", " " + given, given + " ", given + "%0d%0a",
		given[:len(given)-1], strings.ToUpper(given), strings.Replace(given, "http:", "https:", 1), strings.Replace(given, "/oauth/", "/x/../oauth/", 1),
	} {
		if w.Pages().IsReturnTo(address) {
			t.Errorf("%q is taken for our own", address)
		}
	}
	other := lab.New(t) // the same secret at another address
	if other.Pages().IsReturnTo(strings.Replace(given, w.Server.URL, other.Server.URL, 1)) {
		t.Error("a flow of another provider is taken for our own")
	}
}

// A handler that is mounted behind a host's mux answers at no other path.
func TestMountedUnderAPathAnswersOnlyThere(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.BaseURL += "/id" })
	for path, want := range map[string]int{"/id/signin": 200, "/idsignin": 404, "/id//signin": 404, "/id/id/signin": 404, "/ID/signin": 404, "/id": 303, "/id/": 303, "/id//": 404} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		recorder := httptest.NewRecorder()
		w.ServeHTTP(recorder, r)
		if recorder.Code != want {
			t.Errorf("%s answers %d, want %d", path, recorder.Code, want)
		}
	}
}
