package tokens

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// bank is an application of a profile: its key signs assertions, requests and proofs.
type bank struct {
	*lab.Prover
	id  string
	key lab.ClientKey
}

// financial registers two applications of the profiles, "bank" and "signing".
func financial(t *testing.T, change ...func(*provider.Config)) (w *lab.Fixture, secured, signing bank) {
	t.Helper()
	change = append(change, func(c *provider.Config) { c.SigningAlgorithms = []string{"RS256", "ES256", "PS256"} })
	w = lab.New(t, change...).WithClients().WithUsers()
	for _, c := range []provider.Client{{ID: "bank", Profile: provider.ProfileFAPI2}, {ID: "signing", Profile: provider.ProfileFAPI2Signing}} {
		c.Dialect, c.RedirectURIs, c.JWKS = provider.Standard, []string{lab.CallbackURI}, lab.PublicKeys(t, lab.AllKeys...)
		c.GrantTypes = []string{"authorization_code", "refresh_token"}
		w.OK(w.Clients().Save(t.Context(), c))
	}
	p, key := w.Alice().Prover("ES256"), lab.ClientKeys()["PS256"]
	return w, bank{p, "bank", key}, bank{p, "signing", key}
}

// push sends a request ahead with a fresh assertion; pairs change the form.
func (b bank) push(pairs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	request := append([]string{
		"redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid military", "state", "xyz",
		"code_challenge", lab.S256, "code_challenge_method", "S256",
	}, pairs...)
	return b.Asserted(lab.PARPath, b.key.Sign(b.T, b.Fixture.Assertion(b.id)), request...)
}

// object pushes a signed request; pairs change its claims.
func (b bank) object(pairs ...any) (lab.Page, map[string]any) {
	b.T.Helper()
	claims := b.Fixture.Object(b.id, "nbf", b.Fixture.Now().Unix(), "response_mode", "jwt", "state", "xyz", "code_challenge", lab.S256, "code_challenge_method", "S256")
	return b.Asserted(lab.PARPath, b.key.Sign(b.T, b.Fixture.Assertion(b.id)), "request", b.key.Sign(b.T, lab.With(claims, pairs...)))
}

// visit follows a pushed request to its response.
func (b bank) visit(p lab.Page, pushed map[string]any) lab.Page {
	b.T.Helper()
	if p.StatusCode != http.StatusCreated {
		b.T.Fatalf("push: %s %s", p.Status, p.Text)
	}
	asked := b.Open(lab.PushedURL(b.id, lab.Member(b.T, pushed, "request_uri")))
	if asked.Header.Get("Location") != "" {
		return asked // allowed before
	}
	return b.Submit(asked, "action", "allow")
}

// token asks for tokens with an assertion of these claims and these proofs.
func (b bank) token(assertion map[string]any, proofs []string, pairs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	return b.TokenWith(proofs, append([]string{
		"client_id", b.id, "client_secret", "", "client_assertion_type", lab.ByAssertion, "client_assertion", b.key.Sign(b.T, assertion),
	}, pairs...)...)
}

func (b bank) exchange(code string, pairs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	return b.token(b.Fixture.Assertion(b.id), []string{b.Proof(http.MethodPost, lab.TokenPath)}, append([]string{"code", code, "code_verifier", lab.Verifier}, pairs...)...)
}

