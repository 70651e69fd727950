package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// push sends an authorization request of the standard client ahead.
func (b *browser) push(pairs ...string) (page, map[string]any) {
	b.t.Helper()
	form := url.Values{
		"client_id": {"std"}, "client_secret": {clientSecret}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"xyz"},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Del(pairs[i])
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return b.json(b.post(parPath, form))
}

// pushed returns the request_uri of a request that was pushed.
func (b *browser) pushed(pairs ...string) string {
	b.t.Helper()
	p, body := b.push(pairs...)
	if p.StatusCode != http.StatusCreated || p.Header.Get("Cache-Control") != "no-store" {
		b.t.Fatalf("push: %d %s %v", p.StatusCode, p.body, p.Header)
	}
	if seconds, ok := body["expires_in"].(float64); !ok || seconds < 5 || seconds > 600 {
		b.t.Errorf("expires_in %v", body["expires_in"])
	}
	return text(b.t, body, "request_uri")
}

func pushedURL(clientID, requestURI string, pairs ...string) string {
	q := url.Values{"client_id": {clientID}, "request_uri": {requestURI}}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// isErrorPage fails the test unless a page of ours says no, and sends nobody anywhere.
func isErrorPage(t testing.TB, p page) {
	t.Helper()
	if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" || strings.Contains(p.body, callbackURI) {
		t.Errorf("%d %q, want an error page\n%.500s", p.StatusCode, p.Header.Get("Location"), p.body)
	}
}

func TestPushedRequestTravelsAsUsual(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	uri := b.pushed("nonce", "n-1")
	if !strings.HasPrefix(uri, "urn:ietf:params:oauth:request_uri:") || len(uri) < 34+43 {
		t.Fatalf("request_uri %q", uri)
	}
	// What comes beside does not count.
	signIn := b.open(pushedURL("std", uri, "scope", "openid student", "state", "evil", "redirect_uri", "https://evil.test/", "nonce", "evil", "response_type", "token"))
	b.get(signIn.Request.URL.String()) // loaded again
	p := b.submit(signIn, "email", "alice@example.com", "password", alicePass)
	answer := response(t, b.submit(p, "action", "allow"))
	if answer.Get("state") != "xyz" {
		t.Errorf("state %q", answer.Get("state"))
	}
	p, tokens := b.token(std("code", answer.Get("code"))...)
	if p.StatusCode != http.StatusOK || tokens["scope"] != "openid military" {
		t.Fatalf("tokens: %s", p.body)
	}
	if _, claims := jwt(t, text(t, tokens, "id_token")); claims["nonce"] != "n-1" {
		t.Errorf("claims %v", claims)
	}
}

func TestPublicClientPushes(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	p, _ := b.push("client_id", "pub", "client_secret", "")
	refused(t, p, http.StatusBadRequest, "invalid_request") // without PKCE
	uri := b.pushed("client_id", "pub", "client_secret", "", "code_challenge", s256, "code_challenge_method", "S256")
	answer := response(t, b.submit(b.open(pushedURL("pub", uri)), "action", "allow"))
	p, tokens := b.token("client_id", "pub", "client_secret", "", "code", answer.Get("code"), "code_verifier", verifier)
	granted(t, p, tokens)
}

