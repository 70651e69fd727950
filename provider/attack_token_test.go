package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// race runs n calls that begin at once and returns what they returned.
func race[T any](n int, call func(i int) T) []T {
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

// answers counts the answers by status and error code.
func answers(t testing.TB, b *browser, pages []page) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, p := range pages {
		_, body := b.json(p)
		code, _ := body["error"].(string)
		counts[strings.TrimSpace(fmt.Sprint(p.StatusCode, " ", code))]++
	}
	return counts
}

func TestCodeReplay(t *testing.T) {
	t.Parallel()
	t.Run("FiftyAtOnceOfOneCodeHaveOneWinnerWhoseTokensEnd", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		other := w.twin()
		b := w.alice()
		code := b.allow(ask()...).Get("code")
		elsewhere := other.newBrowser()
		pages := race(50, func(i int) page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.token(std("code", code)...)
			return p
		})
		counts := answers(t, b, pages)
		if counts["200"] != 1 || counts["400 invalid_grant"] != 49 {
			t.Fatalf("answers: %v", counts)
		}
		w.advance(time.Second) // the other process may have ended the grant
		for _, p := range pages {
			if p.StatusCode == http.StatusOK {
				_, tokens := b.json(p)
				works(t, b, text(t, tokens, "access_token"), false)
				works(t, elsewhere, text(t, tokens, "access_token"), false)
			}
		}
		if !strings.Contains(trail(t, w), string(provider.EventReuse)) {
			t.Error("no audit event")
		}
	})

	for _, later := range []time.Duration{0, time.Second, 30 * time.Second, 2 * time.Minute} {
		t.Run("EndsWhatTheFirstUseGot/"+later.String(), func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			b := w.alice()
			bystander := b.standardTokens()
			code := b.allow(ask()...).Get("code")
			_, tokens := b.token(std("code", code)...)
			w.advance(later)
			if _, err := w.store.Sweep(t.Context(), w.now(), 500); err != nil {
				t.Fatal(err)
			}
			p, _ := b.token(std("code", code)...)
			refused(t, p, http.StatusBadRequest, "invalid_grant")
			works(t, b, text(t, tokens, "access_token"), false)
			p, _ = b.refresh(text(t, tokens, "refresh_token"))
			refused(t, p, http.StatusBadRequest, "invalid_grant")
			works(t, b, text(t, bystander, "access_token"), true)
			if !w.saw(provider.EventReuse) {
				t.Error("no audit event")
			}
		})
	}

	t.Run("ByAnotherApplicationHarmsNobody", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		code := b.allow(ask()...).Get("code")
		_, tokens := b.token(std("code", code)...)
		p, _ := b.token("client_id", "std2", "client_secret", clientSecret+"2", "code", code)
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		works(t, b, text(t, tokens, "access_token"), true)
	})
}

// trail returns the audit trail as text.
func trail(t testing.TB, w *fixture) string {
	t.Helper()
	events, err := w.store.Events(t.Context(), storage.EventFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(events)
}

func TestCode(t *testing.T) {
	t.Parallel()
	t.Run("IsOverAfterAMinuteWithoutAnySweep", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		early, late := b.allow(ask()...).Get("code"), b.allow(ask()...).Get("code")
		w.advance(55 * time.Second)
		if p, _ := b.token(std("code", early)...); p.StatusCode != http.StatusOK {
			t.Errorf("after 55 s: %s %s", p.Status, p.body)
		}
		w.advance(6 * time.Second)
		p, _ := b.token(std("code", late)...)
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})

	t.Run("DamagedOrOfAnotherKindIsRefusedAndHarmsNothing", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		tokens := b.standardTokens()
		code := b.allow(ask()...).Get("code")
		stranger := newFixture(t).withClients().withUsers()
		flip := func(i int) string {
			c := byte('A')
			if code[i] == c {
				c = 'B'
			}
			return code[:i] + string(c) + code[i+1:]
		}
		half := len(code) / 2
		for name, sent := range map[string]string{
			"of another provider": stranger.alice().allow(ask()...).Get("code"),
			"cut":                 code[:len(code)*4/5],
			"first half changed":  flip(half / 2),
			"second half changed": flip(half + half/2),
			"halves swapped":      code[half:] + code[:half],
			"without prefix":      strings.TrimPrefix(code, "bfc_"),
			"with a tail":         code + "A",
			"access token":        text(t, tokens, "access_token"),
			"refresh token":       text(t, tokens, "refresh_token"),
			"one letter":          "x",
		} {
			p, _ := b.token(std("code", sent)...)
			if p.StatusCode != http.StatusBadRequest || !strings.Contains(p.body, "invalid_grant") {
				t.Errorf("code %s: %s %s", name, p.Status, p.body)
			}
		}
		works(t, b, text(t, tokens, "access_token"), true)
		if p, _ := b.token(std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the code itself: %s %s", p.Status, p.body)
		}
	})

	t.Run("SentElsewhereThanItWasIssuedForIsRefused", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		code := b.allow(ask()...).Get("code")
		for _, uri := range []string{"https://rp.test/other", callbackURI + "/", "https://RP.test/cb", ""} {
			p, _ := b.token(std("code", code, "redirect_uri", uri)...)
			refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		p, _ := b.token("code", b.allow().Get("code"), "redirect_uri", "")
		refused(t, p, http.StatusBadRequest, "invalid_request")
	})
}

