package accounts

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

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
func verified[T any](w *lab.Fixture, client, token string) (claims T) {
	w.T.Helper()
	ctx := oidc.ClientContext(w.T.Context(), w.Server.Client())
	found := testkit.Must(oidc.NewProvider(ctx, w.Server.URL+"/oidc"))(w.T)
	checked, err := found.Verifier(&oidc.Config{ClientID: client, Now: w.Now}).Verify(ctx, token)
	if err != nil {
		w.T.Fatalf("token %q: %v", token, err)
	}
	testkit.OK(w.T, checked.Claims(&claims))
	return claims
}

// signInAgain signs somebody in where somebody is signed in.
func signInAgain(b *lab.Browser, email, password string) {
	b.T.Helper()
	b.SubmitOnce(b.Open(lab.AuthorizeURL(lab.Ask("prompt", "login")...)), "email", email, "password", password)
}

func sidIn(w *lab.Fixture, client string, tokens map[string]any) string {
	w.T.Helper()
	return verified[logoutToken](w, client, lab.Member(w.T, tokens, "id_token")).SID
}

// settled waits until nobody has to be told any more.
func settled(w *lab.Fixture) {
	lab.Eventually(w.T, func() bool { return w.Count("client_sessions") == 0 })
}

func TestBackchannelLogout(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Fixture, b *lab.Browser) error{
		"SignOut": func(_ *lab.Fixture, b *lab.Browser) error {
			b.Submit(b.Open("/signout"))
			return nil
		},
		"AskedByAnotherApplication": func(_ *lab.Fixture, b *lab.Browser) error {
			b.Get(lab.Bye(lab.Member(b.T, b.StandardTokens(), "id_token")))
			return nil
		},
		"OnAnotherDevice": func(w *lab.Fixture, _ *lab.Browser) error {
			other := w.Alice()
			other.Submit(other.Open("/account/sessions"), "action", "others")
			return nil
		},
		"Revoked": func(w *lab.Fixture, _ *lab.Browser) error { return w.People().Revoke(w.T.Context(), "alice") },
		"Ended":   func(w *lab.Fixture, _ *lab.Browser) error { return w.People().EndSessions(w.T.Context(), "alice", "") },
		"Locked": func(w *lab.Fixture, _ *lab.Browser) error {
			return w.Accounts().SetDisabled(w.T.Context(), "alice", true)
		},
		"Deleted": func(w *lab.Fixture, _ *lab.Browser) error { return w.Accounts().Delete(w.T.Context(), "alice") },
		"WantedGone": func(_ *lab.Fixture, b *lab.Browser) error {
			b.AskToBeDeleted(lab.AlicePass)
			return nil
		},
		"Restored": func(w *lab.Fixture, _ *lab.Browser) error {
			return w.People().RevokeIssuedBefore(w.T.Context(), w.Now())
		},
		"NewPassword": func(w *lab.Fixture, _ *lab.Browser) error {
			_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.BobPass})
			return err
		},
	} {
		t.Run("AfterIs"+name, func(t *testing.T) {
			t.Parallel()
			rp := lab.NewToldParty(t, nil)
			w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Runs()
			b := w.Alice()
			sid := sidIn(w, "told", b.TokensOf("told"))
			testkit.OK(t, end(w, b))
			token := rp.Wait(t, 1)[0]
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
			settled(w)
			if n := len(rp.Told()); n != 1 {
				t.Errorf("told %d times", n)
			}
		})
	}
}

// TestLogoutTokenOfEachAlgorithm tests that a logout token is signed as the ID tokens of its
// application are (OpenID Connect Back-Channel Logout section 2.4), and verifies by discovery.
func TestLogoutTokenOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	algorithms := []string{"RS256", "PS256", "ES256", "EdDSA"}
	w := lab.New(t, lab.AllowPrivate, func(c *provider.Config) { c.Algorithms = algorithms }).WithClients().WithUsers().Runs()
	for _, alg := range algorithms {
		rp := lab.NewToldParty(t, nil)
		w.Tells(rp, alg)
		c := testkit.Must(w.Clients().Get(t.Context(), alg))(w.T)
		c.IDTokenSignedResponseAlg = alg
		w.OK(w.Clients().Save(t.Context(), c))
		b := w.Alice()
		sid := sidIn(w, alg, b.TokensOf(alg))
		b.Submit(b.Open("/signout"))
		token := rp.Wait(t, 1)[0]
		if got := verified[logoutToken](w, alg, token); got.SID != sid || got.Subject != "alice" {
			t.Errorf("%s: logout token %+v", alg, got)
		}
		if header := headerOf(t, token); header["alg"] != alg || header["typ"] != "logout+jwt" {
			t.Errorf("%s: header %v", alg, header)
		}
	}
}

