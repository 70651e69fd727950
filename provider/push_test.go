package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

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

// isErrorPage fails the test unless a page of ours says no, and sends nobody anywhere.
func isErrorPage(t testing.TB, p Page) {
	t.Helper()
	if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" || strings.Contains(p.Text, CallbackURI) {
		t.Errorf("%d %q, want an error page\n%.500s", p.StatusCode, p.Header.Get("Location"), p.Text)
	}
}

func TestPushedRequestTravelsAsUsual(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	uri := b.Pushed("nonce", "n-1")
	if !strings.HasPrefix(uri, "urn:ietf:params:oauth:request_uri:") || len(uri) < 34+43 {
		t.Fatalf("request_uri %q", uri)
	}
	// What comes beside does not count.
	signIn := b.Open(PushedURL("std", uri, "scope", "openid student", "state", "evil", "redirect_uri", "https://evil.test/", "nonce", "evil", "response_type", "token"))
	b.Get(signIn.Request.URL.String()) // loaded again
	p := b.Submit(signIn, "email", "alice@example.com", "password", AlicePass)
	answer := Response(t, b.Submit(p, "action", "allow"))
	if answer.Get("state") != "xyz" {
		t.Errorf("state %q", answer.Get("state"))
	}
	p, tokens := b.Token(Std("code", answer.Get("code"))...)
	if p.StatusCode != http.StatusOK || tokens["scope"] != "openid military" {
		t.Fatalf("tokens: %s", p.Text)
	}
	if _, claims := JWT(t, Member(t, tokens, "id_token")); claims["nonce"] != "n-1" {
		t.Errorf("claims %v", claims)
	}
}

func TestPublicClientPushes(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.Alice()
	p, _ := b.Push("client_id", "pub", "client_secret", "")
	Refused(t, p, http.StatusBadRequest, "invalid_request") // without PKCE
	uri := b.Pushed("client_id", "pub", "client_secret", "", "code_challenge", S256, "code_challenge_method", "S256")
	answer := Response(t, b.Submit(b.Open(PushedURL("pub", uri)), "action", "allow"))
	p, tokens := b.Token("client_id", "pub", "client_secret", "", "code", answer.Get("code"), "code_verifier", Verifier)
	Granted(t, p, tokens)
}

func TestPushedRequestIsCheckedWhenItIsPushed(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithSigners()
	b := w.NewBrowser()
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
		"UnsignedObject":    {400, "invalid_request_object", []string{"request", Unsigned(t, map[string]any{}, "none")}},
		"TooLarge":          {400, "invalid_request", []string{"a", strings.Repeat("x", 2000), "b", strings.Repeat("x", 2000), "c", strings.Repeat("x", 2000), "d", strings.Repeat("x", 2000), "e", strings.Repeat("x", 2000)}},
		"NotSigned":         {400, "invalid_request", []string{"client_id", "signer"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.Push(c.pairs...)
			Refused(t, p, c.status, c.code)
		})
	}
	if n := w.Count("pushed_requests"); n != 0 {
		t.Errorf("%d requests were kept", n)
	}
}

