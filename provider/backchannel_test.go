package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// toldParty is an application that is told when a session ends.
type toldParty struct {
	*httptest.Server
	answer http.HandlerFunc // 204 when nil

	mu     sync.Mutex
	tokens []string
}

func newToldParty(t *testing.T, answer http.HandlerFunc) *toldParty {
	t.Helper()
	rp := &toldParty{answer: answer}
	rp.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rp.mu.Lock()
		rp.tokens = append(rp.tokens, r.PostFormValue("logout_token"))
		rp.mu.Unlock()
		if rp.answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		rp.answer(w, r)
	}))
	t.Cleanup(rp.Close)
	return rp
}

// told returns the logout tokens that have arrived.
func (rp *toldParty) told() []string {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	return append([]string(nil), rp.tokens...)
}

// wait waits for so many logout tokens.
func (rp *toldParty) wait(t *testing.T, n int) []string {
	t.Helper()
	eventually(t, func() bool { return len(rp.told()) >= n })
	return rp.told()
}

// logoutToken is what a logout token says.
type logoutToken struct {
	Issuer   string         `json:"iss"`
	Subject  string         `json:"sub"`
	Audience string         `json:"aud"`
	IssuedAt int64          `json:"iat"`
	Expires  int64          `json:"exp"`
	ID       string         `json:"jti"`
	SID      string         `json:"sid"`
	Nonce    *string        `json:"nonce"`
	Events   map[string]any `json:"events"`
}

// verified checks a token by discovery and the key set, and returns what it says.
func verified[T any](w *fixture, client, token string) (claims T) {
	w.t.Helper()
	ctx := oidc.ClientContext(w.t.Context(), w.server.Client())
	found, err := oidc.NewProvider(ctx, w.server.URL+"/oidc")
	if err != nil {
		w.t.Fatal(err)
	}
	checked, err := found.Verifier(&oidc.Config{ClientID: client, Now: w.now}).Verify(ctx, token)
	if err != nil {
		w.t.Fatalf("token %q: %v", token, err)
	}
	if err := checked.Claims(&claims); err != nil {
		w.t.Fatal(err)
	}
	return claims
}

func allowPrivate(c *provider.Config) { c.AllowPrivateNetworks = true }

// runs has a provider do what goes on in the background.
func (w *fixture) runs() *fixture {
	go func() { _ = w.Run(w.t.Context()) }()
	return w
}

// tells registers a client that is told by this application.
func (w *fixture) tells(rp *toldParty, id string) *fixture {
	w.t.Helper()
	w.ok(w.SaveClient(w.t.Context(), provider.Client{
		ID: id, Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, PostLogoutRedirectURIs: []string{"https://rp.test/bye"},
		BackchannelLogoutURI: rp.URL + "/backchannel?tenant=1", SkipConsent: true,
	}))
	return w
}

// tokensOf signs the browser's user in at a client.
func (b *browser) tokensOf(client string, pairs ...string) map[string]any {
	b.t.Helper()
	code := b.allow(append([]string{"client_id", client, "scope", "openid military"}, pairs...)...).Get("code")
	p, tokens := b.token("client_id", client, "code", code)
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	return tokens
}

// signInAgain signs somebody in where somebody is signed in.
func (b *browser) signInAgain(email, password string) {
	b.t.Helper()
	b.submitOnce(b.open(authorizeURL(ask("prompt", "login")...)), "email", email, "password", password)
}

func (w *fixture) sidIn(client string, tokens map[string]any) string {
	w.t.Helper()
	return verified[logoutToken](w, client, text(w.t, tokens, "id_token")).SID
}

// settled waits until nobody has to be told any more.
func (w *fixture) settled() { eventually(w.t, func() bool { return w.count("client_sessions") == 0 }) }