func headerOf(t *testing.T, token string) map[string]any {
	t.Helper()
	encoded, _, _ := strings.Cut(token, ".")
	plain := testkit.Must(base64.RawURLEncoding.DecodeString(encoded))(t)
	header := map[string]any{}
	testkit.OK(t, json.Unmarshal(plain, &header))
	return header
}

func TestSID(t *testing.T) {
	t.Parallel()
	rp := lab.NewToldParty(t, nil)
	w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "one").Tells(rp, "two")
	b := w.Alice()
	first := b.TokensOf("one")
	sid := sidIn(w, "one", first)
	if len(sid) < 20 {
		t.Fatalf("sid is %q", sid)
	}
	_, refreshed := b.Token("client_id", "one", "grant_type", "refresh_token", "refresh_token", lab.Member(t, first, "refresh_token"), "redirect_uri", "")
	for name, again := range map[string]string{
		"refresh": sidIn(w, "one", refreshed), "silent": sidIn(w, "one", b.TokensOf("one", "prompt", "none")),
	} {
		if again != sid {
			t.Errorf("after %s sid is %q, want %q", name, again, sid)
		}
	}
	for name, other := range map[string]string{
		"another client": sidIn(w, "two", b.TokensOf("two")), "another session": sidIn(w, "one", w.Alice().TokensOf("one")),
	} {
		if other == sid || other == "" {
			t.Errorf("of %s sid is %q", name, other)
		}
	}
	for client, tokens := range map[string]map[string]any{"v3": b.V3Tokens("scope", "openid military"), "std": b.TokensOf("std")} {
		if of := sidIn(w, client, tokens); of != "" {
			t.Errorf("%s, which nobody tells of the end of a session, has sid %q", client, of)
		}
	}
}

func TestBackchannelLogoutReachesAllApplicationsOnce(t *testing.T) {
	t.Parallel()
	one, two, silent := lab.NewToldParty(t, nil), lab.NewToldParty(t, nil), lab.NewToldParty(t, nil)
	w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(one, "one").Tells(two, "two").Tells(silent, "silent").Runs()
	store := testkit.Must(sqlite.Open(t.Context(), w.Path))(t)
	other := testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: store, Clock: w.Now, AllowPrivateNetworks: true, Logger: slog.New(slog.DiscardHandler),
	}))(t)
	t.Cleanup(func() { _ = other.Close() })
	go func() { _ = other.Run(t.Context()) }()

	const browsers = 8
	for range browsers {
		b := w.Alice()
		for range 2 {
			b.TokensOf("one")
			b.TokensOf("two")
		}
		b.Allow("client_id", "silent", "scope", "military") // without openid
	}
	testkit.OK(t, w.People().Revoke(t.Context(), "alice"))
	settled(w)
	for client, rp := range map[string]*lab.ToldParty{"one": one, "two": two} {
		sids := map[string]bool{}
		for _, token := range rp.Told() {
			sids[verified[logoutToken](w, client, token).SID] = true
		}
		if len(rp.Told()) != browsers || len(sids) != browsers {
			t.Errorf("%s was told %d times of %d sessions, want %d", client, len(rp.Told()), len(sids), browsers)
		}
	}
	if n := len(silent.Told()); n != 0 {
		t.Errorf("an application without an ID token was told %d times", n)
	}
}

