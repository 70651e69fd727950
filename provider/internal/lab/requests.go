package lab

import (
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// WithEveryResponseType registers a standard client that may use all response types.
func (w *Fixture) WithEveryResponseType() *Fixture {
	w.T.Helper()
	testkit.OK(w.T, w.Clients().Save(w.T.Context(), provider.Client{
		ID: "every", Name: "Every App", Secret: ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{CallbackURI},
		GrantTypes:    []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code", "token", "id_token", "id_token token", "code id_token", "code token", "code id_token token"},
	}))
	return w
}

// Push sends an authorization request of the standard client ahead.
func (b *Browser) Push(pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	form := url.Values{
		"client_id": {"std"}, "client_secret": {ClientSecret}, "redirect_uri": {CallbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"xyz"},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Del(pairs[i])
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return b.JSON(b.Post(PARPath, form))
}

// Pushed returns the request_uri of a request that was pushed.
func (b *Browser) Pushed(pairs ...string) string {
	b.T.Helper()
	p, body := b.Push(pairs...)
	if p.StatusCode != http.StatusCreated || p.Header.Get("Cache-Control") != "no-store" {
		b.T.Fatalf("push: %d %s %v", p.StatusCode, p.Text, p.Header)
	}
	if seconds, ok := body["expires_in"].(float64); !ok || seconds < 5 || seconds > 600 {
		b.T.Errorf("expires_in %v", body["expires_in"])
	}
	return Member(b.T, body, "request_uri")
}

// PushedURL is an authorization request that names a pushed one.
func PushedURL(clientID, requestURI string, pairs ...string) string {
	q := url.Values{"client_id": {clientID}, "request_uri": {requestURI}}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// Object returns the claims of a request object of an application.
func (w *Fixture) Object(id string, pairs ...any) map[string]any {
	return With(map[string]any{
		"iss": id, "aud": w.Issuer(), "client_id": id, "exp": w.Now().Add(10 * time.Minute).Unix(),
		"redirect_uri": CallbackURI, "response_type": "code", "scope": "openid military", "state": "inside", "nonce": "n-1",
	}, pairs...)
}