func TestVerifier(t *testing.T) {
	t.Parallel()
	const (
		verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
		challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	)
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	bound := ask("code_challenge", challenge, "code_challenge_method", "S256")
	code := b.allow(bound...).Get("code")
	for name, sent := range map[string]string{
		"missing":           "",
		"42 characters":     verifier[:42],
		"129 characters":    strings.Repeat("a1", 64) + "b",
		"bad characters":    verifier[:42] + "+",
		"other letter case": strings.ToLower(verifier),
		"the challenge":     challenge,
	} {
		if p, _ := b.token(std("code", code, "code_verifier", sent)...); p.StatusCode != http.StatusBadRequest || !strings.Contains(p.body, "invalid_grant") {
			t.Errorf("verifier %s: %s %s", name, p.Status, p.body)
		}
	}
	if p, _ := b.token(std("code", code, "code_verifier", verifier)...); p.StatusCode != http.StatusOK {
		t.Errorf("the verifier itself: %s %s", p.Status, p.body)
	}
	unbound := b.allow(ask()...).Get("code")
	p, _ := b.token(std("code", unbound, "code_verifier", verifier)...)
	refused(t, p, http.StatusBadRequest, "invalid_grant")

	// It was the secret that protected the code of an application that has none by now.
	w.ok(w.SaveClient(t.Context(), provider.Client{ID: "std", Dialect: provider.Standard, Public: true, RedirectURIs: []string{callbackURI}}))
	for name, pairs := range map[string][]string{"no verifier": nil, "any verifier": {"code_verifier", verifier}} {
		if p, _ := b.token(append(std("client_secret", "", "code", unbound), pairs...)...); !strings.Contains(p.body, "invalid_grant") {
			t.Errorf("%s: %s %s", name, p.Status, p.body)
		}
	}
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	const spiced = "p:ss%41+w/rd=ä 0123456789abcdef"
	w := newFixture(t).withClients().withUsers()
	err := w.SaveClient(t.Context(), provider.Client{
		ID: "spiced", Secret: spiced, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := w.newBrowser()
	basic := func(id, secret string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
	}
	// With good credentials the code is what is wrong.
	for name, c := range map[string]struct {
		header, form string
		status       int
		code         string
	}{
		"right in the body":              {"", "client_id=std&client_secret=" + clientSecret, 400, "invalid_grant"},
		"wrong":                          {"", "client_id=std&client_secret=wrong", 401, "invalid_client"},
		"empty":                          {"", "client_id=std&client_secret=", 401, "invalid_client"},
		"missing":                        {"", "client_id=std", 401, "invalid_client"},
		"nothing":                        {"", "", 401, "invalid_client"},
		"unknown application":            {"", "client_id=nobody&client_secret=" + clientSecret, 401, "invalid_client"},
		"a public one without":           {"", "client_id=pub", 400, "invalid_grant"},
		"a public one with":              {"", "client_id=pub&client_secret=x", 401, "invalid_client"},
		"right in the header":            {basic("std", clientSecret), "", 400, "invalid_grant"},
		"wrong in the header":            {basic("std", "wrong"), "", 401, "invalid_client"},
		"scheme in lower case":           {"basic" + strings.TrimPrefix(basic("std", clientSecret), "Basic"), "", 400, "invalid_grant"},
		"special characters as they are": {basic("spiced", spiced), "", 400, "invalid_grant"},
		"special characters encoded":     {basic("spiced", url.QueryEscape(spiced)), "", 400, "invalid_grant"},
		"bad base64":                     {"Basic !!!", "", 401, "invalid_client"},
		"no colon":                       {"Basic " + base64.StdEncoding.EncodeToString([]byte("std")), "", 401, "invalid_client"},
		"another scheme":                 {"Bearer " + clientSecret, "client_id=std", 401, "invalid_client"},
		"both ways":                      {basic("std", clientSecret), "client_id=std&client_secret=" + clientSecret, 400, "invalid_request"},
		"two names":                      {basic("std", clientSecret), "client_id=std2", 400, "invalid_request"},
		"an assertion":                   {"", "client_id=std&client_assertion=a.b.c&client_assertion_type=x", 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{"Content-Type", "application/x-www-form-urlencoded"}
			if c.header != "" {
				header = append(header, "Authorization", c.header)
			}
			p := b.send(http.MethodPost, tokenPath, "grant_type=authorization_code&code=x&redirect_uri=x&"+c.form, header...)
			refused(t, p, c.status, c.code)
			if challenge := p.Header.Get("WWW-Authenticate"); c.status == 401 && !strings.HasPrefix(challenge, "Basic ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
		})
	}
}

func TestClientSecretGuessingIsHeldUpAndTheApplicationIsNot(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	var last page
	for range 30 {
		last, _ = b.token("client_id", "std", "client_secret", "wrong-guess", "code", "x")
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("30 guesses: %s %v", last.Status, last.Header)
	}
	b.standardTokens()
}

func TestRotatedClientSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	const fresh, overlap = clientSecret + "-fresh", time.Hour
	old, err := w.store.Client(t.Context(), "std")
	if err != nil {
		t.Fatal(err)
	}
	err = w.SaveClient(t.Context(), provider.Client{ID: "std", Secret: fresh, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}})
	if err != nil {
		t.Fatal(err)
	}
	both, err := w.store.Client(t.Context(), "std")
	if err != nil {
		t.Fatal(err)
	}
	old.Secrets[0].ExpiresAt = w.now().Add(overlap)
	both.Secrets = append(old.Secrets, both.Secrets...)
	if err := w.store.SaveClient(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	try := func(secret, want string, status int) {
		t.Helper()
		p, _ := b.token(std("client_secret", secret, "code", "x")...)
		refused(t, p, status, want)
	}
	try(fresh, "invalid_grant", 400)
	try(clientSecret, "invalid_grant", 400)
	w.advance(overlap + time.Second)
	try(fresh, "invalid_grant", 400)
	try(clientSecret, "invalid_client", 401)
}
