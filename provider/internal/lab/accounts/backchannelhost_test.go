package accounts

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// hostOfCarol is a host at which carol is signed in, in a session that a test names.
type hostOfCarol struct {
	mu sync.Mutex
	in provider.SignedIn
}

func (h *hostOfCarol) signIn(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.in = provider.SignedIn{UserID: "carol", AuthTime: time.Now().Add(-time.Hour), SessionID: session}
}

func (h *hostOfCarol) signOut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.in = provider.SignedIn{}
}

func (h *hostOfCarol) signedIn() provider.SignedIn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.in
}

// hostFixture has a host, and a client that is told.
func hostFixture(t *testing.T, rp *lab.ToldParty) (*lab.Fixture, *hostOfCarol) {
	h := &hostOfCarol{}
	w := lab.NewHosted(t, h.signedIn, lab.AllowPrivate).Tells(rp, "told").Runs()
	w.OK(w.People().SetAttributes(t.Context(), "carol", map[string]any{"fname": "Carol"}))
	return w, h
}

// toldOf returns the sid of each logout token, "" for one of the whole user.
func toldOf(w *lab.Fixture, rp *lab.ToldParty) map[string]int {
	w.T.Helper()
	sids := map[string]int{}
	for _, token := range rp.Told() {
		claims := verified[logoutToken](w, "told", token)
		if claims.Subject != "carol" {
			w.T.Errorf("logout token %+v", claims)
		}
		sids[claims.SID]++
	}
	return sids
}

func TestBackchannelLogoutOfAHost(t *testing.T) {
	t.Parallel()
	t.Run("EndsTheSessionThatTheHostNames", func(t *testing.T) {
		t.Parallel()
		rp := lab.NewToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		phone := sidIn(w, "told", w.NewBrowser().TokensOf("told"))
		h.signIn("laptop")
		laptop := sidIn(w, "told", w.NewBrowser().TokensOf("told"))
		again := sidIn(w, "told", w.NewBrowser().TokensOf("told"))
		if phone == "" || phone == laptop || laptop != again {
			t.Fatalf("sids %q, %q, %q", phone, laptop, again)
		}
		w.OK(w.People().EndSessions(t.Context(), "dave", "phone"))
		w.OK(w.People().EndSessions(t.Context(), "carol", "desktop"))
		w.OK(w.People().EndSessions(t.Context(), "carol", "phone"))
		rp.Wait(t, 1)
		lab.Eventually(t, func() bool { return w.Count("client_sessions") == 1 })
		if diff := cmp.Diff(map[string]int{phone: 1}, toldOf(w, rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
		w.OK(w.People().EndSessions(t.Context(), "carol", ""))
		settled(w)
		if diff := cmp.Diff(map[string]int{phone: 1, laptop: 1}, toldOf(w, rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("EndsTheWholeUserWhereItNamesNone", func(t *testing.T) {
		t.Parallel()
		rp := lab.NewToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("")
		for range 2 {
			if sid := sidIn(w, "told", w.NewBrowser().TokensOf("told")); sid != "" {
				t.Fatalf("sid is %q", sid)
			}
		}
		w.OK(w.People().EndSessions(t.Context(), "carol", ""))
		settled(w)
		if diff := cmp.Diff(map[string]int{"": 1}, toldOf(w, rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("FollowsTheWayBackFromItsSignOutPage", func(t *testing.T) {
		t.Parallel()
		rp := lab.NewToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		b := w.NewBrowser()
		tokens := b.TokensOf("told")
		out := b.Get("/signout?" + url.Values{"id_token_hint": {lab.Member(t, tokens, "id_token")}, "post_logout_redirect_uri": {"https://rp.test/bye"}}.Encode())
		target, err := url.Parse(out.Header.Get("Location"))
		if err != nil || target.Host != "host.test" {
			t.Fatalf("%s %q", out.Status, out.Header.Get("Location"))
		}
		returnTo := target.Query().Get("return_to")
		b.Get(returnTo) // the user has said no there
		if n := w.Count("client_sessions"); n != 1 || len(rp.Told()) != 0 {
			t.Fatalf("%d wait, %d were told, while carol is signed in", n, len(rp.Told()))
		}
		h.signOut()
		if p := b.Get(returnTo); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != "https://rp.test/bye" {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		settled(w)
		if diff := cmp.Diff(map[string]int{sidIn(w, "told", tokens): 1}, toldOf(w, rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("NeedsNoWayBack", func(t *testing.T) {
		t.Parallel()
		rp := lab.NewToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		b := w.NewBrowser()
		b.Get("/signout?id_token_hint=" + lab.Member(t, b.TokensOf("told"), "id_token"))
		rp.Wait(t, 1)
		settled(w)
	})
	for name, end := range map[string]func(w *lab.Fixture) error{
		"Revoked": func(w *lab.Fixture) error { return w.People().Revoke(w.T.Context(), "carol") },
		"Deleted": func(w *lab.Fixture) error { return w.Accounts().Delete(w.T.Context(), "carol") },
	} {
		t.Run("AfterTheUserIs"+name, func(t *testing.T) {
			t.Parallel()
			rp := lab.NewToldParty(t, nil)
			w, h := hostFixture(t, rp)
			h.signIn("phone")
			w.NewBrowser().TokensOf("told")
			w.OK(end(w))
			rp.Wait(t, 1)
			settled(w)
		})
	}
}

func TestSessionIDOfAHostIsBounded(t *testing.T) {
	t.Parallel()
	h := &hostOfCarol{}
	w := lab.NewHosted(t, h.signedIn)
	h.signIn(string(make([]byte, 4097)))
	if p := w.NewBrowser().Get("/account"); p.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answered %s", p.Status)
	}
	h.signIn(string(make([]byte, 4096)))
	if p := w.NewBrowser().Get("/account"); p.StatusCode == http.StatusServiceUnavailable {
		t.Errorf("answered %s", p.Status)
	}
}