func TestBackchannelLogout(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *fixture, b *browser) error{
		"SignOut": func(_ *fixture, b *browser) error {
			b.submit(b.open("/signout"))
			return nil
		},
		"AskedByAnotherApplication": func(_ *fixture, b *browser) error {
			b.get(bye(text(b.t, b.standardTokens(), "id_token")))
			return nil
		},
		"OnAnotherDevice": func(w *fixture, _ *browser) error {
			other := w.alice()
			other.submit(other.open("/account/sessions"), "action", "others")
			return nil
		},
		"Revoked": func(w *fixture, _ *browser) error { return w.RevokeUser(w.t.Context(), "alice") },
		"Ended":   func(w *fixture, _ *browser) error { return w.EndSessions(w.t.Context(), "alice", "") },
		"Locked":  func(w *fixture, _ *browser) error { return w.SetAccountDisabled(w.t.Context(), "alice", true) },
		"Deleted": func(w *fixture, _ *browser) error { return w.DeleteAccount(w.t.Context(), "alice") },
		"WantedGone": func(_ *fixture, b *browser) error {
			b.askToBeDeleted(alicePass)
			return nil
		},
		"Restored": func(w *fixture, _ *browser) error { return w.RevokeIssuedBefore(w.t.Context(), w.now()) },
		"NewPassword": func(w *fixture, _ *browser) error {
			_, err := w.SaveAccount(w.t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: bobPass})
			return err
		},
	} {
		t.Run("AfterIs"+name, func(t *testing.T) {
			t.Parallel()
			rp := newToldParty(t, nil)
			w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
			b := w.alice()
			sid := w.sidIn("told", b.tokensOf("told"))
			if err := end(w, b); err != nil {
				t.Fatal(err)
			}
			token := rp.wait(t, 1)[0]
			got := verified[logoutToken](w, "told", token)
			if got.ID == "" || got.Expires <= got.IssuedAt || got.Nonce != nil {
				t.Errorf("logout token %+v", got)
			}
			want := logoutToken{
				Issuer: w.Issuer(), Subject: "alice", Audience: "told", SID: sid, IssuedAt: got.IssuedAt, Expires: got.Expires, ID: got.ID,
				Events: map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("logout token (-want +got):\n%s", diff)
			}
			if typ := headerOf(t, token)["typ"]; typ != "logout+jwt" {
				t.Errorf("typ is %v", typ)
			}
			w.settled()
			if n := len(rp.told()); n != 1 {
				t.Errorf("told %d times", n)
			}
		})
	}
}

func headerOf(t *testing.T, token string) map[string]any {
	t.Helper()
	encoded, _, _ := strings.Cut(token, ".")
	plain, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]any{}
	if err := json.Unmarshal(plain, &header); err != nil {
		t.Fatal(err)
	}
	return header
}

func TestSID(t *testing.T) {
	t.Parallel()
	rp := newToldParty(t, nil)
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "one").tells(rp, "two")
	b := w.alice()
	first := b.tokensOf("one")
	sid := w.sidIn("one", first)
	if len(sid) < 20 {
		t.Fatalf("sid is %q", sid)
	}
	_, refreshed := b.token("client_id", "one", "grant_type", "refresh_token", "refresh_token", text(t, first, "refresh_token"), "redirect_uri", "")
	for name, again := range map[string]string{
		"refresh": w.sidIn("one", refreshed), "silent": w.sidIn("one", b.tokensOf("one", "prompt", "none")),
	} {
		if again != sid {
			t.Errorf("after %s sid is %q, want %q", name, again, sid)
		}
	}
	for name, other := range map[string]string{
		"another client": w.sidIn("two", b.tokensOf("two")), "another session": w.sidIn("one", w.alice().tokensOf("one")),
	} {
		if other == sid || other == "" {
			t.Errorf("of %s sid is %q", name, other)
		}
	}
	for client, tokens := range map[string]map[string]any{"v3": b.v3Tokens("scope", "openid military"), "std": b.tokensOf("std")} {
		if of := w.sidIn(client, tokens); of != "" {
			t.Errorf("%s, which nobody tells of the end of a session, has sid %q", client, of)
		}
	}
}

