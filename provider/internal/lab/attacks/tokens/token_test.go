package tokens

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// answers counts the answers by status and error code.
func answers(t testing.TB, b *lab.Browser, pages []lab.Page) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, p := range pages {
		_, body := b.JSON(p)
		code, _ := body["error"].(string)
		counts[strings.TrimSpace(fmt.Sprint(p.StatusCode, " ", code))]++
	}
	return counts
}

func TestCodeReplay(t *testing.T) {
	t.Parallel()
	t.Run("FiftyAtOnceOfOneCodeHaveOneWinnerWhoseTokensEnd", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		other := w.Twin()
		b := w.Alice()
		code := b.Allow(lab.Ask()...).Get("code")
		elsewhere := other.NewBrowser()
		pages := lab.Race(50, func(i int) lab.Page {
			by := b
			if i%2 == 1 {
				by = elsewhere
			}
			p, _ := by.Token(lab.Std("code", code)...)
			return p
		})
		counts := answers(t, b, pages)
		if counts["200"] != 1 || counts["400 invalid_grant"] != 49 {
			t.Fatalf("answers: %v", counts)
		}
		w.Advance(time.Second) // the other process may have ended the grant
		for _, p := range pages {
			if p.StatusCode == http.StatusOK {
				_, tokens := b.JSON(p)
				lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
				lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), false)
			}
		}
		if !strings.Contains(trail(t, w), event.Reuse) {
			t.Error("no audit event")
		}
	})

	for _, later := range []time.Duration{0, time.Second, 30 * time.Second, 2 * time.Minute} {
		t.Run("EndsWhatTheFirstUseGot/"+later.String(), func(t *testing.T) {
			w, b := lab.WithAlice(t)
			bystander := b.StandardTokens()
			code := b.Allow(lab.Ask()...).Get("code")
			_, tokens := b.Token(lab.Std("code", code)...)
			w.Advance(later)
			testkit.Must(w.Store.Sweep(t.Context(), w.Now(), 500))(t)
			p, _ := b.Token(lab.Std("code", code)...)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
			lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
			p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
			lab.Works(t, b, lab.Member(t, bystander, "access_token"), true)
			if !w.Saw(event.Reuse) {
				t.Error("no audit event")
			}
		})
	}

	t.Run("ByAnotherApplicationHarmsNobody", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		code := b.Allow(lab.Ask()...).Get("code")
		_, tokens := b.Token(lab.Std("code", code)...)
		p, _ := b.Token("client_id", "std2", "client_secret", lab.ClientSecret+"2", "code", code)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
	})

	// A public client has no secret: whoever has seen its code in an address could end its
	// grant. Only the application knows the verifier.
	t.Run("WithoutTheVerifierOfAPublicClientHarmsNobody", func(t *testing.T) {
		const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
		_, b := lab.WithAlice(t)
		code := b.Allow(lab.Ask("client_id", "pub", "code_challenge", challenge, "code_challenge_method", "S256")...).Get("code")
		public := []string{"client_id", "pub", "client_secret", "", "code", code, "code_verifier"}
		_, tokens := b.Token(append(public, verifier)...)
		p, _ := b.Token(append(public, strings.Repeat("x", len(verifier)))...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
		p, _ = b.Token(append(public, verifier)...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	})
}

// trail returns the audit trail as text.
func trail(t testing.TB, w *lab.Fixture) string {
	t.Helper()
	events := testkit.Must(w.Store.Events(t.Context(), storage.EventFilter{}))(t)
	return fmt.Sprint(events)
}

func TestCode(t *testing.T) {
	t.Parallel()
	t.Run("IsOverAfterAMinuteWithoutAnySweep", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		early, late := b.Allow(lab.Ask()...).Get("code"), b.Allow(lab.Ask()...).Get("code")
		w.Advance(55 * time.Second)
		if p, _ := b.Token(lab.Std("code", early)...); p.StatusCode != http.StatusOK {
			t.Errorf("after 55 s: %s %s", p.Status, p.Text)
		}
		w.Advance(6 * time.Second)
		p, _ := b.Token(lab.Std("code", late)...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})

	t.Run("DamagedOrOfAnotherKindIsRefusedAndHarmsNothing", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		tokens := b.StandardTokens()
		code := b.Allow(lab.Ask()...).Get("code")
		stranger := lab.New(t).WithClients().WithUsers()
		flip := func(i int) string {
			c := byte('A')
			if code[i] == c {
				c = 'B'
			}
			return code[:i] + string(c) + code[i+1:]
		}
		half := len(code) / 2
		for name, sent := range map[string]string{
			"of another provider": stranger.Alice().Allow(lab.Ask()...).Get("code"),
			"cut":                 code[:len(code)*4/5],
			"first half changed":  flip(half / 2),
			"second half changed": flip(half + half/2),
			"halves swapped":      code[half:] + code[:half],
			"without prefix":      strings.TrimPrefix(code, "bfc_"),
			"with a tail":         code + "A",
			"access token":        lab.Member(t, tokens, "access_token"),
			"refresh token":       lab.Member(t, tokens, "refresh_token"),
			"one letter":          "x",
		} {
			p, _ := b.Token(lab.Std("code", sent)...)
			if p.StatusCode != http.StatusBadRequest || !strings.Contains(p.Text, "invalid_grant") {
				t.Errorf("code %s: %s %s", name, p.Status, p.Text)
			}
		}
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the code itself: %s %s", p.Status, p.Text)
		}
	})

	t.Run("SentElsewhereThanItWasIssuedForIsRefused", func(t *testing.T) {
		_, b := lab.WithAlice(t)
		code := b.Allow(lab.Ask()...).Get("code")
		for _, uri := range []string{"https://rp.test/other", lab.CallbackURI + "/", "https://RP.test/cb", ""} {
			p, _ := b.Token(lab.Std("code", code, "redirect_uri", uri)...)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		p, _ := b.Token("code", b.Allow().Get("code"), "redirect_uri", "")
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	})
}

