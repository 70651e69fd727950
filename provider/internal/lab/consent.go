package lab

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Userinfo reads the claims at the userinfo endpoint.
func (b *Browser) Userinfo(tokens map[string]any) map[string]any {
	b.T.Helper()
	p, claims := b.JSON(b.Bearer(UserinfoPath, Member(b.T, tokens, "access_token")))
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("userinfo: %s %s", p.Status, p.Text)
	}
	return claims
}

// AskFor are the parameters of a request of the standard client without a scope that
// releases anything, with the parameter claims.
func AskFor(claims string, pairs ...string) []string {
	return Ask(append([]string{"scope", "openid", "claims", claims}, pairs...)...)
}

const (
	// BothScopes asks for openid and for two scopes that users may leave out.
	BothScopes = "openid military student"
)

// LetLeaveOut registers the standard client with these optional scopes.
func (w *Fixture) LetLeaveOut(scopes ...string) {
	w.T.Helper()
	c := testkit.Must(w.Clients().Get(w.T.Context(), "std"))(w.T)
	c.OptionalScopes = scopes
	w.OK(w.Clients().Save(w.T.Context(), c))
	w.Advance(2 * time.Second)
}

// AllowOnly allows what a consent screen asks for, and of what can be left out these scopes.
func (b *Browser) AllowOnly(p Page, scopes ...string) Page {
	b.T.Helper()
	action, fields := p.Form(b.T)
	fields.Set("action", "allow")
	fields["scope"] = scopes
	return b.Follow(b.Post(action, fields))
}

// Exchanged exchanges the code of an answer.
func (b *Browser) Exchanged(p Page) map[string]any {
	b.T.Helper()
	got, tokens := b.Token(Std("code", Response(b.T, p).Get("code"))...)
	Granted(b.T, got, tokens)
	return tokens
}

// Tells returns all that a token response leads to.
func (b *Browser) Tells(tokens map[string]any) string {
	b.T.Helper()
	told := ""
	for range 2 {
		access := Member(b.T, tokens, "access_token")
		told += b.Bearer(AttributesPath, access).Text
		if id, ok := tokens["id_token"].(string); ok {
			_, claims := JWT(b.T, id)
			told += fmt.Sprint(claims) + b.Bearer(UserinfoPath, access).Text
		}
		refresh, ok := tokens["refresh_token"].(string)
		if !ok {
			break
		}
		_, tokens = b.Refresh(refresh)
	}
	return told
}

// Attributes returns the values by handle and the statuses that a token releases.
func Attributes(t *testing.T, b *Browser, tokens map[string]any) (values map[string]string, statuses []any) {
	t.Helper()
	p := Bearer(b, "/api/public/v3/attributes.json", tokens)
	var body struct {
		Attributes []struct {
			Handle string
			Value  json.RawMessage
		}
		Status []any
	}
	if err := json.Unmarshal([]byte(p.Text), &body); err != nil || p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	values = map[string]string{}
	for _, a := range body.Attributes {
		values[a.Handle] = string(a.Value)
	}
	return values, body.Status
}

// ClaimsOf decodes a JWT without verifying it.
func ClaimsOf(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("not a JWT: %q", token)
	}
	raw := testkit.Must(base64.RawURLEncoding.DecodeString(parts[1]))(t)
	var claims map[string]any
	testkit.OK(t, json.Unmarshal(raw, &claims))
	return claims
}

// WithoutProtocol removes the claims of the protocol.
func WithoutProtocol(claims map[string]any) map[string]any {
	for _, name := range []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "at_hash", "nonce", "sid", "acr"} {
		delete(claims, name)
	}
	return claims
}

// Released signs in at the standard client, and returns what ID token and userinfo say
// beside the protocol.
func Released(t *testing.T, b *Browser, scope string) (tokens, id, info map[string]any) {
	t.Helper()
	p, tokens := b.Token(Std("code", b.Allow(Ask("scope", scope)...).Get("code"))...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	_, id = JWT(t, Member(t, tokens, "id_token"))
	_, info = b.JSON(b.Bearer(UserinfoPath, Member(t, tokens, "access_token")))
	return tokens, WithoutProtocol(id), WithoutProtocol(info)
}
