package grants

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// isErrorPage fails the test unless a page of ours says no, and sends nobody anywhere.
func isErrorPage(t testing.TB, p lab.Page) {
	t.Helper()
	if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" || strings.Contains(p.Text, lab.CallbackURI) {
		t.Errorf("%d %q, want an error page\n%.500s", p.StatusCode, p.Header.Get("Location"), p.Text)
	}
}

func TestPushedRequestTravelsAsUsual(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	uri := b.Pushed("nonce", "n-1")
	if !strings.HasPrefix(uri, "urn:ietf:params:oauth:request_uri:") || len(uri) < 34+43 {
		t.Fatalf("request_uri %q", uri)
	}
	// What comes beside does not count.
	signIn := b.Open(lab.PushedURL("std", uri, "scope", "openid student", "state", "evil", "redirect_uri", "https://evil.test/", "nonce", "evil", "response_type", "token"))
	b.Get(signIn.Request.URL.String()) // loaded again
	p := b.Submit(signIn, "email", "alice@example.com", "password", lab.AlicePass)
	answer := lab.Response(t, b.Submit(p, "action", "allow"))
	if answer.Get("state") != "xyz" {
		t.Errorf("state %q", answer.Get("state"))
	}
	p, tokens := b.Token(lab.Std("code", answer.Get("code"))...)
	if p.StatusCode != http.StatusOK || tokens["scope"] != "openid military" {
		t.Fatalf("tokens: %s", p.Text)
	}
	if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); claims["nonce"] != "n-1" {
		t.Errorf("claims %v", claims)
	}
}

func TestPublicClientPushes(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	p, _ := b.Push("client_id", "pub", "client_secret", "")
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request") // without PKCE
	uri := b.Pushed("client_id", "pub", "client_secret", "", "code_challenge", lab.S256, "code_challenge_method", "S256")
	answer := lab.Response(t, b.Submit(b.Open(lab.PushedURL("pub", uri)), "action", "allow"))
	p, tokens := b.Token("client_id", "pub", "client_secret", "", "code", answer.Get("code"), "code_verifier", lab.Verifier)
	lab.Granted(t, p, tokens)
}

func TestPushedRequestIsCheckedWhenItIsPushed(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithSigners()
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
		"UnsignedObject":    {400, "invalid_request_object", []string{"request", lab.Unsigned(t, map[string]any{}, "none")}},
		"TooLarge":          {400, "invalid_request", []string{"a", strings.Repeat("x", 2000), "b", strings.Repeat("x", 2000), "c", strings.Repeat("x", 2000), "d", strings.Repeat("x", 2000), "e", strings.Repeat("x", 2000)}},
		"NotSigned":         {400, "invalid_request", []string{"client_id", "signer"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := b.Push(c.pairs...)
			lab.Refused(t, p, c.status, c.code)
		})
	}
	if n := w.Count("pushed_requests"); n != 0 {
		t.Errorf("%d requests were kept", n)
	}
}