func TestPushedRequestIsCheckedWhenItIsPushed(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withSigners()
	b := w.newBrowser()
	for name, c := range map[string]struct {
		status int
		code   string
		pairs  []string
	}{
		"WrongSecret":       {401, "invalid_client", []string{"client_secret", strings.Repeat("x", 40)}},
		"NoSecret":          {401, "invalid_client", []string{"client_secret", ""}},
		"RedirectURI":       {400, "invalid_request", []string{"redirect_uri", "https://evil.test/"}},
		"NoRedirectURI":     {400, "invalid_request", []string{"redirect_uri", ""}},
		"Scope":             {400, "invalid_scope", []string{"scope", "magic"}},
		"ResponseType":      {400, "unsupported_response_type", []string{"response_type", "magic"}},
		"ForbiddenType":     {400, "unsupported_response_type", []string{"response_type", "token"}},
		"ResponseMode":      {400, "unsupported_response_mode", []string{"response_mode", "magic"}},
		"Prompt":            {400, "invalid_request", []string{"prompt", "magic"}},
		"RequestURI":        {400, "invalid_request", []string{"request_uri", "urn:ietf:params:oauth:request_uri:x"}},
		"RequestURIOfCloud": {400, "invalid_request", []string{"request_uri", "http://169.254.169.254/latest"}},
		"BrokenObject":      {400, "invalid_request_object", []string{"request", "x"}},
		"UnsignedObject":    {400, "invalid_request_object", []string{"request", unsigned(t, map[string]any{}, "none")}},
		"TooLarge":          {400, "invalid_request", []string{"a", strings.Repeat("x", 2000), "b", strings.Repeat("x", 2000), "c", strings.Repeat("x", 2000), "d", strings.Repeat("x", 2000), "e", strings.Repeat("x", 2000)}},
		"NotSigned":         {400, "invalid_request", []string{"client_id", "signer"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.push(c.pairs...)
			refused(t, p, c.status, c.code)
		})
	}
	if n := w.count("pushed_requests"); n != 0 {
		t.Errorf("%d requests were kept", n)
	}
}

func TestAttackPushedRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	t.Run("OfAnotherClient", func(t *testing.T) {
		uri := b.pushed()
		isErrorPage(t, b.open(pushedURL("std2", uri)))
		isErrorPage(t, b.open(pushedURL("nobody", uri)))
		isErrorPage(t, b.open("/oauth/authorize?request_uri="+url.QueryEscape(uri)))
		isErrorPage(t, b.open(pushedURL("std", uri)+"&client_id=std2"))
		if p := b.open(pushedURL("std", uri)); p.StatusCode != http.StatusOK { // nobody has taken it away
			t.Errorf("%s\n%s", p.Status, p.body)
		}
	})
	t.Run("ByTwoAtOnce", func(t *testing.T) {
		b.allow(ask()...)
		for range 10 {
			uri := b.pushed()
			answers := race(4, func(i int) string {
				own := b.thief()
				if i%2 == 1 {
					own = w.alice()
				}
				return codeOf(own.open(pushedURL("std", uri)))
			})
			slices.Sort(answers)
			if answers[len(answers)-1] == "" || answers[len(answers)-2] != "" {
				t.Errorf("answers %q", answers)
			}
		}
	})
	t.Run("WithASecondAnswerAfterAnError", func(t *testing.T) {
		uri := b.pushed("prompt", "none")
		told(t, w, w.newBrowser().get(pushedURL("std", uri)), "login_required")
		if p := b.open(pushedURL("std", uri)); p.StatusCode != http.StatusOK || codeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("WithASecondAnswerFromALaterVisit", func(t *testing.T) {
		uri := b.pushed("prompt", "consent")
		first := b.open(pushedURL("std", uri))
		told(t, w, b.submit(first, "action", "deny"), "access_denied")
		w.advance(80 * time.Second)
		later := b.open(pushedURL("std", uri))
		w.advance(time.Hour - 30*time.Second) // the first visit is over, the later one is not
		if _, err := w.store.Sweep(t.Context(), w.now(), 1000); err != nil {
			t.Fatal(err)
		}
		if p := b.submit(later, "action", "allow"); p.StatusCode != http.StatusOK || codeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("TooLate", func(t *testing.T) {
		uri := b.pushed()
		w.advance(91 * time.Second)
		isErrorPage(t, b.open(pushedURL("std", uri)))
	})
	t.Run("Guessed", func(t *testing.T) {
		isErrorPage(t, b.open(pushedURL("std", "urn:ietf:params:oauth:request_uri:"+strings.Repeat("a", 43))))
		isErrorPage(t, b.open(pushedURL("std", "urn:ietf:params:oauth:request_uri:")))
	})
	t.Run("AddressInItsPlace", func(t *testing.T) {
		for _, uri := range []string{"http://169.254.169.254/latest/meta-data/", w.server.URL + "/oidc/.well-known/jwks", "urn:x"} {
			answer := response(t, b.open(authorizeURL(ask("request_uri", uri)...)))
			if answer.Get("error") != "request_uri_not_supported" {
				t.Errorf("%s: %v", uri, answer)
			}
		}
	})
	t.Run("WhenTheRegistrationHasChanged", func(t *testing.T) {
		uri := b.pushed("redirect_uri", "https://rp.test/other")
		c, err := w.Client(t.Context(), "std")
		w.ok(err)
		c.RedirectURIs = []string{callbackURI}
		w.ok(w.SaveClient(t.Context(), c))
		isErrorPage(t, b.open(pushedURL("std", uri)))
	})
	t.Run("IsNotReadInTheDatabase", func(t *testing.T) {
		b.pushed("login_hint", "canary@example.com")
		if w.count("pushed_requests") == 0 || strings.Contains(w.dump(), "canary") {
			t.Error("the database tells who was named")
		}
	})
}

func TestPushedRequestHasOneAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	uri := b.pushed()
	preview := w.newBrowser()
	preview.open(pushedURL("std", uri)) // looks where the link leads
	b.open(pushedURL("std", uri))
	signIn := b.open(pushedURL("std", uri)) // loaded again
	p := b.submit(b.submit(signIn, "email", "alice@example.com", "password", alicePass), "action", "allow")
	if codeOf(p) == "" {
		t.Fatalf("no answer: %s", p.Status)
	}
	for name, own := range map[string]*browser{"the same browser": b, "another": w.alice(), "another process": w.restarted().alice()} {
		p := own.open(pushedURL("std", uri))
		if p.StatusCode != http.StatusOK || codeOf(p) != "" || linkOf(t, p, "https://rp.test/") == "" {
			t.Errorf("%s: %s %s", name, p.Status, p.Header.Get("Location"))
		}
	}
}

func TestPushedRequestThatIsOverLeadsBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	uri := b.pushed()
	seen := w.watch()
	w.advance(91 * time.Second)
	p := b.open(pushedURL("std", uri))
	shown(t, p, http.StatusBadRequest)
	if !strings.Contains(p.body, "no longer works") || linkOf(t, p, "https://rp.test/") == "" {
		t.Errorf("no way back:\n%s", p.body)
	}
	if told := seen.all(); len(told) == 0 || told[len(told)-1].Diagnosis != "request_uri_unknown" || told[len(told)-1].ClientID != "std" {
		t.Errorf("told %v", told)
	}
}

func TestApplicationThatHasToPush(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers().withSigners()
	b := w.alice()
	seen := w.watch()
	answer := response(t, b.open(authorizeURL("client_id", "pusher", "scope", "openid military")))
	if answer.Get("error") != "invalid_request" || answer.Get("state") != "xyz" {
		t.Errorf("answer %v", answer)
	}
	if told := seen.all(); len(told) != 1 || told[0].Diagnosis != "pushed_request_required" {
		t.Errorf("told %v", told)
	}
	uri := b.pushed("client_id", "pusher", "code_challenge", s256, "code_challenge_method", "S256")
	if answer := response(t, b.submit(b.open(pushedURL("pusher", uri)), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestScriptPushes(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withSigners()
	b := w.newBrowser()
	form := url.Values{
		"client_id": {"key"}, "client_assertion_type": {byAssertion}, "client_assertion": {clientKeys()["ES256"].sign(t, with(w.assertion("key"), "aud", w.server.URL+parPath))},
		"redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid military"},
	}
	p := b.send(http.MethodPost, parPath, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://rp.test")
	if p.StatusCode != http.StatusCreated || p.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" {
		t.Errorf("%d %s %v", p.StatusCode, p.body, p.Header)
	}
}