func TestBackchannelLogoutReachesAllApplicationsOnce(t *testing.T) {
	t.Parallel()
	one, two, silent := newToldParty(t, nil), newToldParty(t, nil), newToldParty(t, nil)
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(one, "one").tells(two, "two").tells(silent, "silent").runs()
	store, err := sqlite.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := provider.New(t.Context(), provider.Config{
		BaseURL: w.server.URL, Secret: testSecret(t), Store: store, Clock: w.now, AllowPrivateNetworks: true, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	go func() { _ = other.Run(t.Context()) }()

	const browsers = 8
	for range browsers {
		b := w.alice()
		for range 2 {
			b.tokensOf("one")
			b.tokensOf("two")
		}
		b.allow("client_id", "silent", "scope", "military") // without openid
	}
	if err := w.RevokeUser(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	w.settled()
	for client, rp := range map[string]*toldParty{"one": one, "two": two} {
		sids := map[string]bool{}
		for _, token := range rp.told() {
			sids[verified[logoutToken](w, client, token).SID] = true
		}
		if len(rp.told()) != browsers || len(sids) != browsers {
			t.Errorf("%s was told %d times of %d sessions, want %d", client, len(rp.told()), len(sids), browsers)
		}
	}
	if n := len(silent.told()); n != 0 {
		t.Errorf("an application without an ID token was told %d times", n)
	}
}

func TestBackchannelLogoutAfterSigningInAgain(t *testing.T) {
	t.Parallel()
	rp := newToldParty(t, nil)
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
	b := w.alice()
	before := w.sidIn("told", b.tokensOf("told"))
	b.signInAgain("alice@example.com", alicePass)
	after := w.sidIn("told", b.tokensOf("told"))
	if n := len(rp.told()); n != 0 {
		t.Fatalf("told %d times while alice is signed in", n)
	}
	b.submit(b.open("/signout"))
	got := map[string]bool{}
	for _, token := range rp.wait(t, 2) {
		got[verified[logoutToken](w, "told", token).SID] = true
	}
	if diff := cmp.Diff(map[string]bool{before: true, after: true}, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

func TestBackchannelLogoutWhenAnotherSignsInThere(t *testing.T) {
	t.Parallel()
	for name, another := range map[string]func(b *browser){
		"InPlaceOfTheSession": func(b *browser) {
			p := b.open(authorizeURL("client_id", "told", "scope", "openid", "op", "signin"))
			if p := b.submitOnce(p, "email", "bob@example.com", "password", bobPass); p.StatusCode != http.StatusSeeOther {
				b.t.Fatalf("bob signs in: %s\n%s", p.Status, p.body)
			}
		},
		"BySwitchingTheAccount": func(b *browser) {
			p := b.submit(b.open(authorizeURL("client_id", "std", "scope", "openid military")), "action", "switch")
			b.submit(p, "email", "bob@example.com", "password", bobPass)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rp := newToldParty(t, nil)
			w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
			b := w.alice()
			sid := w.sidIn("told", b.tokensOf("told"))
			another(b)
			got := verified[logoutToken](w, "told", rp.wait(t, 1)[0])
			if got.Subject != "alice" || got.SID != sid {
				t.Errorf("told of %q %q, want alice %q", got.Subject, got.SID, sid)
			}
			if p := b.open("/account"); !strings.Contains(p.body, "bob@example.com") {
				t.Errorf("bob is not signed in:\n%s", p.body)
			}
		})
	}
}

// watched returns what an activity log tells of back-channel logout.
func (w *fixture) watched() func() []provider.Activity {
	var mu sync.Mutex
	var all []provider.Activity
	w.Watch(func(a provider.Activity) {
		if a.Event == provider.ActivityBackchannelLogout {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, a)
		}
	})
	return func() []provider.Activity {
		mu.Lock()
		defer mu.Unlock()
		return append([]provider.Activity(nil), all...)
	}
}

func TestBackchannelLogoutIsTriedAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	up := false
	rp := newToldParty(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if !up {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
	activities := w.watched()
	b := w.alice()
	b.tokensOf("told")
	b.submit(b.open("/signout"))
	first := rp.wait(t, 1)[0]
	eventually(t, func() bool { return len(activities()) == 1 })
	mu.Lock()
	up = true
	mu.Unlock()
	w.advance(10 * time.Second)
	second := rp.wait(t, 2)[1]
	w.settled()
	eventually(t, func() bool { return len(activities()) == 2 })
	if verified[logoutToken](w, "told", first).ID == verified[logoutToken](w, "told", second).ID {
		t.Error("a logout token was sent twice")
	}
	got := activities()
	if got[0].Diagnosis != "backchannel_logout_not_delivered" || got[0].Details["status"] != "503" || got[0].UserID != "alice" || got[1].Outcome != provider.OutcomeOK {
		t.Errorf("activities %+v", got)
	}
	if strings.Contains(w.log.String(), "backchannel_logout") {
		t.Errorf("what is tried again is in the log:\n%s", w.log.String())
	}
}

func TestBackchannelLogoutIsGivenUp(t *testing.T) {
	t.Parallel()
	rp := newToldParty(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
	activities := w.watched()
	b := w.alice()
	b.tokensOf("told")
	b.submit(b.open("/signout"))
	for attempt := 1; attempt <= 11; attempt++ {
		rp.wait(t, attempt)
		eventually(t, func() bool { return len(activities()) == attempt })
		w.advance(time.Hour)
	}
	w.settled()
	if last := activities()[10]; last.Diagnosis != "backchannel_logout_given_up" || len(rp.told()) != 11 {
		t.Errorf("after %d attempts: %+v", len(rp.told()), last)
	}
	if !strings.Contains(w.log.String(), "level=WARN") || !strings.Contains(w.log.String(), "backchannel_logout_given_up") {
		t.Errorf("log:\n%s", w.log.String())
	}
	for _, token := range rp.told() {
		if strings.Contains(w.log.String(), token) {
			t.Error("a logout token is in the log")
		}
	}
}

func TestBackchannelLogoutIsRejected(t *testing.T) {
	t.Parallel()
	inner := newToldParty(t, nil)
	for name, answer := range map[string]http.HandlerFunc{
		"ByA400": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"ByARequest": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
		},
		"ByARedirectToTheMetadata": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusPermanentRedirect)
		},
		"ByAnEndlessPage": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rp := newToldParty(t, answer)
			w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told").runs()
			activities := w.watched()
			b := w.alice()
			b.tokensOf("told")
			b.submit(b.open("/signout"))
			w.settled()
			eventually(t, func() bool { return len(activities()) == 1 })
			if a := activities()[0]; a.Diagnosis != "backchannel_logout_rejected" || strings.Contains(a.Details["backchannel_logout_uri"], "tenant=1") {
				t.Errorf("activity %+v", a)
			}
			if len(rp.told()) != 1 || len(inner.told()) != 0 {
				t.Errorf("told %d times, and %d times elsewhere", len(rp.told()), len(inner.told()))
			}
		})
	}
}