func TestAttackPushedRequest(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	t.Run("OfAnotherClient", func(t *testing.T) {
		uri := b.Pushed()
		isErrorPage(t, b.Open(lab.PushedURL("std2", uri)))
		isErrorPage(t, b.Open(lab.PushedURL("nobody", uri)))
		isErrorPage(t, b.Open("/oauth/authorize?request_uri="+url.QueryEscape(uri)))
		isErrorPage(t, b.Open(lab.PushedURL("std", uri)+"&client_id=std2"))
		if p := b.Open(lab.PushedURL("std", uri)); p.StatusCode != http.StatusOK { // nobody has taken it away
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
	})
	t.Run("ByTwoAtOnce", func(t *testing.T) {
		b.Allow(lab.Ask()...)
		for range 10 {
			uri := b.Pushed()
			answers := lab.Race(4, func(i int) string {
				own := b.Thief()
				if i%2 == 1 {
					own = w.Alice()
				}
				return lab.CodeOf(own.Open(lab.PushedURL("std", uri)))
			})
			slices.Sort(answers)
			if answers[len(answers)-1] == "" || answers[len(answers)-2] != "" {
				t.Errorf("answers %q", answers)
			}
		}
	})
	t.Run("WithASecondAnswerAfterAnError", func(t *testing.T) {
		uri := b.Pushed("prompt", "none")
		lab.Told(t, w, w.NewBrowser().Get(lab.PushedURL("std", uri)), "login_required")
		if p := b.Open(lab.PushedURL("std", uri)); p.StatusCode != http.StatusOK || lab.CodeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("WithASecondAnswerFromALaterVisit", func(t *testing.T) {
		uri := b.Pushed("prompt", "consent")
		first := b.Open(lab.PushedURL("std", uri))
		lab.Told(t, w, b.Submit(first, "action", "deny"), "access_denied")
		w.Advance(80 * time.Second)
		later := b.Open(lab.PushedURL("std", uri))
		w.Advance(time.Hour - 30*time.Second) // the first visit is over, the later one is not
		testkit.Must(w.Store.Sweep(t.Context(), w.Now(), 1000))(t)
		if p := b.Submit(later, "action", "allow"); p.StatusCode != http.StatusOK || lab.CodeOf(p) != "" {
			t.Errorf("%s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("TooLate", func(t *testing.T) {
		uri := b.Pushed()
		w.Advance(91 * time.Second)
		isErrorPage(t, b.Open(lab.PushedURL("std", uri)))
	})
	t.Run("Guessed", func(t *testing.T) {
		isErrorPage(t, b.Open(lab.PushedURL("std", "urn:ietf:params:oauth:request_uri:"+strings.Repeat("a", 43))))
		isErrorPage(t, b.Open(lab.PushedURL("std", "urn:ietf:params:oauth:request_uri:")))
	})
	t.Run("AddressInItsPlace", func(t *testing.T) {
		for _, uri := range []string{"http://169.254.169.254/latest/meta-data/", w.Server.URL + "/oidc/.well-known/jwks", "urn:x"} {
			answer := lab.Response(t, b.Open(lab.AuthorizeURL(lab.Ask("request_uri", uri)...)))
			if answer.Get("error") != "request_uri_not_supported" {
				t.Errorf("%s: %v", uri, answer)
			}
		}
	})
	t.Run("WhenTheRegistrationHasChanged", func(t *testing.T) {
		uri := b.Pushed("redirect_uri", "https://rp.test/other")
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.RedirectURIs = []string{lab.CallbackURI}
		w.OK(w.Clients().Save(t.Context(), c))
		isErrorPage(t, b.Open(lab.PushedURL("std", uri)))
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
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	uri := b.Pushed()
	preview := w.NewBrowser()
	preview.Open(lab.PushedURL("std", uri)) // looks where the link leads
	b.Open(lab.PushedURL("std", uri))
	signIn := b.Open(lab.PushedURL("std", uri)) // loaded again
	p := b.Submit(b.Submit(signIn, "email", "alice@example.com", "password", lab.AlicePass), "action", "allow")
	if lab.CodeOf(p) == "" {
		t.Fatalf("no answer: %s", p.Status)
	}
	for name, own := range map[string]*lab.Browser{"the same browser": b, "another": w.Alice(), "another process": w.Restarted().Alice()} {
		p := own.Open(lab.PushedURL("std", uri))
		if p.StatusCode != http.StatusOK || lab.CodeOf(p) != "" || lab.LinkOf(t, p, "https://rp.test/") == "" {
			t.Errorf("%s: %s %s", name, p.Status, p.Header.Get("Location"))
		}
	}
}

func TestPushedRequestThatIsOverLeadsBack(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	uri := b.Pushed()
	seen := w.WatchActivity()
	w.Advance(91 * time.Second)
	p := b.Open(lab.PushedURL("std", uri))
	lab.Shown(t, p, http.StatusBadRequest)
	if !strings.Contains(p.Text, "no longer works") || lab.LinkOf(t, p, "https://rp.test/") == "" {
		t.Errorf("no way back:\n%s", p.Text)
	}
	if told := seen.All(); len(told) == 0 || told[len(told)-1].Diagnosis != "request_uri_unknown" || told[len(told)-1].ClientID != "std" {
		t.Errorf("told %v", told)
	}
}

func TestApplicationThatHasToPush(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithSigners()
	b := w.Alice()
	seen := w.WatchActivity()
	answer := lab.Response(t, b.Open(lab.AuthorizeURL("client_id", "pusher", "scope", "openid military")))
	if answer.Get("error") != "invalid_request" || answer.Get("state") != "xyz" {
		t.Errorf("answer %v", answer)
	}
	if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "pushed_request_required" {
		t.Errorf("told %v", told)
	}
	uri := b.Pushed("client_id", "pusher", "code_challenge", lab.S256, "code_challenge_method", "S256")
	if answer := lab.Response(t, b.Submit(b.Open(lab.PushedURL("pusher", uri)), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestScriptPushes(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithSigners()
	b := w.NewBrowser()
	form := url.Values{
		"client_id": {"key"}, "client_assertion_type": {lab.ByAssertion}, "client_assertion": {lab.ClientKeys()["ES256"].Sign(t, lab.With(w.Assertion("key"), "aud", w.Server.URL+lab.PARPath))},
		"redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid military"},
	}
	p := b.Send(http.MethodPost, lab.PARPath, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://rp.test")
	if p.StatusCode != http.StatusCreated || p.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" {
		t.Errorf("%d %s %v", p.StatusCode, p.Text, p.Header)
	}
}
