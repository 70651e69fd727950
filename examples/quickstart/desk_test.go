package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
)

const staffPassword = "amber-kettle-hums-west"

// Who works at the desk of the quickstart comes in, and nobody else.
func TestDeskOfTheQuickstart(t *testing.T) {
	s := sharedQuickstart(t)
	desk := s.cfg.BaseURL + "/desk/"
	for _, name := range []string{"sam", "ruth", "olga", "otto", "ada"} {
		b := browser.New(t)
		b.Open(desk)
		b.Submit("email", name+"@example.com", "password", staffPassword)
		if b.Status != http.StatusOK || b.URL.Path != "/desk/" {
			t.Errorf("%s is led to %s (%d)", name, b.URL, b.Status)
		}
	}
	b := browser.New(t)
	b.Open(desk)
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	if b.Status != http.StatusNotFound {
		t.Errorf("who does not work there gets %d at %s", b.Status, b.URL)
	}
	if status, _ := lead(t, s.cfg.Sandbox.BaseURL+"/desk/"); status != http.StatusNotFound {
		t.Errorf("the sandbox has the desk of production: %d", status)
	}
}

// The quickstart has people and applications with whom the desk has something to do. What the
// staff does to them stays.
func TestDeskOfTheQuickstartHasWork(t *testing.T) {
	address := providertest.FreeAddress(t)
	folder := t.TempDir()
	text := strings.Replace(ownQuickstart(t), `"listen":"127.0.0.1:0"`, fmt.Sprintf(`"base_url":"http://localhost%s","listen":%q`, address[strings.LastIndex(address, ":"):], address), 1)
	demo := func() *running {
		cfg := must(parseConfig([]byte(text), folder))(t)
		cfg.demo = true
		return startConfig(t, cfg)
	}
	s := demo()
	p := s.providers[0]
	lena, err := p.Accounts().Get(t.Context(), "lena")
	if err != nil || !lena.Disabled {
		t.Errorf("%+v, %v", lena, err)
	}
	mika, err := p.People().Get(t.Context(), "mika")
	if err != nil || len(mika.Sessions) < 5 || len(mika.Consents) < 4 {
		t.Errorf("%d sessions, %d consents, %v", len(mika.Sessions), len(mika.Consents), err)
	}
	if has, err := p.Accounts().Authenticators(t.Context(), "mika"); err != nil || len(has.Passkeys) != 1 || has.AppSince.IsZero() {
		t.Errorf("Mika signs in by %+v, %v", has, err)
	}
	if _, err := p.Accounts().Get(t.Context(), "dora"); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("who is deleted is there: %v", err)
	}
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/desk/")
	b.Submit("email", "olga@example.com", "password", staffPassword)
	for path, shows := range map[string]string{"applications": "Swap Market", "organizations": "Bike Tours", "plans": "End all sessions", "": "Plans waiting for a second operator"} {
		b.Open(s.cfg.BaseURL + "/desk/" + path)
		b.Shows(shows)
	}
	b = browser.New(t)
	b.Open(s.cfg.BaseURL + "/desk/cases")
	b.Submit("email", "ruth@example.com", "password", staffPassword)
	b.Shows("Student")
	ok(t, p.Accounts().SetDisabled(t.Context(), "lena", false))
	ok(t, p.Accounts().Delete(t.Context(), "pia"))
	ok(t, s.stop())
	p = demo().providers[0]
	lena, err = p.Accounts().Get(t.Context(), "lena")
	if err != nil || lena.Disabled {
		t.Errorf("after another start: %+v, %v", lena, err)
	}
	if _, err := p.Accounts().Get(t.Context(), "pia"); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("who was deleted is made again: %v", err)
	}
}

// A colleague needs no uuid in the file: the account has one from the first start on.
func TestStaffWithoutUUID(t *testing.T) {
	folder := t.TempDir()
	for range 2 {
		s := startService(t, folder, `{"listen": "127.0.0.1:0", "users": [{"email": "b@example.com", "password": "quiet-otter-paints-dawn"}],
			"desk": {"staff": [{"email": "b@example.com", "roles": ["support"], "id": "b"}]}}`)
		b := browser.New(t)
		b.Open(s.cfg.BaseURL + "/desk/")
		b.Submit("email", "b@example.com", "password", "quiet-otter-paints-dawn")
		if b.Status != http.StatusOK || !strings.HasPrefix(b.URL.Path, "/desk/") {
			t.Errorf("the desk answers %d at %s", b.Status, b.URL)
		}
		_ = s.stop() // its error is that of the test
	}
}