func TestVerifier(t *testing.T) {
	t.Parallel()
	const (
		verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
		challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	)
	w, b := lab.WithAlice(t)
	bound := lab.Ask("code_challenge", challenge, "code_challenge_method", "S256")
	code := b.Allow(bound...).Get("code")
	for name, sent := range map[string]string{
		"missing":           "",
		"42 characters":     verifier[:42],
		"129 characters":    strings.Repeat("a1", 64) + "b",
		"bad characters":    verifier[:42] + "+",
		"other letter case": strings.ToLower(verifier),
		"the challenge":     challenge,
	} {
		if p, _ := b.Token(lab.Std("code", code, "code_verifier", sent)...); p.StatusCode != http.StatusBadRequest || !strings.Contains(p.Text, "invalid_grant") {
			t.Errorf("verifier %s: %s %s", name, p.Status, p.Text)
		}
	}
	if p, _ := b.Token(lab.Std("code", code, "code_verifier", verifier)...); p.StatusCode != http.StatusOK {
		t.Errorf("the verifier itself: %s %s", p.Status, p.Text)
	}
	unbound := b.Allow(lab.Ask()...).Get("code")
	p, _ := b.Token(lab.Std("code", unbound, "code_verifier", verifier)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")

	// It was the secret that protected the code of an application that has none by now.
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "std", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI}}))
	for name, pairs := range map[string][]string{"no verifier": nil, "any verifier": {"code_verifier", verifier}} {
		if p, _ := b.Token(append(lab.Std("client_secret", "", "code", unbound), pairs...)...); !strings.Contains(p.Text, "invalid_grant") {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
		}
	}
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	const spiced = "p:ss%41+w/rd=ä 0123456789abcdef"
	w := lab.New(t).WithClients().WithUsers()
	testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{
		ID: "spiced", Secret: spiced, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
	}))
	b := w.NewBrowser()
	basic := func(id, secret string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
	}
	// With good credentials the code is what is wrong.
	for name, c := range map[string]struct {
		header, form string
		status       int
		code         string
	}{
		"right in the body":              {"", "client_id=std&client_secret=" + lab.ClientSecret, 400, "invalid_grant"},
		"wrong":                          {"", "client_id=std&client_secret=wrong", 401, "invalid_client"},
		"empty":                          {"", "client_id=std&client_secret=", 401, "invalid_client"},
		"missing":                        {"", "client_id=std", 401, "invalid_client"},
		"nothing":                        {"", "", 401, "invalid_client"},
		"unknown application":            {"", "client_id=nobody&client_secret=" + lab.ClientSecret, 401, "invalid_client"},
		"a public one without":           {"", "client_id=pub", 400, "invalid_grant"},
		"a public one with":              {"", "client_id=pub&client_secret=x", 401, "invalid_client"},
		"right in the header":            {basic("std", lab.ClientSecret), "", 400, "invalid_grant"},
		"wrong in the header":            {basic("std", "wrong"), "", 401, "invalid_client"},
		"scheme in lower case":           {"basic" + strings.TrimPrefix(basic("std", lab.ClientSecret), "Basic"), "", 400, "invalid_grant"},
		"special characters as they are": {basic("spiced", spiced), "", 400, "invalid_grant"},
		"special characters encoded":     {basic("spiced", url.QueryEscape(spiced)), "", 400, "invalid_grant"},
		"bad base64":                     {"Basic !!!", "", 401, "invalid_client"},
		"no colon":                       {"Basic " + base64.StdEncoding.EncodeToString([]byte("std")), "", 401, "invalid_client"},
		"another scheme":                 {"Bearer " + lab.ClientSecret, "client_id=std", 401, "invalid_client"},
		"both ways":                      {basic("std", lab.ClientSecret), "client_id=std&client_secret=" + lab.ClientSecret, 400, "invalid_request"},
		"two names":                      {basic("std", lab.ClientSecret), "client_id=std2", 400, "invalid_request"},
		"an assertion":                   {"", "client_id=std&client_assertion=a.b.c&client_assertion_type=x", 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{"Content-Type", "application/x-www-form-urlencoded"}
			if c.header != "" {
				header = append(header, "Authorization", c.header)
			}
			p := b.Send(http.MethodPost, lab.TokenPath, "grant_type=authorization_code&code=x&redirect_uri=x&"+c.form, header...)
			lab.Refused(t, p, c.status, c.code)
			if challenge := p.Header.Get("WWW-Authenticate"); c.status == 401 && !strings.HasPrefix(challenge, "Basic ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
		})
	}
}

