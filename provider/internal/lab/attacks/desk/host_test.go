package desk

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// stranger is an application that nobody has registered, at a host of its own.
type stranger struct {
	*httptest.Server
	w    *place
	mu   sync.Mutex
	read int
}

const strangersCallback = "https://127.0.0.1/cb"

func newStranger(w *place) *stranger {
	s := &stranger{w: w}
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.read++
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"client_id": s.URL + r.URL.Path, "redirect_uris": []string{strangersCallback}, "token_endpoint_auth_method": "none", "client_name": "Code Helper",
			"grant_types": []string{"authorization_code", "refresh_token"},
		})
	}))
	w.T.Cleanup(s.Close)
	return s
}

// id is its client ID: that of another application of the host for each path.
func (s *stranger) id(path string) string { return s.URL + "/" + path }

func (s *stranger) ask(path string) string {
	return lab.AuthorizeURL("client_id", s.id(path), "redirect_uri", strangersCallback, "scope", "openid offline_access", "nonce", "n",
		"code_challenge", lab.S256, "code_challenge_method", "S256")
}

func (s *stranger) token(b *lab.Browser, path string, pairs ...string) (lab.Page, map[string]any) {
	return b.Token(append([]string{"client_id", s.id(path), "client_secret", "", "redirect_uri", strangersCallback, "code_verifier", lab.Verifier}, pairs...)...)
}

// refused tests that an application gets nothing: no code, and nothing for what it was allowed.
func (s *stranger) refused(b *lab.Browser, path, access, refresh string) {
	s.w.T.Helper()
	if p, said := s.token(b, path, "grant_type", "refresh_token", "refresh_token", refresh, "code_verifier", "", "redirect_uri", ""); said["error"] != "invalid_client" {
		s.w.T.Errorf("refresh: %s %v", p.Status, said)
	}
	if p := b.Send(http.MethodGet, "/api/public/v3/userinfo", "", "Authorization", "Bearer "+access); p.StatusCode != http.StatusUnauthorized {
		s.w.T.Errorf("userinfo: %s", p.Status)
	}
	if p := b.Get(s.ask(path)); p.StatusCode != http.StatusBadRequest {
		s.w.T.Errorf("authorize: %s", p.Status)
	}
}

// denies denies a host at the desk, which is the page after it.
func denies(b *lab.Browser, host string) lab.Page {
	b.T.Helper()
	form := b.Submit(b.Open("/desk/hosts/"+url.PathEscape(host)+"/do/deny_host"), "action", "check", "reason", "It sends people elsewhere.")
	return b.Submit(form, "action", "do")
}

// A host is denied at the desk: what its applications have ends within a second, also at another
// process, and they come in by no other application of the host. Then it is let in again.
func TestHostIsDenied(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		s := newStranger(w)
		bob, olga := w.NewBrowser().SignIn("bob@example.com", lab.BobPass), w.as("olga")
		shown := func(page, want string) {
			t.Helper()
			if p := olga.Open(page); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, want) {
				t.Errorf("%s: %s, without %q:\n%s", page, p.Status, want, p.Text)
			}
		}
		shown("/desk/hosts", "Nobody has come unregistered yet")
		code := lab.Response(t, bob.Submit(bob.Open(s.ask("one")), "action", "allow")).Get("code")
		p, tokens := s.token(bob, "one", "code", code)
		access, refresh := lab.Granted(t, p, tokens), lab.Member(t, tokens, "refresh_token")

		shown("/desk/hosts", "/desk/hosts/127.0.0.1")
		shown("/desk/hosts/127.0.0.1", "Code Helper")
		shown("/desk/hosts?q="+url.QueryEscape("HTTPS://127.0.0.1:443/x"), "Code Helper")
		shown("/desk/applications/"+url.PathEscape(s.id("one")), "What its document says")
		shown("/desk/applications?all=1", "Registered by nobody")
		other := bob.Open(s.ask("two")) // is in the memory of this process, and has no row
		if done := denies(olga, "127.0.0.1"); done.StatusCode != http.StatusOK || !strings.Contains(done.Text, "It sends people elsewhere.") || !strings.Contains(done.Text, "staff:olga") {
			t.Fatalf("%s\n%s", done.Status, done.Text)
		}
		shown("/desk/applications/"+url.PathEscape(s.id("one")), "Denied")
		s.refused(bob, "one", access, refresh)
		s.refused(bob, "two", access, refresh)
		if p := bob.Submit(other, "action", "allow"); p.StatusCode != http.StatusBadRequest || strings.Contains(p.Header.Get("Location"), "code=") {
			t.Errorf("a consent screen from before: %s", p.Status)
		}
		if _, err := w.Store.Client(t.Context(), s.id("two")); err == nil {
			t.Error("an application of a denied host has become a row")
		}
		read := s.read
		if p := bob.Get(s.ask("three")); p.StatusCode != http.StatusBadRequest || s.read != read {
			t.Errorf("a document of a denied host: %s, read %v", p.Status, s.read != read)
		}
		if lines := w.lines(provider.EventFilter{Name: event.HostDenied, Limit: 5}); len(lines) != 1 || lines[0].Detail != "127.0.0.1" || lines[0].Actor != "staff:olga" {
			t.Errorf("the lines are %+v", lines)
		}

		form := olga.Open("/desk/hosts/127.0.0.1/do/allow_host")
		if done := olga.Submit(form, "action", "do"); done.StatusCode != http.StatusOK {
			t.Fatalf("%s\n%s", done.Status, done.Text)
		}
		p, tokens = s.token(bob, "one", "grant_type", "refresh_token", "refresh_token", refresh, "code_verifier", "", "redirect_uri", "")
		lab.Granted(t, p, tokens)
		if p := bob.Open(s.ask("two")); p.StatusCode != http.StatusOK {
			t.Errorf("after the denial: %s", p.Status)
		}
	})
}

