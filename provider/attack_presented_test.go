package provider_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAttackPreviewOfALink looks at a request that can be made once before its user does.
func TestAttackPreviewOfALink(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers().withSigners()
	b := w.alice()
	for name, address := range map[string]string{
		"PushedRequest": pushedURL("std", b.pushed()),
		"RequestObject": objectURL("key", clientKeys()["ES256"].sign(t, w.object("key", "jti", "once"))),
	} {
		t.Run(name, func(t *testing.T) {
			for _, visitor := range []*browser{w.newBrowser(), b} {
				if p := visitor.send(http.MethodHead, address, ""); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
					t.Errorf("HEAD %s %s", p.Status, p.Header.Get("Location"))
				}
			}
			if answer := response(t, b.submit(b.open(address), "action", "allow")); answer.Get("code") == "" {
				t.Errorf("the user comes too late: %v", answer)
			}
		})
	}
}

// TestHEADOnlyLooks asks by HEAD for what a GET answers, or does.
func TestHEADOnlyLooks(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	b.allow(ask()...)
	_, tokens := b.token(std("code", b.allow(ask()...).Get("code"))...)
	flow := flowOf(t, b.get(authorizeURL(ask("prompt", "consent")...)))
	p := b.open("/oauth/consent?flow=" + flow)
	action, fields := p.form(t)
	fields.Set("action", "allow")
	allowed := b.post(action, fields).Header.Get("Location")
	grants := w.count("grants")
	for name, address := range map[string]string{
		"a request":              authorizeURL(ask()...),
		"a request to be denied": authorizeURL(ask("prompt", "none", "max_age", "0")...),
		"the last step":          allowed,
		"a sign-out":             "/signout?id_token_hint=" + text(t, tokens, "id_token"),
	} {
		if p := b.send(http.MethodHead, address, ""); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
			t.Errorf("HEAD of %s: %s %s", name, p.Status, p.Header.Get("Location"))
		}
	}
	if w.count("grants") != grants || !b.isSignedIn() {
		t.Error("something has changed")
	}
	if codeOf(b.open(allowed)) == "" {
		t.Error("the user comes too late")
	}
}

// TestAttackJSONByKey sends the token request of an application of the standard dialect as
// JSON, authenticated by a signature.
func TestAttackJSONByKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withSigners()
	body, err := json.Marshal(map[string]string{
		"grant_type": "client_credentials", "scope": "student", "client_assertion_type": byAssertion,
		"client_assertion": clientKeys()["ES256"].sign(t, w.assertion("key")),
	})
	w.ok(err)
	refused(t, w.newBrowser().tokenJSON(string(body)), http.StatusBadRequest, "invalid_request")
}

// TestAttackStepUpWithoutAUser presents an API with the token of an assertion as if its user
// had authenticated (RFC 9470).
func TestAttackStepUpWithoutAUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.AccessTokenFormat = "jwt"
	w.ok(w.SaveClient(t.Context(), c))
	b := w.alice()
	b.allow("client_id", "key", "scope", "openid military")
	p, body := b.bearerToken(w.assertionAbout("alice"))
	_, claims := jwt(t, granted(t, p, body))
	for _, name := range []string{"acr", "amr", "auth_time"} {
		if claims[name] != nil {
			t.Errorf("nobody has authenticated, and the token says %s %v", name, claims[name])
		}
	}
	if claims["sub"] != "alice" {
		t.Errorf("claims %v", claims)
	}
}

// TestAttackPushesOfAStranger sends requests ahead in the name of a public application,
// which needs no secret, to fill the database.
func TestAttackPushesOfAStranger(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	push := func(id string) page {
		p, _ := b.push("client_id", id, "client_secret", "", "code_challenge", s256, "code_challenge_method", "S256", "nonce", strings.Repeat("x", 1900))
		return p
	}
	kept := 0
	for push("pub").StatusCode == http.StatusCreated {
		if kept++; kept > 1000 {
			t.Fatal("nobody stops it")
		}
	}
	p := push("pub")
	if p.Header.Get("Retry-After") == "" || w.count("pushed_requests") != kept {
		t.Errorf("%s %v, %d kept of %d", p.Status, p.Header, w.count("pushed_requests"), kept)
	}
	refused(t, p, http.StatusTooManyRequests, "invalid_request")
	named := url.Values{"redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid"}, "code_challenge": {s256}, "code_challenge_method": {"S256"}}
	for _, header := range []string{"Basic cHViOg==", "Basic  cHViOg==", "Basic cCU3NWI6", "basic   cCU3NWI6 "} { // pub:, and p%75b:
		p := b.send(http.MethodPost, parPath, named.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Authorization", header)
		refused(t, p, http.StatusTooManyRequests, "invalid_request")
	}
	if p, _ := b.push(); p.StatusCode != http.StatusCreated {
		t.Errorf("an application that authenticates: %s %s", p.Status, p.body)
	}
	w.advance(time.Second)
	if p := push("pub"); p.StatusCode != http.StatusCreated {
		t.Errorf("a second later: %s %s", p.Status, p.body)
	}
}
