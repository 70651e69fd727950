package flows

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
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// arrives reports that the browser has come to the page of the desk.
func arrives(t *testing.T, p lab.Page, email string) {
	t.Helper()
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Request.URL.Path, "/desk/") || !strings.Contains(p.Text, email) {
		t.Fatalf("at %s: %s\n%s", p.Request.URL, p.Status, p.Text)
	}
}

func TestScreen(t *testing.T) {
	t.Parallel()
	t.Run("LeadsThroughSignInAndBack", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
		b := w.NewBrowser()
		p := b.Open("/desk/one?tab=keys&ui_locales=de")
		if !strings.HasPrefix(p.Request.URL.Path, "/signin") {
			t.Fatalf("not sent to sign in, but to %s", p.Request.URL)
		}
		p = b.Submit(p, "email", "alice@example.com", "password", "wrong")
		if p.StatusCode != http.StatusUnauthorized {
			t.Fatalf("a wrong password: %s", p.Status)
		}
		p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
		arrives(t, p, "alice@example.com")
		if got := p.Request.URL.RequestURI(); got != "/desk/one?tab=keys" {
			t.Errorf("came back to %s", got)
		}
	})
	t.Run("LeadsThroughSignUpAndBack", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t))
		b := w.NewBrowser()
		p := b.Open("/desk/one")
		p = b.Get(lab.LinkOf(t, p, "/signup"))
		p = b.Submit(p, "email", "erin@example.com", "new_password", "quiet-lantern-harbor-58")
		_, code := w.Mails.Last(t)
		p = b.Submit(p, "code", code)
		arrives(t, p, "erin@example.com")
	})
	t.Run("LeadsThroughResetAndBack", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
		b := w.NewBrowser()
		p := b.Open("/desk/one")
		p = b.Submit(b.Get(lab.LinkOf(t, p, "/reset")), "email", "alice@example.com")
		_, code := w.Mails.Last(t)
		p = b.Submit(p, "code", code, "new_password", "quiet-lantern-harbor-58")
		p = b.Submit(p, "email", "alice@example.com", "password", "quiet-lantern-harbor-58")
		arrives(t, p, "alice@example.com")
	})
	t.Run("AsksWhoAuthenticatedTooLongAgoToConfirm", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{MaxAge: 10 * time.Minute}, lab.New(t).WithUsers())
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		arrives(t, b.Open("/desk/one"), "alice@example.com")
		w.Advance(11 * time.Minute)
		p := b.Open("/desk/one")
		if _, fields := p.Form(t); fields.Has("email") || !strings.Contains(p.Text, "Confirm that it’s you") {
			t.Fatalf("not asked to confirm: %s", p.Text)
		}
		arrives(t, b.Submit(p, "password", lab.AlicePass), "alice@example.com")
	})
	t.Run("LetsSomebodyElseSignIn", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{MaxAge: 10 * time.Minute}, lab.New(t).WithUsers())
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		w.Advance(11 * time.Minute)
		p := b.Submit(b.Open("/desk/one"), "action", "switch")
		arrives(t, b.Submit(p, "email", "bob@example.com", "password", lab.BobPass), "bob@example.com")
	})
	t.Run("ComesBackWhenAnotherTabHasSignedIn", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
		b := w.NewBrowser()
		p := b.Open("/desk/one")
		b.SignIn("alice@example.com", lab.AlicePass)
		arrives(t, b.Open(p.Request.URL.RequestURI()), "alice@example.com")
	})
	t.Run("PostsToItself", func(t *testing.T) {
		d := &lab.Desk{}
		w := lab.NewDesk(t, d, lab.New(t).WithUsers())
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p := b.Submit(b.Open("/desk/a%20b?tab=keys"), "name", "x")
		arrives(t, p, "alice@example.com")
		if len(d.Done) != 1 || d.Done[0] != "alice posts x" || !strings.Contains(p.Text, "/noticed-saved") || p.Request.URL.EscapedPath() != "/desk/a%20b" {
			t.Errorf("%q, at %s\n%s", d.Done, p.Request.URL, p.Text)
		}
		if p := w.NewBrowser().SignIn("bob@example.com", lab.BobPass).Get(p.Request.URL.RequestURI()); strings.Contains(p.Text, "/noticed-saved") {
			t.Error("the notice is shown in another browser")
		}
	})
	t.Run("DoesNothingForAUserWhoIsGone", func(t *testing.T) {
		d := &lab.Desk{}
		w := lab.NewDesk(t, d, lab.New(t).WithUsers())
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p := b.Open("/desk/one?tab=keys")
		b.SetCookie(session.Session, "x")
		p = b.Submit(p, "name", "x")
		if p.Request.URL.Path != "/signin" || len(d.Done) > 0 {
			t.Fatalf("%q, at %s", d.Done, p.Request.URL)
		}
		arrives(t, b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass), "alice@example.com")
		if len(d.Done) > 0 {
			t.Errorf("what was posted before the sign-in is done: %q", d.Done)
		}
	})
	t.Run("HasLanguagesThatKeepItsQuery", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
		p := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Open("/desk/one?tab=keys&ui_locales=ar&notice=x")
		form := `<form method="get" action="/desk/one"><input type="hidden" name="tab" value="keys"><ul>`
		if !strings.Contains(p.Text, form) || !strings.Contains(p.Text, `name="ui_locales" value="de"`) || !strings.Contains(p.Text, `dir="rtl"`) {
			t.Errorf("%s", p.Text)
		}
	})
	t.Run("HasTheHeadersOfAllPages", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t).WithUsers())
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		ours, theirs := b.Get("/account").Header, b.Get("/desk/one").Header
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
		d := &lab.Desk{}
		w := lab.New(t, func(c *provider.Config) { c.BaseURL += "/id" }).WithUsers()
		inner := http.NewServeMux()
		inner.Handle("/desk/{name}", w.Pages().Screen(d.Serve))
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
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t))
		p := w.NewBrowser().Send(http.MethodPut, "/desk/one", "")
		if p.StatusCode != http.StatusMethodNotAllowed || p.Header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s %v", p.Status, p.Header)
		}
	})
	t.Run("IsGoneAfterClose", func(t *testing.T) {
		w := lab.NewDesk(t, &lab.Desk{}, lab.New(t))
		testkit.OK(t, w.Close())
		if p := w.NewBrowser().Get("/desk/one"); p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("answered %s", p.Status)
		}
	})
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
			w := lab.NewDesk(t, &lab.Desk{Fail: c.err}, lab.New(t))
			p := w.NewBrowser().Get("/desk/sesame")
			line := lineOf(w.Log.String(), "request failed")
			if p.StatusCode != c.status || !strings.Contains(line, c.logged) {
				t.Errorf("%s, want %d; %s", p.Status, c.status, line)
			}
			if !strings.Contains(line, "path=/desk/{name}") || strings.Contains(w.Log.String(), "sesame") {
				t.Errorf("the log has not the pattern, or the path: %s", line)
			}
		})
	}
	t.Run("Panic", func(t *testing.T) {
		w := lab.New(t)
		w.Server.Config.Handler = w.Pages().Screen(func(*provider.Screen) error { panic("oops") })
		if p := w.NewBrowser().Get("/desk"); p.StatusCode != http.StatusInternalServerError || strings.Contains(p.Text, "oops") {
			t.Errorf("%s %s", p.Status, p.Text)
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
	d := &lab.Desk{MaxAge: 10 * time.Minute}
	w := lab.NewDesk(t, d, lab.NewHosted(t, func() provider.SignedIn { return signedIn }))
	sent := func(b *lab.Browser, prompt string) (returnTo string) {
		t.Helper()
		location, err := url.Parse(b.Get("/desk/one?tab=keys").Header.Get("Location"))
		if err != nil || location.Host != "host.test" || location.Query().Get("prompt") != prompt || !w.Pages().IsReturnTo(location.Query().Get("return_to")) {
			t.Fatalf("sent to %s (%v), want prompt=%q", location, err, prompt)
		}
		return location.Query().Get("return_to")
	}
	b := w.NewBrowser()
	returnTo := sent(b, "")
	if p := b.Get(returnTo); p.StatusCode != http.StatusOK || lab.LinkOf(t, p, "/desk/") != "/desk/one?tab=keys" {
		t.Errorf("nobody has signed in: %s %s", p.Status, p.Text)
	}
	signedIn = provider.SignedIn{UserID: "carol", AuthTime: w.Now()}
	if p := b.Get(returnTo); p.Header.Get("Location") != "/desk/one?tab=keys" {
		t.Errorf("led to %q", p.Header.Get("Location"))
	}
	w.Advance(11 * time.Minute)
	returnTo = sent(b, "login")
	if p := b.Get(returnTo); p.StatusCode != http.StatusOK {
		t.Errorf("a host that is content with its session sends the browser round: %s", p.Status)
	}
	if p := w.NewBrowser().Get(returnTo); p.StatusCode != http.StatusBadRequest {
		t.Errorf("the return of another browser: %s", p.Status)
	}
	for _, address := range []string{returnTo + "x", w.Server.URL + "/signin/return", w.Server.URL + "/signin/return?flow=", strings.Replace(returnTo, "http://", "https://evil.test/", 1)} {
		if w.Pages().IsReturnTo(address) {
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
		testkit.OK(t, form.WriteField(name, fields.Get(name)))
	}
	for _, name := range files {
		part := testkit.Must(form.CreateFormFile(name, "logo.png"))(t)
		testkit.Must(part.Write(bytes.Repeat([]byte("p"), size)))(t)
	}
	testkit.OK(t, form.Close())
	return form.FormDataContentType(), body
}

func TestScreenTakesFourFiles(t *testing.T) {
	t.Parallel()
	d := &lab.Desk{}
	w := lab.NewDesk(t, d, lab.New(t).WithUsers())
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
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
		d.Done, d.Files = nil, nil
		action, fields := b.Open("/desk/one").Form(t)
		fields.Set("name", "x")
		if !c.csrf {
			fields.Del("csrf")
		}
		contentType, body := attachment(t, fields, c.files, c.size)
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, w.Server.URL+action, body))(t)
		r.Header.Set("Content-Type", contentType)
		p := b.Do(r)
		if p.StatusCode != c.status || (len(d.Done) == 1) != (c.status == http.StatusSeeOther) {
			t.Errorf("%s: %s, done %q", name, p.Status, d.Done)
		}
		if len(d.Files) == 1 && len(d.Files[0]) != c.size {
			t.Errorf("%s: a file of %d bytes, want %d", name, len(d.Files[0]), c.size)
		}
	}
}

