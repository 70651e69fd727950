package desk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// ssoCookie is the company's own sign-in, in front of its desk.
const ssoCookie = "company"

// ownHost is a desk at a host of its own, of a process that serves nothing else, behind the
// company's sign-in at /company. It returns the public place, whose browsers reach the desk by its
// whole address.
func ownHost(t *testing.T) (w *lab.Fixture, at string, d *desk.Desk) {
	t.Helper()
	w = lab.New(t).WithUsers()
	inside := w.Twin()
	front := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(front.Close)
	address := testkit.Must(url.Parse(front.URL))(w.T)
	at = "http://localhost:" + address.Port() // the public process is 127.0.0.1
	var since time.Time
	d = testkit.Must(desk.New(desk.Config{
		Provider: inside.Provider, Store: inside.Store.(desk.Store), Clock: w.Now, URL: at, SignInURL: "/company", Dashboard: dashboard(inside),
		Admit: func(r *http.Request) (desk.Staff, error) {
			staff := desk.Staff{ID: "e7", Roles: []desk.Role{desk.RoleOperator}}
			if len(r.CookiesNamed(ssoCookie)) > 0 { // else it is not known since when
				staff.AuthenticatedAt, staff.Methods = since, []string{"mfa"}
			}
			return staff, nil
		},
	}))(w.T)
	mux := http.NewServeMux()
	mux.HandleFunc("/company", func(rw http.ResponseWriter, r *http.Request) {
		since = w.Now()
		http.SetCookie(rw, &http.Cookie{Name: ssoCookie, Value: "e7", Path: "/", HttpOnly: true})
		http.Redirect(rw, r, r.URL.Query().Get("return_to"), http.StatusSeeOther)
	})
	mux.Handle("/", d)
	front.Config.Handler = mux
	return w, at, d
}

// opens opens a page of another host, and follows redirects there.
func opens(b *lab.Browser, at string, p lab.Page) lab.Page {
	b.T.Helper()
	for range 10 {
		location := p.Header.Get("Location")
		if location == "" {
			return p
		}
		p = b.Get(at + location)
	}
	b.T.Fatal("redirects do not end")
	return p
}

// submits sends the form of a page of another host, and follows.
func submits(b *lab.Browser, at string, p lab.Page, values ...string) lab.Page {
	b.T.Helper()
	action, fields := p.Form(b.T)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return opens(b, at, b.Post(at+action, fields))
}

func TestDeskAtAHostOfItsOwn(t *testing.T) {
	t.Parallel()
	w, at, _ := ownHost(t)
	b := w.NewBrowser()

	// From the root by the company's sign-in to the desk, and back to where somebody was.
	p := opens(b, at, b.Get(at+"/"))
	shows(t, p, http.StatusOK, "Find a person")
	if p.Request.URL.String() != at+"/desk/" {
		t.Errorf("the desk is at %s", p.Request.URL)
	}
	p = submits(b, at, opens(b, at, b.Get(at+"/desk/find")), "sought", "bob@example.com")
	shows(t, p, http.StatusOK, "Why do you look at this person?")
	p = submits(b, at, p, "reason", "caller")
	shows(t, p, http.StatusOK, "The person called")
	form := opens(b, at, b.Get(p.Request.URL.String()+"/do/lock"))
	_, fields := form.Form(t)
	fields.Set("action", "do")
	fields.Set("revision", hiddenOf(form, "revision"))
	shows(t, opens(b, at, b.Post(form.Request.URL.String(), fields)), http.StatusOK, "Done.")
	account := testkit.Must(w.Accounts().Get(t.Context(), "bob"))(w.T)
	if !account.Disabled {
		t.Error("what the desk has done does not hold in the public process")
	}
	person := p.Request.URL.String()
	w.Advance(20 * time.Minute)
	if q := b.Get(person); q.StatusCode != http.StatusSeeOther || !strings.HasPrefix(q.Header.Get("Location"), "/company?return_to=%2Fdesk%2Fmatters%2F") {
		t.Errorf("idle: %s to %s", q.Status, q.Header.Get("Location"))
	}
	shows(t, opens(b, at, b.Get(person)), http.StatusOK, "The person called")

	// What its pages load is there, with their policy.
	if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src "+at+"/assets/;") {
		t.Error(policy)
	}
	files := assetPaths.FindAllStringSubmatch(p.Text, -1)
	if len(files) == 0 {
		t.Error("the page loads nothing")
	}
	for _, file := range files {
		if q := b.Get(at + file[1]); q.StatusCode != http.StatusOK || q.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %s", file[1], q.Status)
		}
	}
	if strings.Contains(p.Text, w.Server.URL) || strings.Contains(p.Text, `"/account`) {
		t.Error("a page of the desk leads to the public process")
	}
	shows(t, b.Get(at+"/desk/applications/app"), http.StatusOK, `href="`+w.Server.URL+`/developer/review/production/app"`)
}