// A host is denied by one operator after another has opened the form, and again.
func TestDenialHasOneWinner(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga, oleg := w.as("olga"), w.as("oleg")
		check := func(b *lab.Browser) lab.Page {
			return b.Submit(b.Open("/desk/hosts/app.example/do/deny_host"), "action", "check", "reason", "It sends people elsewhere.")
		}
		first, second := check(olga), check(oleg)
		if p := olga.Submit(first, "action", "do"); p.StatusCode != http.StatusOK {
			t.Fatalf("%s", p.Status)
		}
		if p := oleg.Submit(second, "action", "do"); p.StatusCode != http.StatusConflict || !strings.Contains(p.Text, "It is denied already.") {
			t.Errorf("a second denial: %s", p.Status)
		}
		lift, again := olga.Open("/desk/hosts/app.example/do/allow_host"), oleg.Open("/desk/hosts/app.example/do/allow_host")
		olga.Submit(lift, "action", "do")
		w.Advance(time.Second)
		denies(olga, "app.example")
		if p := oleg.Submit(again, "action", "do"); p.StatusCode != http.StatusConflict {
			t.Errorf("a form from before lifts the next denial: %s", p.Status)
		}
		if p := olga.Open("/desk/hosts/www.app.example"); !strings.Contains(p.Text, "Denied with") || strings.Contains(p.Text, "/do/") {
			t.Errorf("a host below it:\n%s", p.Text)
		}
	})
}

// Who has no role for it, or says no reason, denies nothing; and nothing is denied that has many
// owners.
func TestDenialIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		w.denyAnything(t, "sam", "/desk/hosts/app.example/do/deny_host", http.StatusNotFound)
		w.denyAnything(t, "anna", "/desk/hosts/app.example/do/deny_host", http.StatusNotFound)
		for _, path := range []string{"no host.example", "7.113", "0x7f.1", "a%20b", "%00", "*.example", "app.example%2F..%2Fx", strings.Repeat("a", 300)} {
			w.denyAnything(t, "olga", "/desk/hosts/"+path+"/do/deny_host", http.StatusNotFound)
		}
		olga := w.as("olga")
		for name, reason := range map[string]string{"none": "", "spaces": " \t ", "long": strings.Repeat("x", 3000)} {
			form := olga.Open("/desk/hosts/app.example/do/deny_host")
			if p := olga.Submit(form, "action", "do", "reason", reason, "revision", "allowed"); p.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s: %s", name, p.Status)
			}
		}
		form := olga.Open("/desk/hosts/app.example/do/deny_host")
		if p := olga.Submit(form, "action", "do", "reason", "x", "revision", "allowed", "host", "other.example"); p.StatusCode != http.StatusBadRequest {
			t.Errorf("another field: %s", p.Status)
		}
		all := testkit.Must(w.Store.HostDenials(t.Context(), "", 10))(w.T)
		if len(all) != 0 {
			t.Errorf("denied are %v", all)
		}
	})
}

// denyAnything posts the form of a denial as it would be, which must not do anything.
func (w *place) denyAnything(t *testing.T, who, path string, want int) {
	t.Helper()
	b := w.as(who)
	_, form := b.Open("/signout").Form(t)
	fields := url.Values{"csrf": form["csrf"], "action": {"do"}, "reason": {"It sends people elsewhere."}, "revision": {"allowed"}}
	if p := b.Post(path, fields); p.StatusCode != want {
		t.Errorf("%s at %s: %s, want %d", who, path, p.Status, want)
	}
}

// A denied host comes back under other spellings, and as the way back of others.
func TestDeniedHostComesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		denies(olga, "https://BÜCHER.example.:8443/x")
		for _, uri := range []string{
			"https://xn--bcher-kva.example/cb", "https://XN--Bcher-kva.Example/cb", "https://xn--bcher-kva.example./cb", "https://xn--bcher-kva.example:4711/cb",
			"https://a.b.xn--bcher-kva.example/cb", "example.xn--bcher-kva.app:/cb",
		} {
			c := storage.Client{ID: uri, Origin: storage.OriginRegistered, RedirectURIs: []string{"https://fine.example/cb", uri}, CreatedAt: w.Now()}
			if err := w.Store.SaveClient(t.Context(), c); err == nil {
				t.Errorf("%s has become a row", uri)
			}
		}
		all := testkit.Must(w.Store.HostDenials(t.Context(), "", 10))(w.T)
		if len(all) != 1 || all[0].Host != "xn--bcher-kva.example" {
			t.Errorf("denied are %+v", all)
		}
	})
}

// Strangers come from hosts with names that IDNA refuses and browsers accept: these are seen at the
// desk, and denied.
func TestHostOfAnUnusualNameIsDenied(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		for _, host := range []string{"my_app.example", "v2--app.example", "-app.example", "xn--a.example"} {
			id := "https://" + host + "/client.json"
			w.OK(w.Store.SaveClient(t.Context(), storage.Client{
				ID: id, Name: host, Origin: storage.OriginDocument, RedirectURIs: []string{"https://" + host + "/cb"}, CreatedAt: w.Now(),
				Document: &storage.ClientDocument{},
			}))
			if p := olga.Open("/desk/hosts/" + host); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, url.PathEscape(id)) {
				t.Errorf("%s: %s\n%s", host, p.Status, p.Text)
				continue
			}
			if done := denies(olga, host); done.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", host, done.Status)
			}
			if _, err := w.Store.HostDenial(t.Context(), host); err != nil {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
}
