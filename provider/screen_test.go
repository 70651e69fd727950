package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// desk is a page of a host behind the sign-in, which does what it is told by form.
type desk struct {
	maxAge time.Duration
	done   []string // what has been posted
	files  []string
	fail   error
}

func (d *desk) serve(s *provider.Screen) error {
	if d.fail != nil {
		return d.fail
	}
	if !s.Fresh(d.maxAge) {
		s.SignIn(d.maxAge)
		return nil
	}
	if s.Request.Method == http.MethodPost {
		file, err := s.File("logo")
		if err != nil {
			return err
		}
		d.done = append(d.done, s.User.UserID+" posts "+s.Request.PostForm.Get("name"))
		d.files = append(d.files, string(file))
		s.RedirectWith(s.Form().Action, "saved")
		return nil
	}
	account, err := s.Account()
	if err != nil {
		return err
	}
	s.Render(http.StatusOK, ui.SignOut(ui.SignOutView{Page: s.Page(), Form: s.Form(), Account: account, CancelURL: "/noticed-" + string(s.Notice())}))
	return nil
}

// newDesk returns a provider with a page at /desk/, behind its sign-in.
func newDesk(t testing.TB, d *desk, w *fixture) *fixture {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/desk/{name}", w.Screen(d.serve))
	mux.Handle("/", w.Provider)
	w.server.Config.Handler = mux
	return w
}

// arrives reports that the browser has come to the page of the desk.
func arrives(t *testing.T, p page, email string) {
	t.Helper()
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Request.URL.Path, "/desk/") || !strings.Contains(p.body, email) {
		t.Fatalf("at %s: %s\n%s", p.Request.URL, p.Status, p.body)
	}
}

