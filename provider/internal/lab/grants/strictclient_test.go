package grants

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestPKCEOfAConfidentialClient(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	strict := provider.Client{
		ID: "strict", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		ResponseTypes: []string{"code", "id_token", "code id_token"}, SkipConsent: true,
	}
	w.OK(w.Clients().Save(t.Context(), strict))
	b := w.Alice()
	request := func(pairs ...string) string {
		return lab.AuthorizeURL(append(lab.Ask("client_id", "strict", "nonce", "n-1"), pairs...)...)
	}
	early := lab.Response(t, b.Open(request())).Get("code")

	strict.RequirePKCE = true
	w.OK(w.Clients().Save(t.Context(), strict))
	t.Run("RefusesARequestWithoutAChallenge", func(t *testing.T) {
		for _, responseType := range []string{"code", "code id_token"} {
			seen := w.WatchActivity()
			if answer := lab.Response(t, b.Open(request("response_type", responseType))); answer.Get("error") != "invalid_request" {
				t.Errorf("%s: %v", responseType, answer)
			}
			if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "challenge_missing" {
				t.Errorf("told %v", told)
			}
		}
	})
	t.Run("AcceptsOneWithAChallengeAndOneForNoCode", func(t *testing.T) {
		code := lab.Response(t, b.Open(request("code_challenge", lab.S256, "code_challenge_method", "S256"))).Get("code")
		if p, _ := b.Token("client_id", "strict", "code", code, "code_verifier", lab.Verifier); p.StatusCode != http.StatusOK {
			t.Errorf("%s %s", p.Status, p.Text)
		}
		if answer := lab.Response(t, b.Open(request("response_type", "id_token"))); answer.Get("id_token") == "" {
			t.Errorf("answer %v", answer)
		}
	})
	t.Run("RefusesACodeOfBefore", func(t *testing.T) {
		p, _ := b.Token("client_id", "strict", "code", early)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("IsImpliedByHavingToPush", func(t *testing.T) {
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: "pushes", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, RequirePushedAuthorizationRequests: true,
		}))
		p, _ := b.Push("client_id", "pushes")
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
		if p, _ = b.Push("client_id", "pushes", "code_challenge", lab.S256, "code_challenge_method", "S256"); p.StatusCode != http.StatusCreated {
			t.Errorf("%s %s", p.Status, p.Text)
		}
	})
}

// RFC 7591 section 2.1 has implicit in the registration of whoever uses the front channel.
func TestRegistrationMayNameTheGrantImplicit(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.Alice()
	for name, c := range map[string]struct {
		grants, responses  []string
		asks, gets, denied string
	}{
		"Beside":     {[]string{"authorization_code", "implicit"}, []string{"code", "id_token"}, "id_token", "id_token", "token"},
		"GivesNone":  {[]string{"authorization_code", "implicit"}, nil, "code", "code", "id_token"},
		"AllThereIs": {[]string{"implicit"}, []string{"id_token"}, "id_token", "id_token", "code"},
	} {
		t.Run(name, func(t *testing.T) {
			w.OK(w.Clients().Save(t.Context(), provider.Client{
				ID: name, Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, GrantTypes: c.grants, ResponseTypes: c.responses, SkipConsent: true,
			}))
			request := func(responseType string) string {
				return lab.AuthorizeURL(lab.Ask("client_id", name, "nonce", "n-1", "response_type", responseType)...)
			}
			if answer := lab.Response(t, b.Open(request(c.asks))); answer.Get(c.gets) == "" {
				t.Errorf("answer %v", answer)
			}
			if answer := lab.Response(t, b.Open(request(c.denied))); answer.Get("error") != "unsupported_response_type" {
				t.Errorf("answer %v", answer)
			}
			p, _ := b.Token("client_id", name, "grant_type", "implicit")
			lab.Refused(t, p, http.StatusBadRequest, "unsupported_grant_type")
		})
	}
}

// What an application may not ask for in this way is told before what it asks for.
func TestResponseTypeIsCheckedFirst(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	for _, pairs := range [][]string{
		{"scope", "nonsense"}, {"scope", ""}, {"scope", "openid openid"}, {"resource", "https://unknown.test"}, {"nonce", ""},
	} {
		address := lab.AuthorizeURL(lab.Ask(append([]string{"response_type", "id_token token"}, pairs...)...)...)
		if answer := lab.Response(t, b.Open(address)); answer.Get("error") != "unsupported_response_type" {
			t.Errorf("%v: %v", pairs, answer)
		}
	}
}
