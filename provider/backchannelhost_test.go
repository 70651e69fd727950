package provider_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
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
func hostFixture(t *testing.T, rp *toldParty) (*fixture, *hostOfCarol) {
	h := &hostOfCarol{}
	w := hostedFixture(t, h.signedIn, allowPrivate).tells(rp, "told").runs()
	w.ok(w.SetAttributes(t.Context(), "carol", map[string]any{"fname": "Carol"}))
	return w, h
}

// toldOf returns the sid of each logout token, "" for one of the whole user.
func (w *fixture) toldOf(rp *toldParty) map[string]int {
	w.t.Helper()
	sids := map[string]int{}
	for _, token := range rp.told() {
		claims := verified[logoutToken](w, "told", token)
		if claims.Subject != "carol" {
			w.t.Errorf("logout token %+v", claims)
		}
		sids[claims.SID]++
	}
	return sids
}

func TestBackchannelLogoutOfAHost(t *testing.T) {
	t.Parallel()
	t.Run("EndsTheSessionThatTheHostNames", func(t *testing.T) {
		t.Parallel()
		rp := newToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		phone := w.sidIn("told", w.newBrowser().tokensOf("told"))
		h.signIn("laptop")
		laptop := w.sidIn("told", w.newBrowser().tokensOf("told"))
		again := w.sidIn("told", w.newBrowser().tokensOf("told"))
		if phone == "" || phone == laptop || laptop != again {
			t.Fatalf("sids %q, %q, %q", phone, laptop, again)
		}
		w.ok(w.EndSessions(t.Context(), "dave", "phone"))
		w.ok(w.EndSessions(t.Context(), "carol", "desktop"))
		w.ok(w.EndSessions(t.Context(), "carol", "phone"))
		rp.wait(t, 1)
		eventually(t, func() bool { return w.count("client_sessions") == 1 })
		if diff := cmp.Diff(map[string]int{phone: 1}, w.toldOf(rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
		w.ok(w.EndSessions(t.Context(), "carol", ""))
		w.settled()
		if diff := cmp.Diff(map[string]int{phone: 1, laptop: 1}, w.toldOf(rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("EndsTheWholeUserWhereItNamesNone", func(t *testing.T) {
		t.Parallel()
		rp := newToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("")
		for range 2 {
			if sid := w.sidIn("told", w.newBrowser().tokensOf("told")); sid != "" {
				t.Fatalf("sid is %q", sid)
			}
		}
		w.ok(w.EndSessions(t.Context(), "carol", ""))
		w.settled()
		if diff := cmp.Diff(map[string]int{"": 1}, w.toldOf(rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("FollowsTheWayBackFromItsSignOutPage", func(t *testing.T) {
		t.Parallel()
		rp := newToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		b := w.newBrowser()
		tokens := b.tokensOf("told")
		out := b.get("/signout?" + url.Values{"id_token_hint": {text(t, tokens, "id_token")}, "post_logout_redirect_uri": {"https://rp.test/bye"}}.Encode())
		target, err := url.Parse(out.Header.Get("Location"))
		if err != nil || target.Host != "host.test" {
			t.Fatalf("%s %q", out.Status, out.Header.Get("Location"))
		}
		returnTo := target.Query().Get("return_to")
		b.get(returnTo) // the user has said no there
		if n := w.count("client_sessions"); n != 1 || len(rp.told()) != 0 {
			t.Fatalf("%d wait, %d were told, while carol is signed in", n, len(rp.told()))
		}
		h.signOut()
		if p := b.get(returnTo); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != "https://rp.test/bye" {
			t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
		}
		w.settled()
		if diff := cmp.Diff(map[string]int{w.sidIn("told", tokens): 1}, w.toldOf(rp)); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
	})
	t.Run("NeedsNoWayBack", func(t *testing.T) {
		t.Parallel()
		rp := newToldParty(t, nil)
		w, h := hostFixture(t, rp)
		h.signIn("phone")
		b := w.newBrowser()
		b.get("/signout?id_token_hint=" + text(t, b.tokensOf("told"), "id_token"))
		rp.wait(t, 1)
		w.settled()
	})
	for name, end := range map[string]func(w *fixture) error{
		"Revoked": func(w *fixture) error { return w.RevokeUser(w.t.Context(), "carol") },
		"Deleted": func(w *fixture) error { return w.DeleteAccount(w.t.Context(), "carol") },
	} {
		t.Run("AfterTheUserIs"+name, func(t *testing.T) {
			t.Parallel()
			rp := newToldParty(t, nil)
			w, h := hostFixture(t, rp)
			h.signIn("phone")
			w.newBrowser().tokensOf("told")
			w.ok(end(w))
			rp.wait(t, 1)
			w.settled()
		})
	}
}

func TestSessionIDOfAHostIsBounded(t *testing.T) {
	t.Parallel()
	h := &hostOfCarol{}
	w := hostedFixture(t, h.signedIn)
	h.signIn(string(make([]byte, 4097)))
	if p := w.newBrowser().get("/account"); p.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answered %s", p.Status)
	}
	h.signIn(string(make([]byte, 4096)))
	if p := w.newBrowser().get("/account"); p.StatusCode == http.StatusServiceUnavailable {
		t.Errorf("answered %s", p.Status)
	}
}
