package tokens

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestPolicyNarrows tests that what clients were allowed that nobody has registered ends where
// the host no longer lets them in, and that users find and end what they have allowed.
func TestPolicyNarrows(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]provider.UnknownClients{
		"Denied": {Documents: true, Deny: []string{"127.0.0.1"}}, "NotAllowed": {Documents: true, Allow: []string{"*.example"}}, "Off": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := newUnknown(t)
			b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
			got, tokens := d.redeem(b, code, callback)
			lab.Granted(t, got, tokens)
			apps := b.Open("/account/apps")
			if !strings.Contains(apps.Text, "Registered by nobody") || !strings.Contains(apps.Text, "Code Helper") {
				t.Errorf("the apps of the account: %s", apps.Text)
			}
			store := testkit.Must(sqlite.Open(t.Context(), w.Path))(t)
			narrower := testkit.Must(provider.New(t.Context(), provider.Config{
				BaseURL: w.Server.URL, Secret: lab.Secret(t), Store: store, Mailer: w.Mails, Clock: w.Now, AllowPrivateNetworks: true, UnknownClients: policy,
			}))(t)
			former := w.Provider
			t.Cleanup(func() {
				w.Provider = former
				_ = narrower.Close()
			})
			w.Provider = narrower
			w.Advance(time.Second)
			if got, refused := d.refresh(b, tokens["refresh_token"]); refused["error"] != "invalid_client" {
				t.Errorf("refresh: %s %v", got.Status, refused)
			}
			access, _ := tokens["access_token"].(string)
			if got := b.Send(http.MethodGet, "/api/public/v3/userinfo", "", "Authorization", "Bearer "+access); got.StatusCode != http.StatusUnauthorized {
				t.Errorf("userinfo: %s", got.Status)
			}
			if got := b.Get(d.ask()); got.StatusCode != http.StatusBadRequest {
				t.Errorf("authorize: %s", got.Status)
			}
		})
	}
}

// TestDeniedHost tests that what clients of a denied host have ends, and that they get no more.
func TestDeniedHost(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
	got, tokens := d.redeem(b, code, callback)
	lab.Granted(t, got, tokens)
	w.OK(w.Clients().SetDisabled(t.Context(), d.id(), true, 0))
	w.Advance(time.Second)
	if got, refused := d.refresh(b, tokens["refresh_token"]); refused["error"] != "invalid_client" {
		t.Errorf("%s %v", got.Status, refused)
	}
	if page := b.Get(d.ask()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("%s", page.Status)
	}
	denying, d2 := newUnknown(t, func(u *provider.UnknownClients) { u.Deny = []string{"127.0.0.1"} })
	if page := denying.NewBrowser().Get(d2.ask()); page.StatusCode != http.StatusBadRequest || d2.calls != 0 {
		t.Errorf("%s", page.Status)
	}
}

// TestUnknownClientGetsNoMore tests that the policy holds whatever the document says.
func TestUnknownClientGetsNoMore(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	d.set("scope", "openid military", "grant_types", []string{"authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer", "implicit"},
		"response_types", []string{"code", "token"}, "skip_consent", true, "dialect", "v3", "name", "Other")
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	for name, pairs := range map[string][]string{
		"Groups":      {"scope", "openid military"},
		"Token":       {"response_type", "token"},
		"NoChallenge": {"code_challenge", "", "code_challenge_method", ""},
		"Plain":       {"code_challenge_method", "plain"},
	} {
		if got := lab.Response(t, b.Open(d.ask(pairs...))); got.Get("error") == "" || got.Get("code") != "" {
			t.Errorf("%s: %v", name, got)
		}
	}
	lab.Response(t, b.Submit(b.Open(d.ask("scope", "openid")), "action", "allow"))
	if _, said := b.Token("client_id", d.id(), "client_secret", "", "grant_type", "client_credentials", "redirect_uri", ""); said["error"] != "unauthorized_client" && said["error"] != "invalid_client" {
		t.Errorf("client_credentials: %v", said)
	}
}