func TestScreen(t *testing.T) {
	t.Parallel()
	t.Run("LeadsThroughSignInAndBack", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t).withUsers())
		b := w.newBrowser()
		p := b.open("/desk/one?tab=keys&ui_locales=de")
		if !strings.HasPrefix(p.Request.URL.Path, "/signin") {
			t.Fatalf("not sent to sign in, but to %s", p.Request.URL)
		}
		p = b.submit(p, "email", "alice@example.com", "password", "wrong")
		if p.StatusCode != http.StatusUnauthorized {
			t.Fatalf("a wrong password: %s", p.Status)
		}
		p = b.submit(p, "email", "alice@example.com", "password", alicePass)
		arrives(t, p, "alice@example.com")
		if got := p.Request.URL.RequestURI(); got != "/desk/one?tab=keys" {
			t.Errorf("came back to %s", got)
		}
	})
	t.Run("LeadsThroughSignUpAndBack", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t))
		b := w.newBrowser()
		p := b.open("/desk/one")
		p = b.get(linkOf(t, p, "/signup"))
		p = b.submit(p, "email", "erin@example.com", "new_password", "quiet-lantern-harbor-58")
		_, code := w.mails.last(t)
		p = b.submit(p, "code", code)
		arrives(t, p, "erin@example.com")
	})
	t.Run("LeadsThroughResetAndBack", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t).withUsers())
		b := w.newBrowser()
		p := b.open("/desk/one")
		p = b.submit(b.get(linkOf(t, p, "/reset")), "email", "alice@example.com")
		_, code := w.mails.last(t)
		p = b.submit(p, "code", code, "new_password", "quiet-lantern-harbor-58")
		p = b.submit(p, "email", "alice@example.com", "password", "quiet-lantern-harbor-58")
		arrives(t, p, "alice@example.com")
	})
	t.Run("AsksWhoAuthenticatedTooLongAgoToConfirm", func(t *testing.T) {
		w := newDesk(t, &desk{maxAge: 10 * time.Minute}, newFixture(t).withUsers())
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		arrives(t, b.open("/desk/one"), "alice@example.com")
		w.advance(11 * time.Minute)
		p := b.open("/desk/one")
		if _, fields := p.form(t); fields.Has("email") || !strings.Contains(p.body, "Confirm that it’s you") {
			t.Fatalf("not asked to confirm: %s", p.body)
		}
		arrives(t, b.submit(p, "password", alicePass), "alice@example.com")
	})
	t.Run("LetsSomebodyElseSignIn", func(t *testing.T) {
		w := newDesk(t, &desk{maxAge: 10 * time.Minute}, newFixture(t).withUsers())
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		w.advance(11 * time.Minute)
		p := b.submit(b.open("/desk/one"), "action", "switch")
		arrives(t, b.submit(p, "email", "bob@example.com", "password", bobPass), "bob@example.com")
	})
	t.Run("ComesBackWhenAnotherTabHasSignedIn", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t).withUsers())
		b := w.newBrowser()
		p := b.open("/desk/one")
		b.signIn("alice@example.com", alicePass)
		arrives(t, b.open(p.Request.URL.RequestURI()), "alice@example.com")
	})
	t.Run("PostsToItself", func(t *testing.T) {
		d := &desk{}
		w := newDesk(t, d, newFixture(t).withUsers())
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p := b.submit(b.open("/desk/a%20b?tab=keys"), "name", "x")
		arrives(t, p, "alice@example.com")
		if len(d.done) != 1 || d.done[0] != "alice posts x" || !strings.Contains(p.body, "/noticed-saved") || p.Request.URL.EscapedPath() != "/desk/a%20b" {
			t.Errorf("%q, at %s\n%s", d.done, p.Request.URL, p.body)
		}
		if p := w.newBrowser().signIn("bob@example.com", bobPass).get(p.Request.URL.RequestURI()); strings.Contains(p.body, "/noticed-saved") {
			t.Error("the notice is shown in another browser")
		}
	})
	t.Run("DoesNothingForAUserWhoIsGone", func(t *testing.T) {
		d := &desk{}
		w := newDesk(t, d, newFixture(t).withUsers())
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p := b.open("/desk/one?tab=keys")
		b.setCookie(session.Session, "x")
		p = b.submit(p, "name", "x")
		if p.Request.URL.Path != "/signin" || len(d.done) > 0 {
			t.Fatalf("%q, at %s", d.done, p.Request.URL)
		}
		arrives(t, b.submit(p, "email", "alice@example.com", "password", alicePass), "alice@example.com")
		if len(d.done) > 0 {
			t.Errorf("what was posted before the sign-in is done: %q", d.done)
		}
	})
	t.Run("HasLanguagesThatKeepItsQuery", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t).withUsers())
		p := w.newBrowser().signIn("alice@example.com", alicePass).open("/desk/one?tab=keys&ui_locales=ar&notice=x")
		if !strings.Contains(p.body, `href="/desk/one?tab=keys&amp;ui_locales=de"`) || !strings.Contains(p.body, `dir="rtl"`) {
			t.Errorf("%s", p.body)
		}
	})
	t.Run("HasTheHeadersOfAllPages", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t).withUsers())
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		ours, theirs := b.get("/account").Header, b.get("/desk/one").Header
		for _, header := range []http.Header{ours, theirs} {
			header.Del("Date")
			header.Del("Content-Length")
		}
		const policy = "Content-Security-Policy"
		ours.Set(policy, ours.Get(policy)+"; connect-src 'self'; frame-src 'self'")
		if fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%v, want %v", theirs, ours)
		}
	})
	t.Run("StandsBelowTheBaseURL", func(t *testing.T) {
		d := &desk{}
		w := newFixture(t, func(c *provider.Config) { c.BaseURL += "/id" }).withUsers()
		inner := http.NewServeMux()
		inner.Handle("/desk/{name}", w.Screen(d.serve))
		inner.Handle("/", w.Provider)
		for way, handler := range map[string]http.Handler{"BehindStripPrefix": http.StripPrefix("/id", inner), "ByAProxyThatStrips": inner} {
			p := "/id"
			if handler == http.Handler(inner) {
				p = ""
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, p+"/desk/one", nil))
			location := answer.Header().Get("Location")
			if !strings.HasPrefix(location, "/id/signin?flow=") {
				t.Fatalf("%s: leads to %q", way, location)
			}
		}
	})
	t.Run("RefusesOtherMethods", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t))
		p := w.newBrowser().send(http.MethodPut, "/desk/one", "")
		if p.StatusCode != http.StatusMethodNotAllowed || p.Header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s %v", p.Status, p.Header)
		}
	})
	t.Run("IsGoneAfterClose", func(t *testing.T) {
		w := newDesk(t, &desk{}, newFixture(t))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if p := w.newBrowser().get("/desk/one"); p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("answered %s", p.Status)
		}
	})
}

