package flows

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

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
	change = append(change, func(c *provider.Config) { c.Algorithms = []string{"RS256", "ES256", "PS256"} })
	w = lab.New(t, change...).WithClients().WithUsers()
	for _, c := range []provider.Client{{ID: "bank", Dialect: provider.V3, Profile: provider.ProfileFAPI2}, {ID: "signing", Dialect: provider.V3, Profile: provider.ProfileFAPI2Signing}} {
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
	claims := b.Fixture.Object(b.id, "jti", rand.Text(), "nbf", b.Fixture.Now().Unix(), "response_mode", "jwt", "state", "xyz", "code_challenge", lab.S256, "code_challenge_method", "S256")
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

// code returns a code that alice has allowed; pairs change the request.
func (b bank) code(pairs ...string) string {
	b.T.Helper()
	return lab.Response(b.T, b.visit(b.push(pairs...))).Get("code")
}

// exchange redeems a code with a good assertion and a good proof.
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
	wrong := good
	wrong.JWKS, wrong.AccessTokenFormat = lab.PublicKeys(t, "ES384"), "jwt"
	if _, err := w.Rooms().Clients.Pinned(wrong); err == nil || !strings.Contains(err.Error(), "JWKS: has no key for PS256") || !strings.Contains(err.Error(), "AccessTokenFormat") {
		t.Errorf("pinned: %v", err)
	}
}

// TestProfileNeedsItsProvider registers an application at a provider that signs with none of the
// algorithms of its profile.
func TestProfileNeedsItsProvider(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	var told *provider.FieldError
	err := w.Clients().Save(t.Context(), provider.Client{
		ID: "b2", Profile: provider.ProfileFAPI2, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, JWKS: lab.PublicKeys(t, "ES256"),
	})
	if !errors.As(err, &told) || told.Field != "Profile" {
		t.Errorf("saved: %v", err)
	}
}
