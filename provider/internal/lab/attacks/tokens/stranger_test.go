package tokens

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestSlowStrangers tests that hosts that do not answer delay nothing for the applications that
// somebody has registered.
func TestSlowStrangers(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	release := make(chan struct{})
	arrived := make(chan struct{}, 100)
	d.answer = func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}
	keys := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write(lab.PublicKeys(t, "ES256"))
	}))
	t.Cleanup(keys.Close)
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "remote", Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", JWKSURI: keys.URL, GrantTypes: []string{"client_credentials"},
	}))
	var waiting sync.WaitGroup
	for i := range 40 {
		waiting.Go(func() { w.NewBrowser().Get(d.ask("client_id", d.URL+"/"+strconv.Itoa(i))) })
	}
	for range 8 { // as many as a host gets
		<-arrived
	}
	b := w.NewBrowser()
	got, said := b.Asserted("/oauth/token", lab.ClientKeys()["ES256"].Sign(t, w.Assertion("remote")), "grant_type", "client_credentials")
	if got.StatusCode != http.StatusOK {
		t.Errorf("%s %v", got.Status, said)
	}
	close(release)
	waiting.Wait()
}

// work lets the background work of the provider run until something is so.
func work(w *lab.Fixture, so func() bool) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.T.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) })
	lab.Eventually(w.T, so)
	cancel()
	running.Wait()
}

// TestUnusedClientIsRemoved tests that the row of a client goes at its end, and not before.
func TestUnusedClientIsRemoved(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Response(t, b.Submit(b.Open(d.ask("client_id", d.URL+"/denied")), "action", "deny"))
	lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow"))
	over := func() bool {
		row, there := stored(w, d.URL+"/denied")
		return !there || row.Deleted
	}
	if over() {
		t.Error("it is gone at once")
	}
	w.Advance(30 * time.Hour)
	w.AgreeOnTime()
	work(w, over)
	if row, there := stored(w, d.id()); !there || row.Deleted {
		t.Error("a client in use is gone")
	}
}

// TestDocumentIsGone tests that a client is disabled whose document has been missing for a week,
// and not before.
func TestDocumentIsGone(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow"))
	d.mu.Lock()
	d.answer = http.NotFound
	d.mu.Unlock()
	for day := range 9 {
		w.Advance(24*time.Hour + time.Minute)
		w.AgreeOnTime()
		asked := w.Now()
		work(w, func() bool { // nobody looks again for one that is disabled
			row, _ := stored(w, d.id())
			return row.Disabled || row.Document.LookedAt.After(asked)
		})
		row, _ := stored(w, d.id())
		if gone := day >= 7; row.Disabled != gone {
			t.Errorf("after %d days: %v", day, row.Disabled)
		}
	}
}

// TestStrangerPushes tests that a client that nobody has registered pushes a request if it signs
// with a key of its document, and that this makes its row.
func TestStrangerPushes(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	d.set("token_endpoint_auth_method", "private_key_jwt", "jwks", lab.PublicKeys(t, "ES256"))
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	push := func(key string) (lab.Page, map[string]any) {
		return b.Asserted(lab.PARPath, lab.ClientKeys()[key].Sign(t, w.Assertion(d.id())), "client_id", d.id(), "redirect_uri", callback,
			"response_type", "code", "scope", "openid", "nonce", "n", "code_challenge", s256, "code_challenge_method", "S256")
	}
	if got, said := push("foreign"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("another key: %s %v", got.Status, said)
	}
	if _, there := stored(w, d.id()); there {
		t.Error("another key has made a row")
	}
	got, said := push("ES256")
	uri, _ := said["request_uri"].(string)
	if _, there := stored(w, d.id()); got.StatusCode != http.StatusCreated || !there {
		t.Fatalf("%s %v", got.Status, said)
	}
	page := b.Open(lab.PushedURL(d.id(), uri))
	if code := lab.Response(t, b.Submit(page, "action", "allow")).Get("code"); code == "" {
		t.Error("no code")
	}
}

// TestStrangerProvesItsKey tests that a client that nobody has registered binds its code and its
// tokens to a key, from the push that makes its row on, and that a push that is refused makes none.
func TestStrangerProvesItsKey(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	d.set("token_endpoint_auth_method", "private_key_jwt", "jwks", lab.PublicKeys(t, "ES256"))
	p := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Prover("ES256")
	thief := p.Browser.Prover("EdDSA")
	asserted := func(pairs ...string) url.Values {
		return lab.Form(append([]string{"client_assertion_type", lab.ByAssertion, "client_assertion", lab.ClientKeys()["ES256"].Sign(t, w.Assertion(d.id()))}, pairs...)...)
	}
	push := func(proof string, pairs ...string) (lab.Page, map[string]any) {
		return p.JSON(p.PostWith(lab.PARPath, asserted(append([]string{"redirect_uri", callback, "response_type", "code", "scope", "openid offline_access",
			"nonce", "n", "code_challenge", s256, "code_challenge_method", "S256"}, pairs...)...), proof))
	}
	for name, refused := range map[string]func() (lab.Page, map[string]any){
		"a proof for another address": func() (lab.Page, map[string]any) { return push(p.Proof(http.MethodPost, lab.TokenPath)) },
		"the key of another": func() (lab.Page, map[string]any) {
			return push(thief.Proof(http.MethodPost, lab.PARPath), "dpop_jkt", p.JKT())
		},
	} {
		got, said := refused()
		if _, there := stored(w, d.id()); said["error"] != "invalid_dpop_proof" || there {
			t.Errorf("%s: %s %v, a row: %t", name, got.Status, said, there)
		}
	}
	got, said := push(p.Proof(http.MethodPost, lab.PARPath)) // the assertion alone names the client
	if _, there := stored(w, d.id()); got.StatusCode != http.StatusCreated || !there {
		t.Fatalf("%s %v", got.Status, said)
	}
	code := lab.Response(t, p.Submit(p.Open(lab.PushedURL(d.id(), lab.Member(t, said, "request_uri"))), "action", "allow")).Get("code")
	redeem := func(by *lab.Prover) (lab.Page, map[string]any) {
		return by.JSON(by.PostWith(lab.TokenPath, asserted("grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", verifier), by.Proof(http.MethodPost, lab.TokenPath)))
	}
	if got, said := redeem(thief); said["error"] != "invalid_grant" {
		t.Errorf("a thief: %s %v", got.Status, said)
	}
	got, tokens := redeem(p)
	if got.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("%s %v", got.Status, tokens)
	}
	if got := p.Data(lab.UserinfoPath, lab.Member(t, tokens, "access_token")); got.StatusCode != http.StatusOK {
		t.Errorf("data: %s %s", got.Status, got.Text)
	}
}
