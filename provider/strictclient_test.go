package provider_test

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

func TestPKCEOfAConfidentialClient(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	strict := provider.Client{
		ID: "strict", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		ResponseTypes: []string{"code", "id_token", "code id_token"}, SkipConsent: true,
	}
	w.ok(w.SaveClient(t.Context(), strict))
	b := w.alice()
	request := func(pairs ...string) string {
		return authorizeURL(append(ask("client_id", "strict", "nonce", "n-1"), pairs...)...)
	}
	early := response(t, b.open(request())).Get("code")

	strict.RequirePKCE = true
	w.ok(w.SaveClient(t.Context(), strict))
	t.Run("RefusesARequestWithoutAChallenge", func(t *testing.T) {
		for _, responseType := range []string{"code", "code id_token"} {
			seen := w.watch()
			if answer := response(t, b.open(request("response_type", responseType))); answer.Get("error") != "invalid_request" {
				t.Errorf("%s: %v", responseType, answer)
			}
			if told := seen.all(); len(told) != 1 || told[0].Diagnosis != "challenge_missing" {
				t.Errorf("told %v", told)
			}
		}
	})
	t.Run("AcceptsOneWithAChallengeAndOneForNoCode", func(t *testing.T) {
		code := response(t, b.open(request("code_challenge", s256, "code_challenge_method", "S256"))).Get("code")
		if p, _ := b.token("client_id", "strict", "code", code, "code_verifier", verifier); p.StatusCode != http.StatusOK {
			t.Errorf("%s %s", p.Status, p.body)
		}
		if answer := response(t, b.open(request("response_type", "id_token"))); answer.Get("id_token") == "" {
			t.Errorf("answer %v", answer)
		}
	})
	t.Run("RefusesACodeOfBefore", func(t *testing.T) {
		p, _ := b.token("client_id", "strict", "code", early)
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("IsImpliedByHavingToPush", func(t *testing.T) {
		w.ok(w.SaveClient(t.Context(), provider.Client{
			ID: "pushes", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, RequirePushedAuthorizationRequests: true,
		}))
		p, _ := b.push("client_id", "pushes")
		refused(t, p, http.StatusBadRequest, "invalid_request")
		if p, _ = b.push("client_id", "pushes", "code_challenge", s256, "code_challenge_method", "S256"); p.StatusCode != http.StatusCreated {
			t.Errorf("%s %s", p.Status, p.body)
		}
	})
}

// RFC 7591 section 2.1 has implicit in the registration of whoever uses the front channel.
func TestRegistrationMayNameTheGrantImplicit(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.alice()
	for name, c := range map[string]struct {
		grants, responses  []string
		asks, gets, denied string
	}{
		"Beside":     {[]string{"authorization_code", "implicit"}, []string{"code", "id_token"}, "id_token", "id_token", "token"},
		"GivesNone":  {[]string{"authorization_code", "implicit"}, nil, "code", "code", "id_token"},
		"AllThereIs": {[]string{"implicit"}, []string{"id_token"}, "id_token", "id_token", "code"},
	} {
		t.Run(name, func(t *testing.T) {
			w.ok(w.SaveClient(t.Context(), provider.Client{
				ID: name, Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, GrantTypes: c.grants, ResponseTypes: c.responses, SkipConsent: true,
			}))
			request := func(responseType string) string {
				return authorizeURL(ask("client_id", name, "nonce", "n-1", "response_type", responseType)...)
			}
			if answer := response(t, b.open(request(c.asks))); answer.Get(c.gets) == "" {
				t.Errorf("answer %v", answer)
			}
			if answer := response(t, b.open(request(c.denied))); answer.Get("error") != "unsupported_response_type" {
				t.Errorf("answer %v", answer)
			}
			p, _ := b.token("client_id", name, "grant_type", "implicit")
			refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
		})
	}
}

// What an application may not ask for in this way is told before what it asks for.
func TestResponseTypeIsCheckedFirst(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	for _, pairs := range [][]string{
		{"scope", "nonsense"}, {"scope", ""}, {"scope", "openid openid"}, {"resource", "https://unknown.test"}, {"nonce", ""},
	} {
		address := authorizeURL(ask(append([]string{"response_type", "id_token token"}, pairs...)...)...)
		if answer := response(t, b.open(address)); answer.Get("error") != "unsupported_response_type" {
			t.Errorf("%v: %v", pairs, answer)
		}
	}
}