func TestScreenInTheFrame(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	w.Server.Config.Handler = w.Pages().Screen(func(s *provider.Screen) error {
		s.RenderFrame(http.StatusOK, "Your <desk>", templ.Raw(`<p id="own">Of the host.</p>`))
		return nil
	})
	p := w.NewBrowser().Get("/desk")
	lab.Shown(t, p, http.StatusOK)
	for _, want := range []string{"<h1>Your &lt;desk&gt;</h1>", `<p id="own">`, "Bonafide", `lang="en"`} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %s in %s", want, p.Text)
		}
	}
}

// Whom the host does not know any more is told so, also on the way back to a page.
func TestScreenOfAUserWhomTheHostDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := lab.NewDesk(t, &lab.Desk{MaxAge: 10 * time.Minute}, lab.New(t, func(c *provider.Config) {
		c.Users.Person = func(context.Context, string, []string, []string) (provider.Person, error) {
			return provider.Person{}, provider.ErrNoUser
		}
	}).WithUsers())
	b := w.NewBrowser()
	p := b.Open("/desk/one")
	p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
	if p.StatusCode != http.StatusForbidden || p.Request.URL.Path != "/desk/one" {
		t.Errorf("at %s: %s", p.Request.URL, p.Status)
	}
	w.Advance(11 * time.Minute)
	if p = b.Open("/desk/one"); p.StatusCode != http.StatusForbidden || p.Request.URL.Path != "/signin" {
		t.Errorf("at %s: %s", p.Request.URL, p.Status)
	}
}