// linkOf returns the address of the first link of a page that begins so.
func linkOf(t *testing.T, p page, begin string) string {
	t.Helper()
	_, rest, ok := strings.Cut(p.body, `href="`+begin)
	address, _, ends := strings.Cut(rest, `"`)
	if !ok || !ends {
		t.Fatalf("no link to %s\n%s", begin, p.body)
	}
	return begin + strings.ReplaceAll(address, "&amp;", "&")
}

func TestScreenErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		logged string
	}{
		"NotFound":                   {fmt.Errorf("read: %w", provider.ErrScreenNotFound), http.StatusNotFound, "level=DEBUG"},
		"ByValue":                    {provider.ScreenError{Status: http.StatusForbidden, Code: ui.ErrorForbidden}, http.StatusForbidden, "level=DEBUG"},
		"ByAddress":                  {&provider.ScreenError{Status: http.StatusRequestEntityTooLarge, Code: ui.ErrorTooLarge}, http.StatusRequestEntityTooLarge, "level=DEBUG"},
		"Unavailable":                {fmt.Errorf("read: %w", storage.ErrUnavailable), http.StatusServiceUnavailable, "level=ERROR"},
		"UnavailableIsNotNotFound":   {provider.ScreenError{Status: http.StatusNotFound, Code: ui.ErrorNotFound, Err: storage.ErrUnavailable}, http.StatusServiceUnavailable, "level=ERROR"},
		"AnyOther":                   {errors.New("it broke"), http.StatusInternalServerError, "level=ERROR"},
		"NotFoundInTheStoreIsAFault": {storage.ErrNotFound, http.StatusInternalServerError, "level=ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDesk(t, &desk{fail: c.err}, newFixture(t))
			p := w.newBrowser().get("/desk/sesame")
			line := lineOf(w.log.String(), "request failed")
			if p.StatusCode != c.status || !strings.Contains(line, c.logged) {
				t.Errorf("%s, want %d; %s", p.Status, c.status, line)
			}
			if !strings.Contains(line, "path=/desk/{name}") || strings.Contains(w.log.String(), "sesame") {
				t.Errorf("the log has not the pattern, or the path: %s", line)
			}
		})
	}
	t.Run("Panic", func(t *testing.T) {
		w := newFixture(t)
		w.server.Config.Handler = w.Screen(func(*provider.Screen) error { panic("oops") })
		if p := w.newBrowser().get("/desk"); p.StatusCode != http.StatusInternalServerError || strings.Contains(p.body, "oops") {
			t.Errorf("%s %s", p.Status, p.body)
		}
	})
}