func TestAttackPushedRequest(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.Alice()
	t.Run("OfAnotherClient", func(t *testing.T) {
		uri := b.Pushed()
		isErrorPage(t, b.Open(PushedURL("std2", uri)))
		isErrorPage(t, b.Open(PushedURL("nobody", uri)))
		isErrorPage(t, b.Open("/oauth/authorize?request_uri="+url.QueryEscape(uri)))
		isErrorPage(t, b.Open(PushedURL("std", uri)+"&client_id=std2"))
		if p := b.Open(PushedURL("std", uri)); p.StatusCode != http.StatusOK { // nobody has taken it away
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
	})
	t.Run("ByTwoAtOnce", func(t *testing.T) {
		b.Allow(Ask()...)
		for range 10 {
			uri := b.Pushed()
			answers := Race(4, func(i int) string {
				own := b.Thief()
				if i%2 == 1 {
					own = w.Alice()
				}
				return CodeOf(own.Open(PushedURL("std", uri)))
			})
			slices.Sort(answers)
			if answers[len(answers)-1] == "" || answers[len(answers)-2] != "" {
				t.Errorf("answers %q", answers)
			}
		}
	})
	t.Run("WithASecondAnswerAfterAnError", func(t *testing.T) {
		uri := b.Pushed("prompt", "none")
		Told(t, w, w.NewBrowser().Get(PushedURL("std", uri)), "login_required")
		if p := b.Open(PushedURL("std", uri)); p.StatusCode != http.StatusOK || CodeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("WithASecondAnswerFromALaterVisit", func(t *testing.T) {
		uri := b.Pushed("prompt", "consent")
		first := b.Open(PushedURL("std", uri))
		Told(t, w, b.Submit(first, "action", "deny"), "access_denied")
		w.Advance(80 * time.Second)
		later := b.Open(PushedURL("std", uri))
		w.Advance(time.Hour - 30*time.Second) // the first visit is over, the later one is not
		if _, err := w.Store.Sweep(t.Context(), w.Now(), 1000); err != nil {
			t.Fatal(err)
		}
		if p := b.Submit(later, "action", "allow"); p.StatusCode != http.StatusOK || CodeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("TooLate", func(t *testing.T) {
		uri := b.Pushed()
		w.Advance(91 * time.Second)
		isErrorPage(t, b.Open(PushedURL("std", uri)))
	})
	t.Run("Guessed", func(t *testing.T) {
		isErrorPage(t, b.Open(PushedURL("std", "urn:ietf:params:oauth:request_uri:"+strings.Repeat("a", 43))))
		isErrorPage(t, b.Open(PushedURL("std", "urn:ietf:params:oauth:request_uri:")))
	})
	t.Run("AddressInItsPlace", func(t *testing.T) {
		for _, uri := range []string{"http://169.254.169.254/latest/meta-data/", w.Server.URL + "/oidc/.well-known/jwks", "urn:x"} {
			answer := Response(t, b.Open(AuthorizeURL(Ask("request_uri", uri)...)))
			if answer.Get("error") != "request_uri_not_supported" {
				t.Errorf("%s: %v", uri, answer)
			}
		}
	})
	t.Run("WhenTheRegistrationHasChanged", func(t *testing.T) {
		uri := b.Pushed("redirect_uri", "https://rp.test/other")
		c, err := w.Client(t.Context(), "std")
		w.OK(err)
		c.RedirectURIs = []string{CallbackURI}
		w.OK(w.SaveClient(t.Context(), c))
		isErrorPage(t, b.Open(PushedURL("std", uri)))
	})
	t.Run("IsNotReadInTheDatabase", func(t *testing.T) {
		b.Pushed("login_hint", "canary@example.com")
		if w.Count("pushed_requests") == 0 || strings.Contains(w.Dump(), "canary") {
			t.Error("the database tells who was named")
		}
	})
}

func TestPushedRequestHasOneAnswer(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	uri := b.Pushed()
	preview := w.NewBrowser()
	preview.Open(PushedURL("std", uri)) // looks where the link leads
	b.Open(PushedURL("std", uri))
	signIn := b.Open(PushedURL("std", uri)) // loaded again
	p := b.Submit(b.Submit(signIn, "email", "alice@example.com", "password", AlicePass), "action", "allow")
	if CodeOf(p) == "" {
		t.Fatalf("no answer: %s", p.Status)
	}
	for name, own := range map[string]*Browser{"the same browser": b, "another": w.Alice(), "another process": w.Restarted().Alice()} {
		p := own.Open(PushedURL("std", uri))
		if p.StatusCode != http.StatusOK || CodeOf(p) != "" || LinkOf(t, p, "https://rp.test/") == "" {
			t.Errorf("%s: %s %s", name, p.Status, p.Header.Get("Location"))
		}
	}
}

func TestPushedRequestThatIsOverLeadsBack(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.Alice()
	uri := b.Pushed()
	seen := w.WatchActivity()
	w.Advance(91 * time.Second)
	p := b.Open(PushedURL("std", uri))
	Shown(t, p, http.StatusBadRequest)
	if !strings.Contains(p.Text, "no longer works") || LinkOf(t, p, "https://rp.test/") == "" {
		t.Errorf("no way back:\n%s", p.Text)
	}
	if told := seen.All(); len(told) == 0 || told[len(told)-1].Diagnosis != "request_uri_unknown" || told[len(told)-1].ClientID != "std" {
		t.Errorf("told %v", told)
	}
}

func TestApplicationThatHasToPush(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers().WithSigners()
	b := w.Alice()
	seen := w.WatchActivity()
	answer := Response(t, b.Open(AuthorizeURL("client_id", "pusher", "scope", "openid military")))
	if answer.Get("error") != "invalid_request" || answer.Get("state") != "xyz" {
		t.Errorf("answer %v", answer)
	}
	if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "pushed_request_required" {
		t.Errorf("told %v", told)
	}
	uri := b.Pushed("client_id", "pusher", "code_challenge", S256, "code_challenge_method", "S256")
	if answer := Response(t, b.Submit(b.Open(PushedURL("pusher", uri)), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestScriptPushes(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithSigners()
	b := w.NewBrowser()
	form := url.Values{
		"client_id": {"key"}, "client_assertion_type": {ByAssertion}, "client_assertion": {ClientKeys()["ES256"].Sign(t, With(w.Assertion("key"), "aud", w.Server.URL+PARPath))},
		"redirect_uri": {CallbackURI}, "response_type": {"code"}, "scope": {"openid military"},
	}
	p := b.Send(http.MethodPost, PARPath, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://rp.test")
	if p.StatusCode != http.StatusCreated || p.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" {
		t.Errorf("%d %s %v", p.StatusCode, p.Text, p.Header)
	}
}
