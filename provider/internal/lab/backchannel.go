package lab

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// ToldParty is an application that is told when a session ends.
type ToldParty struct {
	*httptest.Server
	answer http.HandlerFunc // 204 when nil

	mu     sync.Mutex
	tokens []string
}

// NewToldParty starts an application that is told of sessions that have ended.
func NewToldParty(t *testing.T, answer http.HandlerFunc) *ToldParty {
	t.Helper()
	rp := &ToldParty{answer: answer}
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

// Told returns the logout tokens that have arrived.
func (rp *ToldParty) Told() []string {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	return append([]string(nil), rp.tokens...)
}

// Wait waits for so many logout tokens.
func (rp *ToldParty) Wait(t *testing.T, n int) []string {
	t.Helper()
	Eventually(t, func() bool { return len(rp.Told()) >= n })
	return rp.Told()
}

// AllowPrivate lets the provider reach applications on this machine.
func AllowPrivate(c *provider.Config) { c.AllowPrivateNetworks = true }

// Runs has a provider do what goes on in the background.
func (w *Fixture) Runs() *Fixture {
	go func() { _ = w.Run(w.T.Context()) }()
	return w
}

// Tells registers a client that is told by this application.
func (w *Fixture) Tells(rp *ToldParty, id string) *Fixture {
	w.T.Helper()
	w.OK(w.Clients().Save(w.T.Context(), provider.Client{
		ID: id, Secret: ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{CallbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, PostLogoutRedirectURIs: []string{"https://rp.test/bye"},
		BackchannelLogoutURI: rp.URL + "/backchannel?tenant=1", SkipConsent: true,
	}))
	return w
}

// TokensOf signs the browser's user in at a client.
func (b *Browser) TokensOf(client string, pairs ...string) map[string]any {
	b.T.Helper()
	code := b.Allow(append([]string{"client_id", client, "scope", "openid military"}, pairs...)...).Get("code")
	p, tokens := b.Token("client_id", client, "code", code)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}
