package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestAttackPreviewOfALink looks at a request that can be made once before its user does.
func TestAttackPreviewOfALink(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithSigners()
	b := w.Alice()
	for name, address := range map[string]string{
		"PushedRequest": lab.PushedURL("std", b.Pushed()),
		"RequestObject": objectURL("key", lab.ClientKeys()["ES256"].Sign(t, w.Object("key", "jti", "once"))),
	} {
		t.Run(name, func(t *testing.T) {
			for _, visitor := range []*lab.Browser{w.NewBrowser(), b} {
				if p := visitor.Send(http.MethodHead, address, ""); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
					t.Errorf("HEAD %s %s", p.Status, p.Header.Get("Location"))
				}
			}
			if answer := lab.Response(t, b.Submit(b.Open(address), "action", "allow")); answer.Get("code") == "" {
				t.Errorf("the user comes too late: %v", answer)
			}
		})
	}
}

// TestHEADOnlyLooks asks by HEAD for what a GET answers, or does.
func TestHEADOnlyLooks(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	b.Allow(lab.Ask()...)
	_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask()...).Get("code"))...)
	flow := lab.FlowOf(t, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "consent")...)))
	p := b.Open("/oauth/consent?flow=" + flow)
	action, fields := p.Form(t)
	fields.Set("action", "allow")
	allowed := b.Post(action, fields).Header.Get("Location")
	grants := w.Count("grants")
	for name, address := range map[string]string{
		"a request":              lab.AuthorizeURL(lab.Ask()...),
		"a request to be denied": lab.AuthorizeURL(lab.Ask("prompt", "none", "max_age", "0")...),
		"the last step":          allowed,
		"a sign-out":             "/signout?id_token_hint=" + lab.Member(t, tokens, "id_token"),
	} {
		if p := b.Send(http.MethodHead, address, ""); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
			t.Errorf("HEAD of %s: %s %s", name, p.Status, p.Header.Get("Location"))
		}
	}
	if w.Count("grants") != grants || !b.IsSignedIn() {
		t.Error("something has changed")
	}
	if lab.CodeOf(b.Open(allowed)) == "" {
		t.Error("the user comes too late")
	}
}

// TestAttackJSONByKey sends the token request of an application of the standard dialect as
// JSON, authenticated by a signature.
func TestAttackJSONByKey(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	body := testkit.Must(json.Marshal(map[string]string{
		"grant_type": "client_credentials", "scope": "student", "client_assertion_type": lab.ByAssertion,
		"client_assertion": lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key")),
	}))(w.T)
	lab.Refused(t, w.NewBrowser().TokenJSON(string(body)), http.StatusBadRequest, "invalid_request")
}

// TestAttackStepUpWithoutAUser presents an API with the token of an assertion as if its user
// had authenticated (RFC 9470).
func TestAttackStepUpWithoutAUser(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.AccessTokenFormat = "jwt"
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.Alice()
	b.Allow("client_id", "key", "scope", "openid military")
	p, body := b.BearerToken(w.AssertionAbout("alice"))
	_, claims := lab.JWT(t, lab.Granted(t, p, body))
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
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	push := func(id string) lab.Page {
		p, _ := b.Push("client_id", id, "client_secret", "", "code_challenge", lab.S256, "code_challenge_method", "S256", "nonce", strings.Repeat("x", 1900))
		return p
	}
	kept := 0
	for push("pub").StatusCode == http.StatusCreated {
		if kept++; kept > 1000 {
			t.Fatal("nobody stops it")
		}
	}
	p := push("pub")
	if p.Header.Get("Retry-After") == "" || w.Count("pushed_requests") != kept {
		t.Errorf("%s %v, %d kept of %d", p.Status, p.Header, w.Count("pushed_requests"), kept)
	}
	lab.Refused(t, p, http.StatusTooManyRequests, "invalid_request")
	named := url.Values{"redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid"}, "code_challenge": {lab.S256}, "code_challenge_method": {"S256"}}
	for _, header := range []string{"Basic cHViOg==", "Basic  cHViOg==", "Basic cCU3NWI6", "basic   cCU3NWI6 "} { // pub:, and p%75b:
		p := b.Send(http.MethodPost, lab.PARPath, named.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Authorization", header)
		lab.Refused(t, p, http.StatusTooManyRequests, "invalid_request")
	}
	if p, _ := b.Push(); p.StatusCode != http.StatusCreated {
		t.Errorf("an application that authenticates: %s %s", p.Status, p.Text)
	}
	w.Advance(time.Second)
	if p := push("pub"); p.StatusCode != http.StatusCreated {
		t.Errorf("a second later: %s %s", p.Status, p.Text)
	}
}
