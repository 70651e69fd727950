package desk

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// faulty has the database fail at each statement of a request in turn, until none fails.
func (w *place) faulty(t *testing.T, name string, ask func() lab.Page, check func(p lab.Page)) {
	t.Helper()
	for at := 1; at < 200; at++ {
		w.tap.Open(at, false)
		p := ask()
		if len(w.tap.Close()) < at {
			check(p)
			return
		}
		switch {
		case p.StatusCode == http.StatusServiceUnavailable && p.Header.Get("Retry-After") != "":
			safe(t, p)
			silent(t, p)
			if strings.Contains(p.Text, lab.ErrDisk.Error()) {
				t.Errorf("%s: statement %d: the page says why", name, at)
			}
		case p.StatusCode < http.StatusBadRequest: // what it needed was there already
		default:
			t.Errorf("%s: statement %d fails: %s", name, at, p.Status)
		}
	}
	t.Errorf("%s never succeeds", name)
}

// A database that fails at any step of a page is 503: never "not found", never half a page, and
// a look that could not be written is none.
func TestPageOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	olga, anna, rita := w.as("olga"), w.as("anna"), w.as("rita")
	all := []string{"/desk/", "/desk/find", "/desk/plans", "/desk/plans/new", "/desk/breaks", "/desk/cases/numbers", "/desk/applications", "/desk/applications/std", "/desk/hosts", "/desk/hosts/app.example", "/desk/organizations", "/desk/keys", "/desk/health", "/desk/numbers", "/desk/trail"}
	for _, part := range []string{"account", "factors", "sessions", "applications", "groups", "cases", "history", "actions", "proof", "do/lock", "do/end_sessions"} {
		all = append(all, "/"+part)
	}
	for _, address := range all {
		if path.Dir(address) != "/desk" && !strings.HasPrefix(address, "/desk/") {
			address = "/desk/matters/" + open(olga, "alice", "caller") + address
		}
		w.faulty(t, address, func() lab.Page { return olga.Get(address) }, func(p lab.Page) { is(t, p, http.StatusOK) })
	}
	w.faulty(t, "looks", func() lab.Page { return anna.Get("/desk/looks") }, func(p lab.Page) { is(t, p, http.StatusOK) })
	w.faulty(t, "inbox", func() lab.Page { return rita.Get("/desk/cases") }, func(p lab.Page) { is(t, p, http.StatusOK) })
}

// What opens and closes a matter fails as a whole: there are as many matters as lines of them. That
// of acts is in provider/desk/internal/act.
func TestMatterOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam := w.as("sam")
	csrf := token(sam)
	m := open(sam, "bob", "caller")
	w.faulty(t, "find", func() lab.Page {
		return sam.Post("/desk/find", lab.Form("csrf", csrf, "sought", "alice"))
	}, func(p lab.Page) { is(t, p, http.StatusOK) })
	_, found := find(sam, "alice").Form(t)
	w.faulty(t, "open", func() lab.Page {
		return sam.Post("/desk/matters", lab.Form("csrf", csrf, "person", found.Get("person"), "reason", "caller"))
	}, func(p lab.Page) { is(t, p, http.StatusSeeOther) })
	opened := w.lines(provider.EventFilter{Name: event.MatterOpened, Actor: "staff:sam", Limit: 50})
	matters := testkit.Must(w.deskStore().Matters(t.Context(), storage.MatterFilter{Staff: "sam", Limit: 50}))(w.T)
	if len(opened) != len(matters) {
		t.Errorf("%d matters, %d lines", len(matters), len(opened))
	}
	w.faulty(t, "close", func() lab.Page { return sam.Post("/desk/matters/"+m+"/close", lab.Form("csrf", csrf)) }, func(p lab.Page) { is(t, p, http.StatusSeeOther) })
}

// A sandbox beside production: neither its staff, its matters nor its sealed values are good
// elsewhere, and the provider that is open to all has no desk.
func TestSandboxBesideProduction(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/sandbox.db"))(w.T)
	box, err := provider.New(t.Context(), provider.Config{BaseURL: w.Server.URL + "/sandbox", Secret: lab.Secret(t), Store: store, Mailer: w.Mails, Clock: w.Now, Sandbox: true})
	w.OK(err)
	t.Cleanup(func() { _ = box.Close() })
	for _, name := range []string{"sam", "bob"} {
		_, err := box.Accounts().Save(t.Context(), provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: lab.AlicePass})
		w.OK(err)
	}
	trial := testkit.Must(desk.New(desk.Config{Provider: box, Store: store, Clock: w.Now, Staff: w.who}))(w.T)
	production := w.Server.Config.Handler
	mux := http.NewServeMux()
	mux.Handle("/sandbox/desk/", trial)
	mux.Handle("/sandbox/", box)
	mux.Handle("/", production)
	w.Server.Config.Handler = mux
	sam := w.as("sam")
	m := open(sam, "bob", "caller")
	if p := sam.Get("/sandbox/desk/"); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a session of production in the sandbox: %s", p.Status)
	}
	inBox := w.NewBrowser()
	inBox.Submit(inBox.Open("/sandbox/signin"), "email", "sam@example.com", "password", lab.AlicePass)
	is(t, inBox.Get("/sandbox/desk/"), http.StatusOK)
	is(t, inBox.Get("/sandbox/desk/matters/"+m), http.StatusNotFound)
	if p := inBox.Get("/desk/matters/" + m); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a session of the sandbox in production: %s", p.Status)
	}
	_, found := find(sam, "bob").Form(t)
	_, form := inBox.Open("/sandbox/signout").Form(t)
	p := inBox.Post("/sandbox/desk/matters", lab.Form("csrf", form.Get("csrf"), "person", found.Get("person"), "reason", "caller"))
	is(t, p, http.StatusUnprocessableEntity)
}

// Attack 23: the provider alone, as a public process serves it, has no desk.
func TestPublicProcessHasNoDesk(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam := w.as("sam")
	m := open(sam, "bob", "caller")
	with := w.Server.Config.Handler
	public := httptest.NewServer(w.Provider)
	t.Cleanup(public.Close)
	w.Server.Config.Handler = w.Provider
	for address := range pages(m) {
		p := sam.Get(address)
		if p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", address, p.Status)
		}
	}
	w.Server.Config.Handler = with
	is(t, sam.Get("/desk/matters/"+m), http.StatusOK)
}