// lineOf returns the line of a log that has a text.
func lineOf(log, text string) string {
	for line := range strings.Lines(log) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func TestScreenOfAHostWithUsersOfItsOwn(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	d := &desk{maxAge: 10 * time.Minute}
	w := newDesk(t, d, hostedFixture(t, func() provider.SignedIn { return signedIn }))
	sent := func(b *browser, prompt string) (returnTo string) {
		t.Helper()
		location, err := url.Parse(b.get("/desk/one?tab=keys").Header.Get("Location"))
		if err != nil || location.Host != "host.test" || location.Query().Get("prompt") != prompt || !w.IsReturnTo(location.Query().Get("return_to")) {
			t.Fatalf("sent to %s (%v), want prompt=%q", location, err, prompt)
		}
		return location.Query().Get("return_to")
	}
	b := w.newBrowser()
	returnTo := sent(b, "")
	if p := b.get(returnTo); p.StatusCode != http.StatusOK || linkOf(t, p, "/desk/") != "/desk/one?tab=keys" {
		t.Errorf("nobody has signed in: %s %s", p.Status, p.body)
	}
	signedIn = provider.SignedIn{UserID: "carol", AuthTime: w.now()}
	if p := b.get(returnTo); p.Header.Get("Location") != "/desk/one?tab=keys" {
		t.Errorf("led to %q", p.Header.Get("Location"))
	}
	w.advance(11 * time.Minute)
	returnTo = sent(b, "login")
	if p := b.get(returnTo); p.StatusCode != http.StatusOK {
		t.Errorf("a host that is content with its session sends the browser round: %s", p.Status)
	}
	if p := w.newBrowser().get(returnTo); p.StatusCode != http.StatusBadRequest {
		t.Errorf("the return of another browser: %s", p.Status)
	}
	for _, address := range []string{returnTo + "x", w.server.URL + "/signin/return", w.server.URL + "/signin/return?flow=", strings.Replace(returnTo, "http://", "https://evil.test/", 1)} {
		if w.IsReturnTo(address) {
			t.Errorf("%s is taken for our own", address)
		}
	}
}

// attachment returns a multipart form with the fields of a page and files of a size.
func attachment(t *testing.T, fields url.Values, files []string, size int) (contentType string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	form := multipart.NewWriter(body)
	for name := range fields {
		if err := form.WriteField(name, fields.Get(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range files {
		part, err := form.CreateFormFile(name, "logo.png")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(bytes.Repeat([]byte("p"), size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return form.FormDataContentType(), body
}

func TestScreenTakesFourFiles(t *testing.T) {
	t.Parallel()
	d := &desk{}
	w := newDesk(t, d, newFixture(t).withUsers())
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	for name, c := range map[string]struct {
		files        []string
		size, status int
		csrf         bool
	}{
		"One":           {[]string{"logo"}, 600 << 10, http.StatusSeeOther, true},
		"None":          {nil, 0, http.StatusSeeOther, true},
		"Four":          {[]string{"logo", "a", "b", "c"}, 512 << 10, http.StatusSeeOther, true},
		"Five":          {[]string{"logo", "a", "b", "c", "d"}, 10, http.StatusBadRequest, true},
		"TwoOfOneField": {[]string{"logo", "logo"}, 10, http.StatusBadRequest, true},
		"TooLarge":      {[]string{"logo"}, 2176 << 10, http.StatusRequestEntityTooLarge, true},
		"OfAnotherSite": {[]string{"logo"}, 10, http.StatusForbidden, false},
	} {
		d.done, d.files = nil, nil
		action, fields := b.open("/desk/one").form(t)
		fields.Set("name", "x")
		if !c.csrf {
			fields.Del("csrf")
		}
		contentType, body := attachment(t, fields, c.files, c.size)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+action, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", contentType)
		p := b.do(r)
		if p.StatusCode != c.status || (len(d.done) == 1) != (c.status == http.StatusSeeOther) {
			t.Errorf("%s: %s, done %q", name, p.Status, d.done)
		}
		if len(d.files) == 1 && len(d.files[0]) != c.size {
			t.Errorf("%s: a file of %d bytes, want %d", name, len(d.files[0]), c.size)
		}
	}
}

func TestScreenInTheFrame(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.server.Config.Handler = w.Screen(func(s *provider.Screen) error {
		s.RenderFrame(http.StatusOK, "Your <desk>", templ.Raw(`<p id="own">Of the host.</p>`))
		return nil
	})
	p := w.newBrowser().get("/desk")
	shown(t, p, http.StatusOK)
	for _, want := range []string{"<h1>Your &lt;desk&gt;</h1>", `<p id="own">`, "Bonafide", `lang="en"`} {
		if !strings.Contains(p.body, want) {
			t.Errorf("no %s in %s", want, p.body)
		}
	}
}

// Whom the host does not know any more is told so, also on the way back to a page.
func TestScreenOfAUserWhomTheHostDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newDesk(t, &desk{maxAge: 10 * time.Minute}, newFixture(t, func(c *provider.Config) {
		c.Users.Person = func(context.Context, string, []string, []string) (provider.Person, error) {
			return provider.Person{}, provider.ErrNoUser
		}
	}).withUsers())
	b := w.newBrowser()
	p := b.open("/desk/one")
	p = b.submit(p, "email", "alice@example.com", "password", alicePass)
	if p.StatusCode != http.StatusForbidden || p.Request.URL.Path != "/desk/one" {
		t.Errorf("at %s: %s", p.Request.URL, p.Status)
	}
	w.advance(11 * time.Minute)
	if p = b.open("/desk/one"); p.StatusCode != http.StatusForbidden || p.Request.URL.Path != "/signin" {
		t.Errorf("at %s: %s", p.Request.URL, p.Status)
	}
}
