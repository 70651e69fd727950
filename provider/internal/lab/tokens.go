package lab

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Unlimited lets the thief guess as often as the machine can hash.
func Unlimited(c *provider.Config) {
	c.Limits.SignIn = provider.Limit{Burst: -1}
	c.Limits.SignInAccount = c.Limits.SignIn
}

const (
	// OldPassword is alice's until she changes it.
	OldPassword = "glacier-tulip-orbit-42"
)

// CodeOf returns the code that an authorization response carries, or "".
func CodeOf(p Page) string {
	target, err := url.Parse(p.Header.Get("Location"))
	if err != nil {
		return ""
	}
	return target.Query().Get("code")
}

// Form returns a form of names and values in turn.
func Form(pairs ...string) url.Values {
	f := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return f
}

// HalfHash is what at_hash and c_hash are.
func HalfHash(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Race runs n calls that begin at once and returns what they returned.
func Race[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-start
			results[i] = call(i)
		})
	}
	close(start)
	running.Wait()
	return results
}

// BearerToken asks for a token to what a user has allowed, with an assertion of the client key.
func (b *Browser) BearerToken(assertion map[string]any, pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	key := ClientKeys()["ES256"]
	return b.Asserted(TokenPath, key.Sign(b.T, b.Fixture.Assertion("key")), append([]string{"grant_type", BearerGrant, "assertion", key.Sign(b.T, assertion)}, pairs...)...)
}

// AssertionAbout returns the claims of an assertion about a user.
func (w *Fixture) AssertionAbout(user string, pairs ...any) map[string]any {
	return With(w.Assertion("key"), append([]any{"sub", user}, pairs...)...)
}

// TokenJSON posts a body to the token endpoint as axios does.
func (b *Browser) TokenJSON(body string) Page {
	b.T.Helper()
	return b.Send(http.MethodPost, TokenPath, body, "Content-Type", "application/json", "Accept", "application/json, text/plain, */*")
}

// ExchangeJSON is the token request of the older client as a JSON object.
func ExchangeJSON(t testing.TB, code string, change map[string]any) string {
	t.Helper()
	members := map[string]any{
		"client_id": "v3", "client_secret": ClientSecret, "redirect_uri": CallbackURI, "grant_type": "authorization_code", "code": code,
	}
	maps.Copy(members, change)
	body := testkit.Must(json.Marshal(members))(t)
	return string(body)
}