func TestBackchannelLogoutWaitsForNobody(t *testing.T) {
	t.Parallel()
	slow := newToldParty(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	quick := newToldParty(t, nil)
	w := newFixture(t, allowPrivate).withClients().withUsers().tells(slow, "slow").tells(quick, "quick").runs()
	for range 6 { // more than one application may have under way
		b := w.alice()
		b.tokensOf("slow")
		b.tokensOf("quick")
		b.submit(b.open("/signout"))
		if b.isSignedIn() {
			t.Fatal("still signed in")
		}
	}
	quick.wait(t, 6)
	if n := w.count("client_sessions"); n == 0 {
		t.Error("the slow application has answered; nothing was tested")
	}
}

func TestBackchannelLogoutOfPrivateNetworks(t *testing.T) {
	t.Parallel()
	rp := newToldParty(t, nil)
	t.Run("IsNotRegistered", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		for _, uri := range []string{
			rp.URL, "https://localhost/", "https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "http://rp.example.com/",
			"https://rp.example.com/#a", "https://user@rp.example.com/", "rp.example.com", "com.example.app:/x",
		} {
			err := w.SaveClient(t.Context(), provider.Client{ID: "c", RedirectURIs: []string{callbackURI}, BackchannelLogoutURI: uri})
			if err == nil || !strings.Contains(err.Error(), "BackchannelLogoutURI") {
				t.Errorf("%s: %v", uri, err)
			}
		}
		err := w.SaveClient(t.Context(), provider.Client{ID: "c", RedirectURIs: []string{callbackURI}, BackchannelLogoutSessionRequired: true})
		if err == nil || !strings.Contains(err.Error(), "BackchannelLogoutSessionRequired") {
			t.Errorf("session without an address: %v", err)
		}
		want := provider.Client{
			ID: "c", RedirectURIs: []string{callbackURI}, BackchannelLogoutURI: "https://rp.example.com/bye?x=1", BackchannelLogoutSessionRequired: true,
		}
		w.ok(w.SaveClient(t.Context(), want))
		got, err := w.Client(t.Context(), "c")
		if err != nil || got.BackchannelLogoutURI != want.BackchannelLogoutURI || !got.BackchannelLogoutSessionRequired {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("IsNotCalledWhenTheyAreAllowedNoMore", func(t *testing.T) {
		t.Parallel()
		rp := newToldParty(t, nil)
		w := newFixture(t, allowPrivate).withClients().withUsers().tells(rp, "told")
		b := w.alice()
		b.tokensOf("told")
		b.submit(b.open("/signout"))
		store, err := sqlite.Open(t.Context(), w.path)
		if err != nil {
			t.Fatal(err)
		}
		strict, err := provider.New(t.Context(), provider.Config{BaseURL: w.server.URL, Secret: testSecret(t), Store: store, Clock: w.now, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = strict.Close() })
		activities := (&fixture{Provider: strict}).watched()
		go func() { _ = strict.Run(t.Context()) }()
		w.settled()
		eventually(t, func() bool { return len(activities()) == 1 })
		if a := activities()[0]; a.Diagnosis != "backchannel_logout_address_forbidden" || len(rp.told()) != 0 {
			t.Errorf("%+v, told %d times", a, len(rp.told()))
		}
	})
}