// What cannot be meant stops the service with the place in the file.
func TestDeskIsChecked(t *testing.T) {
	const users = `"users": [{"uuid": "u", "email": "a@example.com", "password": "quiet-otter-paints-dawn"}, {"email": "b@example.com", "password": "quiet-otter-paints-dawn"}]`
	for _, c := range []struct{ desk, says string }{
		{`{"staff": [{"email": "c@example.com", "roles": ["support"]}]}`, "desk.staff[0].email: c@example.com is not in users"},
		{`{"staff": [{"email": "a@example.com"}]}`, "desk.staff[0].roles: is missing"},
		{`{"staff": [{"email": "a@example.com", "roles": ["admin"]}]}`, `desk.staff[0].roles[0]: "admin" is none; the roles are [support`},
		{`{"staff": [{"email": "a@example.com", "roles": ["support"], "groups": ["pilots"]}]}`, `desk.staff[0].groups[0]: "pilots" is none`},
		{`{"staff": [{"email": "a@example.com", "roles": ["support"]}, {"email": "a@example.com", "roles": ["operator"]}]}`, "desk.staff[1].email:"},
		{`{"staff": [{"email": "a@example.com", "role": "support"}]}`, `unknown key "desk.staff[0].role"`},
		{`{"only": true}`, "desk.only: there is no staff"},
		{`{"url": "https://desk.example.com"}`, "desk.url: there is no staff"},
		{`{"staff": [{"email": "a@example.com", "roles": ["operator"]}], "url": "http://desk.example.com"}`, "desk.url: "},
		{`{"staff": [{"email": "a@example.com", "roles": ["operator"]}], "url": "http://localhost:1"}`, "desk.url: "},
		{`{"staff": [{"email": "a@example.com", "roles": ["operator"]}], "anchor": "none"}`, "desk.anchor:"},
	} {
		cfg, err := parseConfig([]byte(`{"listen": "127.0.0.1:0", `+users+`, "desk": `+c.desk+`}`), t.TempDir())
		if err == nil {
			var s *service
			if s, err = open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler)); err == nil {
				t.Errorf("%s is accepted (%v)", c.desk, s.close())
				continue
			}
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.desk, err)
		}
		if err = cfg.check(t.Context(), io.Discard); cfg.Desk != nil && err == nil {
			t.Errorf("-check accepts %s", c.desk)
		}
	}
}

// The desk in a process of its own: the public one has none, and that one nothing else. Who is
// signed in at the one is at the other.
func TestDeskInAnotherProcess(t *testing.T) {
	folder, public, inner := t.TempDir(), providertest.FreeAddress(t), providertest.FreeAddress(t)
	text := func(listen, desk string) string {
		return fmt.Sprintf(`{"listen": %q, "base_url": "http://%s", "data": %q,
			"users": [{"uuid": "olga", "email": "olga@example.com", "password": %q}]%s}`,
			listen, public, filepath.Join(folder, "data"), staffPassword, desk)
	}
	startService(t, folder, text(public, ""))
	startService(t, folder, text(inner, `, "desk": {"only": true, "staff": [{"email": "olga@example.com", "roles": ["operator"]}]}`))
	b := browser.New(t)
	b.Open("http://" + public + "/account")
	b.Submit("email", "olga@example.com", "password", staffPassword)
	for _, c := range []struct {
		address string
		status  int
	}{
		{"http://" + public + "/desk/", http.StatusNotFound},
		{"http://" + inner + "/desk/", http.StatusOK},
		{"http://" + inner + "/account", http.StatusNotFound},
		{"http://" + inner + "/signin", http.StatusNotFound},
		{"http://" + inner + "/oidc/.well-known/openid-configuration", http.StatusNotFound},
	} {
		if b.Open(c.address); b.Status != c.status {
			t.Errorf("%s: %d", c.address, b.Status)
		}
	}
}

// The Admin API is for the clients of the file.
func TestAdminAPIOfTheDesk(t *testing.T) {
	const staff = `"users": [{"uuid": "olga", "email": "olga@example.com", "password": "amber-kettle-hums-west"}], "desk": {"staff": [{"email": "olga@example.com", "roles": ["operator"]}]`
	with := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0", `+staff+`, "clients": ["crm"]}}`)
	without := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0", `+staff+`}}`)
	for path, status := range map[string]int{"/desk/api/v1/applications": http.StatusUnauthorized, "/.well-known/oauth-protected-resource/desk/api/v1": http.StatusOK} {
		if got, _ := lead(t, with.cfg.BaseURL+path); got != status {
			t.Errorf("%s: %d", path, got)
		}
		if got, _ := lead(t, without.cfg.BaseURL+path); got != http.StatusNotFound {
			t.Errorf("%s, for no client: %d", path, got)
		}
	}
}
