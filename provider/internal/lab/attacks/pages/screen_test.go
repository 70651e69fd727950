package pages

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/ui"
)

// Another site posts the form of a screen.
func TestAttackScreenForgedForm(t *testing.T) {
	t.Parallel()
	d := &lab.Desk{}
	w := lab.NewDesk(t, d, lab.New(t).WithUsers())
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	action, fields := b.Open("/desk/one").Form(t)
	_, ofBob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass).Open("/desk/one").Form(t)
	for name, c := range map[string]struct {
		csrf, origin, site string
	}{
		"WithoutTheHiddenField": {"", w.Server.URL, "same-origin"}, "WithThatOfAnotherBrowser": {ofBob.Get("csrf"), w.Server.URL, "same-origin"},
		"CrossSite": {fields.Get("csrf"), "https://evil.test", "cross-site"}, "CrossOrigin": {fields.Get("csrf"), "https://evil.test", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Server.URL+action, strings.NewReader(url.Values{"csrf": {c.csrf}, "name": {name}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", c.origin)
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if p := b.Do(r); p.StatusCode != http.StatusForbidden || len(d.Done) > 0 {
			t.Errorf("%s: %s, done %q", name, p.Status, d.Done)
		}
	}
}

// Somebody begins a sign-in in his browser, for a page of his choice, and has it finished
// in another's; or writes where it leads to himself.
func TestAttackScreenReturnOfAnother(t *testing.T) {
	t.Parallel()
	w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
	other := lab.NewDesk(t, &lab.Desk{}, lab.New(t, lab.WithoutKey(t), func(c *provider.Config) { c.Secret = []byte(strings.Repeat("another secret! ", 2)) }))
	begun := func(w *lab.Fixture) string { return w.NewBrowser().Open("/desk/one").Request.URL.Query().Get("flow") }
	sealed := begun(w)
	flow := w.WithClients().NewBrowser().Open(lab.AuthorizeURL()).Request.URL.Query().Get("flow")
	for name, value := range map[string]string{
		"OfAnotherBrowser": sealed, "Tampered": sealed[:len(sealed)-2] + "AA", "CutOff": sealed[:20], "OfAnotherProvider": begun(other),
		"InClear": "/desk/one", "AForeignHost": "https://evil.test/", "OfAFlow": flow,
	} {
		b := w.NewBrowser()
		for _, path := range []string{"/signin", "/signup", "/reset"} {
			if p := b.Get(path + "?flow=" + url.QueryEscape(value)); p.StatusCode != http.StatusBadRequest {
				t.Errorf("%s, at %s: %s", name, path, p.Status)
			}
		}
		_, fields := b.Open("/signin").Form(t)
		fields.Set("email", "alice@example.com")
		fields.Set("password", lab.AlicePass)
		fields.Set("flow", value)
		if p := b.Post("/signin", fields); p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" || b.IsSignedIn() {
			t.Errorf("%s, posted: %s %q", name, p.Status, p.Header.Get("Location"))
		}
	}
	// What leads back to a page answers no application.
	b := w.NewBrowser()
	own := b.Open("/desk/one").Request.URL.Query().Get("flow")
	for _, path := range []string{"/oauth/authorize", "/oauth/consent", "/oauth/select-account", "/oauth/select-scope"} {
		if p := b.Get(path + "?flow=" + url.QueryEscape(own)); p.StatusCode != http.StatusBadRequest {
			t.Errorf("at %s: %s", path, p.Status)
		}
	}
}

// A path that browsers take for an address of another host never comes back from a
// sign-in, nor does a screen redirect to one.
func TestAttackScreenOpenRedirect(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	screen := w.Pages().Screen((&lab.Desk{}).Serve)
	for _, path := range []string{"//evil.test/desk", "/%2Fevil.test/desk", "/desk/../../evil.test", "/desk//evil.test", "/%2e%2e//evil.test"} {
		answer := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RequestURI = path
		screen.ServeHTTP(answer, r)
		if answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "evil.test") {
			t.Errorf("%s: %d %q\n%s", path, answer.Code, answer.Header().Get("Location"), answer.Body)
		}
	}
	for _, address := range []string{"https://evil.test/", "//evil.test/", `/\evil.test/`, "desk", "", "javascript:alert(1)", "/\tevil"} {
		w.Server.Config.Handler = w.Pages().Screen(func(s *provider.Screen) error {
			s.Room().RedirectWith(address, "saved")
			return nil
		})
		if p := w.NewBrowser().Get("/desk"); p.StatusCode != http.StatusInternalServerError || p.Header.Get("Location") != "" {
			t.Errorf("%q: %s %q", address, p.Status, p.Header.Get("Location"))
		}
	}
}

// A screen that asks somebody to sign in who has done so would send the browser to and fro.
func TestScreenThatAsksForNothingSendsNobodyRound(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.Server.Config.Handler = w.Pages().Screen(func(s *provider.Screen) error {
		s.SignIn(time.Hour)
		return nil
	})
	if p := b.Get("/desk"); p.StatusCode != http.StatusInternalServerError {
		t.Errorf("answered %s", p.Status)
	}
}

// Lists come from check boxes and rows of inputs; what protects the form comes once.
func TestScreenFormHasLists(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	var got []string
	w.Server.Config.Handler = w.Pages().Screen(func(s *provider.Screen) error {
		got = s.Request.PostForm["scope"]
		s.Render(http.StatusOK, ui.SignOut(ui.SignOutView{Page: s.Page(), Form: s.Form()}))
		return nil
	})
	b := w.NewBrowser()
	action, fields := b.Get("/desk").Form(t)
	fields["scope"] = []string{"openid", "military"}
	if p := b.Post(action, fields); p.StatusCode != http.StatusOK || len(got) != 2 {
		t.Errorf("%s, %q", p.Status, got)
	}
	fields.Set("scope", "a\x00")
	if p := b.Post(action, fields); p.StatusCode != http.StatusBadRequest {
		t.Errorf("what is no text: %s", p.Status)
	}
	fields.Del("scope")
	fields["csrf"] = append(fields["csrf"], fields.Get("csrf"))
	if p := b.Post(action, fields); p.StatusCode != http.StatusBadRequest {
		t.Errorf("csrf given twice: %s", p.Status)
	}
}

// A database may refuse to compare what is no text, and another one takes it: an address
// of such bytes is nobody's, and no screen is asked about it.
func TestAttackScreenAddressOfNoText(t *testing.T) {
	t.Parallel()
	d := &lab.Desk{}
	w := lab.NewDesk(t, d, lab.New(t).WithUsers())
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Shown(t, b.Open("/desk/one"), http.StatusOK)
	for _, path := range []string{"/desk/%00", "/desk/a%ff", "/desk/%c3%28"} {
		lab.Shown(t, b.Get(path), http.StatusNotFound)
	}
}