// TestUnusedClients tests that the rows of clients go that nobody uses.
func TestUnusedClients(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	denied := b.Submit(b.Open(d.ask()), "action", "deny")
	if got := lab.Response(t, denied); got.Get("error") != "access_denied" {
		t.Fatalf("%v", got)
	}
	row, _ := stored(w, d.id())
	if left := row.ExpiresAt.Sub(w.Now()); left <= 23*time.Hour || left > 24*time.Hour {
		t.Errorf("a row without consent stays for %v", left)
	}
	lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow"))
	row, _ = stored(w, d.id())
	if left := row.ExpiresAt.Sub(w.Now()); left < 119*24*time.Hour || left > 121*24*time.Hour {
		t.Errorf("a row in use stays for %v", left)
	}
}

// TestHostDeniedElsewhere tests that a host that another process has denied between the consent
// screen and its answer gets no row and no code, and that its document is not read again.
func TestHostDeniedElsewhere(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	allowed, refused := b.Open(d.ask()), b.Open(d.ask())
	twin := w.Twin(func(c *provider.Config) { c.AllowPrivateNetworks = true })
	w.OK(twin.Rooms().Hosts.Deny(t.Context(), "127.0.0.1", "It sends people elsewhere."))
	for action, page := range map[string]lab.Page{"allow": allowed, "deny": refused} {
		if got := b.SubmitOnce(page, "action", action); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s %s", action, got.Status, got.Header.Get("Location"))
		}
	}
	if row, there := stored(w, d.id()); there {
		t.Errorf("a denied host has a client: %+v", row)
	}
	calls := d.calls
	d.set("client_name", "Another Name")
	for range 3 {
		w.Advance(6 * time.Minute)
		if got := b.Get(d.ask()); got.StatusCode != http.StatusBadRequest {
			t.Errorf("authorize: %s", got.Status)
		}
	}
	if d.calls != calls {
		t.Error("the document of a denied host was read")
	}
	denials := testkit.Must(w.Store.HostDenials(t.Context(), "", 2))(w.T)
	if len(denials) != 1 || denials[0].By != "host" {
		t.Fatalf("%+v", denials)
	}
	w.OK(twin.Rooms().Hosts.Allow(t.Context(), "127.0.0.1", denials[0].At))
	if got := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")); got.Get("code") == "" {
		t.Errorf("after the denial: %v", got)
	}
}

// TestDatabaseFailsAtAClientOfNobody has one method of the store fail at a time: a client that
// cannot be judged is not said to be unknown, and its document is not said to be wrong.
func TestDatabaseFailsAtAClientOfNobody(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	d := newDocuments(t)
	w, b := lab.WithAlice(t, withDocuments(), lab.Faulty(&store))
	ask := func() lab.Page { return b.Get(d.ask("prompt", "consent")) }
	consent := b.Open(d.ask())
	for _, c := range []struct {
		method string
		step   func() lab.Page
	}{
		{"SaveClient", func() lab.Page { return b.SubmitOnce(consent, "action", "allow") }},
		{"HostDenial", ask}, {"Client", ask}, {"Clients", ask},
	} {
		w.Advance(6 * time.Minute) // which ends what is in memory
		met := false
		store.BreakBefore(func(_ context.Context, called string) error {
			if called != c.method {
				return nil
			}
			met = true
			return storage.ErrUnavailable
		})
		lab.Unavailable(t, c.step())
		if !met {
			t.Errorf("%s was not called", c.method)
		}
		store.Down(nil)
		if p := ask(); p.StatusCode >= http.StatusBadRequest {
			t.Errorf("after %s: %s", c.method, p.Status)
		}
	}
	if refused, err := w.Store.Events(t.Context(), storage.EventFilter{Name: "document_refused", Limit: 10}); err != nil || len(refused) > 0 {
		t.Errorf("recorded %v, %v", refused, err)
	}
	code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
	_, tokens := d.redeem(b, code, callback)
	w.Advance(time.Minute)
	store.BreakBefore(func(_ context.Context, called string) error {
		if called == "HostDenial" {
			return storage.ErrUnavailable
		}
		return nil
	})
	p, _ := d.refresh(b, tokens["refresh_token"])
	lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
	store.Down(nil)
	p, tokens = d.refresh(b, tokens["refresh_token"])
	lab.Granted(t, p, tokens)
}