func TestBackchannelLogoutAfterSigningInAgain(t *testing.T) {
	t.Parallel()
	rp := lab.NewToldParty(t, nil)
	w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Runs()
	b := w.Alice()
	before := sidIn(w, "told", b.TokensOf("told"))
	signInAgain(b, "alice@example.com", lab.AlicePass)
	after := sidIn(w, "told", b.TokensOf("told"))
	if n := len(rp.Told()); n != 0 {
		t.Fatalf("told %d times while alice is signed in", n)
	}
	b.Submit(b.Open("/signout"))
	got := map[string]bool{}
	for _, token := range rp.Wait(t, 2) {
		got[verified[logoutToken](w, "told", token).SID] = true
	}
	if diff := cmp.Diff(map[string]bool{before: true, after: true}, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

func TestBackchannelLogoutWhenAnotherSignsInThere(t *testing.T) {
	t.Parallel()
	for name, another := range map[string]func(b *lab.Browser){
		"InPlaceOfTheSession": func(b *lab.Browser) {
			p := b.Open(lab.AuthorizeURL("client_id", "told", "scope", "openid", "op", "signin"))
			if p := b.SubmitOnce(p, "email", "bob@example.com", "password", lab.BobPass); p.StatusCode != http.StatusSeeOther {
				b.T.Fatalf("bob signs in: %s\n%s", p.Status, p.Text)
			}
		},
		"BySwitchingTheAccount": func(b *lab.Browser) {
			p := b.Submit(b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid military")), "action", "switch")
			b.Submit(p, "email", "bob@example.com", "password", lab.BobPass)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rp := lab.NewToldParty(t, nil)
			w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Runs()
			b := w.Alice()
			sid := sidIn(w, "told", b.TokensOf("told"))
			another(b)
			got := verified[logoutToken](w, "told", rp.Wait(t, 1)[0])
			if got.Subject != "alice" || got.SID != sid {
				t.Errorf("told of %q %q, want alice %q", got.Subject, got.SID, sid)
			}
			if p := b.Open("/account"); !strings.Contains(p.Text, "bob@example.com") {
				t.Errorf("bob is not signed in:\n%s", p.Text)
			}
		})
	}
}

// watched returns what an activity log tells of back-channel logout.
func watchTold(w *lab.Fixture) func() []activity.Activity {
	var mu sync.Mutex
	var all []activity.Activity
	w.Rooms().Events.WatchActivity(func(a activity.Activity) {
		if a.Event == activity.BackchannelLogout {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, a)
		}
	})
	return func() []activity.Activity {
		mu.Lock()
		defer mu.Unlock()
		return append([]activity.Activity(nil), all...)
	}
}

// Attempts alternate between two processes, and wait for their pauses whatever the clock of one says.
func TestBackchannelLogoutIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, lead := range append([]time.Duration{0, -lab.Leaps[0], -lab.Leaps[3]}, lab.Leaps...) {
		t.Run(lead.String(), func(t *testing.T) {
			t.Parallel()
			var up atomic.Bool
			rp := lab.NewToldParty(t, func(w http.ResponseWriter, _ *http.Request) {
				if !up.Load() {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			})
			w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Tells(lab.NewToldParty(t, nil), "quick")
			wrong := w.Twin(lab.AllowPrivate, func(c *provider.Config) { c.Clock = func() time.Time { return w.Now().Add(lead) } })
			w.AgreeOnTime()
			b := w.Alice()
			b.TokensOf("told")
			b.Submit(b.Open("/signout"))
			var got []activity.Activity
			for attempt, pause := range []time.Duration{0, 10 * time.Second, 30 * time.Second} {
				process := []*lab.Fixture{wrong, w}[attempt%2]
				if attempt > 0 {
					b := w.Alice()
					b.TokensOf("quick")
					b.Submit(b.Open("/signout"))
					process.Until(func() bool { return w.Count("client_sessions WHERE client_id = 'quick'") == 0 })
					if w.Count(fmt.Sprint("client_sessions WHERE attempts > ", attempt)) > 0 {
						t.Fatalf("attempt %d is too soon", attempt+1)
					}
				}
				w.Advance(pause)
				up.Store(attempt == 2)
				activities := watchTold(process)
				process.Until(func() bool { return len(activities()) == 1 })
				got = append(got, activities()...)
			}
			settled(w)
			if told := rp.Told(); len(told) != 3 || told[0] == told[1] || told[1] == told[2] {
				t.Error("a logout token was sent twice")
			}
			if got[0].Diagnosis != "backchannel_logout_not_delivered" || got[0].Details["status"] != "503" || got[0].UserID != "alice" || got[2].Outcome != activity.OK {
				t.Errorf("activities %+v", got)
			}
			if strings.Contains(w.Log.String(), "backchannel_logout") {
				t.Errorf("what is tried again is in the log:\n%s", w.Log.String())
			}
		})
	}
}

func TestBackchannelLogoutIsGivenUp(t *testing.T) {
	t.Parallel()
	rp := lab.NewToldParty(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Runs()
	activities := watchTold(w)
	b := w.Alice()
	b.TokensOf("told")
	b.Submit(b.Open("/signout"))
	for attempt := 1; attempt <= 11; attempt++ {
		rp.Wait(t, attempt)
		lab.Eventually(t, func() bool { return len(activities()) == attempt })
		w.Advance(time.Hour)
	}
	settled(w)
	if last := activities()[10]; last.Diagnosis != "backchannel_logout_given_up" || len(rp.Told()) != 11 {
		t.Errorf("after %d attempts: %+v", len(rp.Told()), last)
	}
	if !strings.Contains(w.Log.String(), "level=WARN") || !strings.Contains(w.Log.String(), "backchannel_logout_given_up") {
		t.Errorf("log:\n%s", w.Log.String())
	}
	for _, token := range rp.Told() {
		if strings.Contains(w.Log.String(), token) {
			t.Error("a logout token is in the log")
		}
	}
}

func TestBackchannelLogoutIsRejected(t *testing.T) {
	t.Parallel()
	inner := lab.NewToldParty(t, nil)
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
			rp := lab.NewToldParty(t, answer)
			w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told").Runs()
			activities := watchTold(w)
			b := w.Alice()
			b.TokensOf("told")
			b.Submit(b.Open("/signout"))
			settled(w)
			lab.Eventually(t, func() bool { return len(activities()) == 1 })
			if a := activities()[0]; a.Diagnosis != "backchannel_logout_rejected" || strings.Contains(a.Details["backchannel_logout_uri"], "tenant=1") {
				t.Errorf("activity %+v", a)
			}
			if len(rp.Told()) != 1 || len(inner.Told()) != 0 {
				t.Errorf("told %d times, and %d times elsewhere", len(rp.Told()), len(inner.Told()))
			}
		})
	}
}