func TestClientSecretGuessingIsHeldUpAndTheApplicationIsNot(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	var last lab.Page
	for range 30 {
		last, _ = b.Token("client_id", "std", "client_secret", "wrong-guess", "code", "x")
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("30 guesses: %s %v", last.Status, last.Header)
	}
	b.StandardTokens()
}

func TestRotatedClientSecret(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	const fresh, overlap = lab.ClientSecret + "-fresh", time.Hour
	old := testkit.Must(w.Store.Client(t.Context(), "std"))(t)
	testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{ID: "std", Secret: fresh, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}))
	both := testkit.Must(w.Store.Client(t.Context(), "std"))(t)
	old.Secrets[0].ExpiresAt = w.Now().Add(overlap)
	both.Secrets = append(old.Secrets, both.Secrets...)
	testkit.OK(t, w.Store.SaveClient(t.Context(), both))
	try := func(secret, want string, status int) {
		t.Helper()
		p, _ := b.Token(lab.Std("client_secret", secret, "code", "x")...)
		lab.Refused(t, p, status, want)
	}
	try(fresh, "invalid_grant", 400)
	try(lab.ClientSecret, "invalid_grant", 400)
	w.Advance(overlap + time.Second)
	try(fresh, "invalid_grant", 400)
	try(lab.ClientSecret, "invalid_client", 401)
}