func TestAttacksOnADeskAtAHostOfItsOwn(t *testing.T) {
	t.Parallel()
	w, at, d := ownHost(t)
	b := w.NewBrowser()
	shows(t, opens(b, at, b.Get(at+"/desk/")), http.StatusOK, "Find a person")

	// The public process has nothing of it, and the desk nothing of the public one.
	for _, path := range []string{"/desk/", "/desk/find", "/desk/api/v1/people"} {
		shows(t, b.Open(path), http.StatusNotFound)
	}
	for _, path := range []string{"/signin", "/account", "/oauth/authorize", "/oidc/keys", "/.well-known/openid-configuration", "/assets/none.css", "/images/none.png", "/widget/button.js"} {
		if q := b.Get(at + path); q.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, q.Status)
		}
	}
	if q := b.Post(at+"/oauth/token", url.Values{"grant_type": {"client_credentials"}}); q.StatusCode != http.StatusForbidden {
		t.Errorf("the token endpoint: %s", q.Status)
	}

	// A session of the public process is nobody there.
	alice := w.Alice()
	thief := w.NewBrowser()
	host := testkit.Must(url.Parse(at))(w.T)
	thief.HTTP.Jar.SetCookies(host, alice.HTTP.Jar.Cookies(alice.ServerURL()))
	if q := thief.Get(at + "/desk/"); q.StatusCode != http.StatusSeeOther || !strings.HasPrefix(q.Header.Get("Location"), "/company") {
		t.Errorf("a session of the public process: %s", q.Status)
	}

	// Forms of another origin, of another browser and of the public process are refused.
	form := b.Get(at + "/desk/find")
	action, fields := form.Form(t)
	fields.Set("sought", "bob@example.com")
	for name, header := range map[string]http.Header{
		"of the public host": {"Origin": {w.Server.URL}},
		"of another":         {"Origin": {"https://evil.example"}},
		"cross-site":         {"Sec-Fetch-Site": {"cross-site"}, "Origin": {w.Server.URL}},
	} {
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, at+action, strings.NewReader(fields.Encode())))(w.T)
		r.Header = header
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if q := b.Do(r); q.StatusCode != http.StatusForbidden {
			t.Errorf("a form %s: %s", name, q.Status)
		}
	}
	stranger := w.NewBrowser()
	opens(stranger, at, stranger.Get(at+"/desk/"))
	if q := stranger.Post(at+action, fields); q.StatusCode != http.StatusForbidden {
		t.Errorf("a form of another browser: %s", q.Status)
	}
	if name := b.HTTP.Jar.Cookies(host); len(name) == 0 || b.Cookie(session.Staff) != "" {
		t.Error("a cookie of the desk is at the public host")
	}
	// Mounted in the public process by mistake, it still has no session of users.
	mux := http.NewServeMux()
	mux.Handle("/desk/", d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	if q := alice.Get("/desk/"); q.StatusCode == http.StatusOK {
		t.Error("a user of the public process is at the desk")
	}
}

func TestHostOfADesk(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	admit := func(*http.Request) (desk.Staff, error) { return desk.Staff{}, nil }
	staff := func(context.Context, string) (desk.Staff, error) { return desk.Staff{}, nil }
	for name, cfg := range map[string]desk.Config{
		"users of the provider": {URL: "https://desk.example.com", Staff: staff},
		"a path":                {URL: "/desk", Admit: admit},
		"no TLS":                {URL: "http://desk.example.com", Admit: admit},
		"a slash":               {URL: "https://desk.example.com/", Admit: admit},
		"a query":               {URL: "https://desk.example.com?x", Admit: admit},
		"the provider's own":    {URL: w.Server.URL + "/staff", Admit: admit},
	} {
		cfg.Provider, cfg.Store = w.Provider, w.Store.(desk.Store)
		if _, err := desk.New(cfg); err == nil || !strings.Contains(err.Error(), "Config.URL") {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := desk.Config{Provider: w.Provider, Store: w.Store.(desk.Store), URL: "https://desk.example.com/staff", Admit: admit}
	d := testkit.Must(desk.New(cfg))(w.T)
	recorded := httptest.NewRecorder()
	d.ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "https://desk.example.com/staff/desk/", http.NoBody))
	if recorded.Code != http.StatusNotFound {
		t.Errorf("below a path, for nobody of the staff: %d", recorded.Code)
	}
}