func TestBackchannelLogoutWaitsForNobody(t *testing.T) {
	t.Parallel()
	slow := lab.NewToldParty(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	quick := lab.NewToldParty(t, nil)
	w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(slow, "slow").Tells(quick, "quick").Runs()
	for range 6 { // more than one application may have under way
		b := w.Alice()
		b.TokensOf("slow")
		b.TokensOf("quick")
		b.Submit(b.Open("/signout"))
		if b.IsSignedIn() {
			t.Fatal("still signed in")
		}
	}
	quick.Wait(t, 6)
	if n := w.Count("client_sessions"); n == 0 {
		t.Error("the slow application has answered; nothing was tested")
	}
}

func TestBackchannelLogoutOfPrivateNetworks(t *testing.T) {
	t.Parallel()
	rp := lab.NewToldParty(t, nil)
	t.Run("IsNotRegistered", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t)
		for _, uri := range []string{
			rp.URL, "https://localhost/", "https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "http://rp.example.com/",
			"https://rp.example.com/#a", "https://user@rp.example.com/", "rp.example.com", "com.example.app:/x",
		} {
			err := w.Clients().Save(t.Context(), provider.Client{ID: "c", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, BackchannelLogoutURI: uri})
			if err == nil || !strings.Contains(err.Error(), "BackchannelLogoutURI") {
				t.Errorf("%s: %v", uri, err)
			}
		}
		err := w.Clients().Save(t.Context(), provider.Client{ID: "c", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, BackchannelLogoutSessionRequired: true})
		if err == nil || !strings.Contains(err.Error(), "BackchannelLogoutSessionRequired") {
			t.Errorf("session without an address: %v", err)
		}
		want := provider.Client{
			ID: "c", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, BackchannelLogoutURI: "https://rp.example.com/bye?x=1", BackchannelLogoutSessionRequired: true,
		}
		w.OK(w.Clients().Save(t.Context(), want))
		got, err := w.Clients().Get(t.Context(), "c")
		if err != nil || got.BackchannelLogoutURI != want.BackchannelLogoutURI || !got.BackchannelLogoutSessionRequired {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("IsNotCalledWhenTheyAreAllowedNoMore", func(t *testing.T) {
		t.Parallel()
		rp := lab.NewToldParty(t, nil)
		w := lab.New(t, lab.AllowPrivate).WithClients().WithUsers().Tells(rp, "told")
		b := w.Alice()
		b.TokensOf("told")
		b.Submit(b.Open("/signout"))
		store := testkit.Must(sqlite.Open(t.Context(), w.Path))(t)
		strict, err := provider.New(t.Context(), provider.Config{BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: store, Clock: w.Now, Logger: slog.New(slog.DiscardHandler)})
		testkit.OK(t, err)
		t.Cleanup(func() { _ = strict.Close() })
		activities := watchTold((&lab.Fixture{Provider: strict}))
		go func() { _ = strict.Run(t.Context()) }()
		settled(w)
		lab.Eventually(t, func() bool { return len(activities()) == 1 })
		if a := activities()[0]; a.Diagnosis != "backchannel_logout_address_forbidden" || len(rp.Told()) != 0 {
			t.Errorf("%+v, told %d times", a, len(rp.Told()))
		}
	})
}