// TestProfilePinsARegistration saves registrations that say otherwise than their profile.
func TestProfilePinsARegistration(t *testing.T) {
	t.Parallel()
	w, _, _ := financial(t)
	good := provider.Client{
		ID: "b2", Profile: provider.ProfileFAPI2, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, JWKS: lab.PublicKeys(t, "ES256"),
	}
	w.OK(w.Clients().Save(t.Context(), good))
	saved, err := w.Clients().Get(t.Context(), "b2")
	w.OK(err)
	if !saved.RequirePushedAuthorizationRequests || !saved.RequirePKCE || !saved.DPoPBoundAccessTokens || saved.RequireSignedRequestObject ||
		saved.TokenEndpointAuthMethod != "private_key_jwt" || saved.IDTokenSignedResponseAlg != "ES256" || saved.AuthorizationSignedResponseAlg != "ES256" ||
		!slices.Equal(saved.ResponseTypes, []string{"code"}) {
		t.Errorf("saved %+v", saved)
	}
	w.OK(w.Clients().Save(t.Context(), saved))
	wrong := good
	wrong.JWKS, wrong.AccessTokenFormat = lab.PublicKeys(t, "ES384"), "jwt"
	if _, err := w.Clients().Pinned(wrong); err == nil || !strings.Contains(err.Error(), "JWKS: has no key for PS256") || !strings.Contains(err.Error(), "AccessTokenFormat") {
		t.Errorf("pinned: %v", err)
	}
	for field, change := range map[string]func(*provider.Client){
		"Profile":                        func(c *provider.Client) { c.Profile = "fapi1" },
		"Dialect":                        func(c *provider.Client) { c.Dialect = provider.V3 },
		"Public":                         func(c *provider.Client) { c.Public = true },
		"TokenEndpointAuthMethod":        func(c *provider.Client) { c.TokenEndpointAuthMethod = "client_secret_basic" },
		"ResponseTypes":                  func(c *provider.Client) { c.ResponseTypes = []string{"code", "code id_token"} },
		"AccessTokenFormat":              func(c *provider.Client) { c.AccessTokenFormat = "jwt" },
		"JWKS":                           func(c *provider.Client) { c.JWKS = nil },
		"Secret":                         func(c *provider.Client) { c.Secret = lab.ClientSecret },
		"TokenEndpointAuthSigningAlg":    func(c *provider.Client) { c.TokenEndpointAuthSigningAlg = "RS256" },
		"RequestObjectSigningAlg":        func(c *provider.Client) { c.RequestObjectSigningAlg = "ES384" },
		"IDTokenSignedResponseAlg":       func(c *provider.Client) { c.IDTokenSignedResponseAlg = "RS256" },
		"UserinfoSignedResponseAlg":      func(c *provider.Client) { c.UserinfoSignedResponseAlg = "RS256" },
		"AuthorizationSignedResponseAlg": func(c *provider.Client) { c.AuthorizationSignedResponseAlg = "RS256" },
		"RedirectURIs[0]":                func(c *provider.Client) { c.RedirectURIs = []string{"http://rp.test/cb"} },
	} {
		wrong := good
		change(&wrong)
		var told *provider.FieldError
		if err := w.Clients().Save(t.Context(), wrong); !errors.As(err, &told) || told.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestProfileNeedsItsProvider registers applications at a provider that cannot do what their
// profile demands.
func TestProfileNeedsItsProvider(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider.Config){
		"RS256 only": func(*provider.Config) {},
		"shorter grace": func(c *provider.Config) {
			c.Lifetimes.RefreshGrace, c.SigningAlgorithms = 59*time.Second, []string{"RS256", "ES256"}
		},
		"no grace at all": func(c *provider.Config) {
			c.Lifetimes.RefreshGrace, c.SigningAlgorithms = -1, []string{"RS256", "ES256"}
		},
	} {
		w := lab.New(t, change)
		var told *provider.FieldError
		err := w.Clients().Save(t.Context(), provider.Client{
			ID: "b2", Profile: provider.ProfileFAPI2, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, JWKS: lab.PublicKeys(t, "ES256"),
			GrantTypes: []string{"authorization_code", "refresh_token"},
		})
		if !errors.As(err, &told) || told.Field != "Profile" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProfileSignsIn is a sign-in as the FAPI 2.0 Security Profile has it.
func TestProfileSignsIn(t *testing.T) {
	t.Parallel()
	w, b, _ := financial(t)
	answer := lab.Response(t, b.visit(b.push()))
	if answer.Get("iss") != w.Issuer() || answer.Get("state") != "xyz" {
		t.Errorf("response %v", answer)
	}
	p, tokens := b.exchange(answer.Get("code"))
	if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	if header, _ := lab.JWT(t, lab.Member(t, tokens, "id_token")); header["alg"] != "ES256" {
		t.Errorf("ID token of %v", header)
	}
	access := lab.Member(t, tokens, "access_token")
	if p := b.Data(lab.UserinfoPath, access); p.StatusCode != http.StatusOK {
		t.Errorf("userinfo: %s %s", p.Status, p.Text)
	}
	lab.Works(t, b.Browser, access, false) // as a bearer
	refresh := lab.Member(t, tokens, "refresh_token")
	for range 2 { // the first response may have been lost
		p, tokens = b.exchange("", "grant_type", "refresh_token", "refresh_token", refresh, "redirect_uri", "", "code_verifier", "")
		if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Fatalf("refresh: %s %s", p.Status, p.Text)
		}
		w.Advance(30 * time.Second)
	}
}

// TestProfileRefuses sends what the FAPI 2.0 Security Profile has to refuse.
func TestProfileRefuses(t *testing.T) {
	t.Parallel()
	w, b, _ := financial(t, func(c *provider.Config) { c.Lifetimes.Code = 10 * time.Minute })
	t.Run("RequestsThatAreNotPushed", func(t *testing.T) {
		for _, id := range []string{"bank", "signing"} {
			request := url.Values{"client_id": {id}, "redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid"}, "code_challenge": {lab.S256}, "code_challenge_method": {"S256"}}
			answer := lab.Response(t, b.Get("/oauth/authorize?"+request.Encode()))
			if id == "signing" {
				_, claims := lab.JWT(t, answer.Get("response"))
				answer = url.Values{"error": {claims["error"].(string)}}
			}
			if answer.Get("error") != "invalid_request" {
				t.Errorf("%s: %v", id, answer)
			}
		}
	})
	t.Run("PushedRequests", func(t *testing.T) {
		for name, c := range map[string]struct {
			change []string
			code   string
		}{
			"NoChallenge":      {[]string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"},
			"PlainChallenge":   {[]string{"code_challenge_method", "plain"}, "invalid_request"},
			"TokensInFront":    {[]string{"response_type", "code id_token", "nonce", "n"}, "unsupported_response_type"},
			"AnotherAddress":   {[]string{"redirect_uri", lab.CallbackURI + "/"}, "invalid_request"},
			"AnAddressOfAnURI": {[]string{"request_uri", "https://rp.test/request"}, "invalid_request"},
		} {
			p, _ := b.push(c.change...)
			if p.StatusCode != http.StatusBadRequest || !strings.Contains(p.Text, `"`+c.code+`"`) {
				t.Errorf("%s: %s %s", name, p.Status, p.Text)
			}
		}
	})
	now := w.Now()
	t.Run("Assertions", func(t *testing.T) {
		for name, c := range map[string]struct {
			change []any
			good   bool
		}{
			"IssuerAlone":       {nil, true},
			"IssuerInAList":     {[]any{"aud", []string{w.Issuer()}}, false},
			"IssuerAndAnother":  {[]any{"aud", []string{w.Issuer(), "https://other.test"}}, false},
			"TokenEndpoint":     {[]any{"aud", w.Server.URL + lab.TokenPath}, false},
			"PushEndpoint":      {[]any{"aud", w.Server.URL + lab.PARPath}, false},
			"TenSecondsAhead":   {[]any{"iat", now.Add(10 * time.Second).Unix(), "nbf", now.Add(10 * time.Second).Unix()}, true},
			"MoreThanAMinute":   {[]any{"nbf", now.Add(65 * time.Second).Unix()}, false},
			"IssuedInTheFuture": {[]any{"iat", now.Add(65 * time.Second).Unix()}, false},
			"Expired":           {[]any{"exp", now.Add(-time.Second).Unix()}, false},
			"NoExp":             {[]any{"exp", nil}, false},
			"NoJTI":             {[]any{"jti", nil}, false},
		} {
			request := []string{"redirect_uri", lab.CallbackURI, "response_type", "code", "scope", "openid", "code_challenge", lab.S256, "code_challenge_method", "S256"}
			p, _ := b.Asserted(lab.PARPath, b.key.Sign(t, lab.With(w.Assertion("bank"), c.change...)), request...)
			if good := p.StatusCode == http.StatusCreated; good != c.good || !good && !strings.Contains(p.Text, `"invalid_client"`) {
				t.Errorf("%s: %s %s", name, p.Status, p.Text)
			}
		}
		for name, good := range map[string]bool{"RS256": false, "RS512": false, "ES384": false, "ES512": false, "foreign": false, "PS256": true, "ES256": true, "EdDSA": true} {
			other := bank{b.Prover, b.id, lab.ClientKeys()[name]}
			if p, _ := other.push(); (p.StatusCode == http.StatusCreated) != good {
				t.Errorf("%s: %s %s", name, p.Status, p.Text)
			}
		}
	})
	t.Run("TokensWithoutAProof", func(t *testing.T) {
		code := lab.Response(t, b.visit(b.push())).Get("code")
		p, _ := b.token(w.Assertion("bank"), nil, "code", code, "code_verifier", lab.Verifier)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_dpop_proof")
		if p, _ := b.exchange(code); p.StatusCode != http.StatusOK {
			t.Errorf("with a proof: %s %s", p.Status, p.Text)
		}
		p, _ = b.exchange(code)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("CodesAfterAMinute", func(t *testing.T) {
		code := lab.Response(t, b.visit(b.push())).Get("code")
		w.Advance(61 * time.Second)
		p, _ := b.exchange(code)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
}
