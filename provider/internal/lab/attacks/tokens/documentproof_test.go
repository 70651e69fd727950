package tokens

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// tokenRequest are the parameters of a token request of a client with a document.
func (d *documents) tokenRequest(pairs ...string) []string {
	return append([]string{"client_id", d.id(), "client_secret", "", "redirect_uri", ""}, pairs...)
}

// exchangeOf are those that exchange a code.
func (d *documents) exchangeOf(code string) []string {
	return d.tokenRequest("code", code, "redirect_uri", callback, "code_verifier", verifier)
}

// allowed is the code of a request that alice allows, or has allowed.
func allowed(t *testing.T, b *lab.Browser, request string) string {
	t.Helper()
	p := b.Open(request)
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	return lab.Response(t, p).Get("code")
}

// TestDocumentWithProof binds what a public client with a document gets to a key: its code, its
// access tokens and its refresh tokens. Who steals one has nothing.
func TestDocumentWithProof(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	owner, thief := w.Alice().Prover("ES256"), w.NewBrowser().Prover("EdDSA")
	refused := func(who *lab.Prover, pairs []string) {
		t.Helper()
		p, _ := who.TokenWith(nil, pairs...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		p, _ = who.Proven(pairs...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	}
	request := d.exchangeOf(allowed(t, owner.Browser, d.ask("dpop_jkt", owner.JKT())))
	refused(thief, request)
	p, tokens := owner.Proven(request...)
	if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	for range 2 { // the first, and one that a refresh has brought
		access := lab.Member(t, tokens, "access_token")
		lab.Refused(t, thief.Bearer(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
		lab.Refused(t, thief.Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
		if p := owner.Data(lab.UserinfoPath, access); p.StatusCode != http.StatusOK {
			t.Errorf("data: %s %s", p.Status, p.Text)
		}
		refresh := d.tokenRequest("grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"))
		refused(thief, refresh)
		if p, tokens = owner.Proven(refresh...); p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Fatalf("refresh: %s %s", p.Status, p.Text)
		}
	}
}

// TestDocumentThatDemandsProofs has a document with dpop_bound_access_tokens: no bearer gets a token
// in the client's name, and what was refused spends nothing.
func TestDocumentThatDemandsProofs(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.Alice()
	p, before := d.redeem(b, allowed(t, b, d.ask()), callback)
	lab.Granted(t, p, before)
	d.set("dpop_bound_access_tokens", true)
	w.Advance(6 * time.Minute)
	prover := b.Prover("PS256")
	code := allowed(t, b, d.ask())
	w.Advance(2 * time.Second)
	for _, request := range [][]string{
		d.exchangeOf(code),
		d.tokenRequest("grant_type", "refresh_token", "refresh_token", lab.Member(t, before, "refresh_token")),
	} {
		p, _ := prover.TokenWith(nil, request...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
		if p, tokens := prover.Proven(request...); p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Errorf("with a proof: %s %s", p.Status, p.Text)
		}
	}
}

// TestDocumentPushesWithProof pushes requests with a proof: those of a client with a key from the
// first on, those of a public one once a user has allowed it something. The proof binds the code.
func TestDocumentPushesWithProof(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	key := lab.ClientKeys()["EdDSA"]
	d.set("token_endpoint_auth_method", "private_key_jwt", "token_endpoint_auth_signing_alg", "Ed25519", "jwks", lab.PublicKeys(t, "EdDSA"))
	owner, thief := w.Alice().Prover("ES256"), w.NewBrowser().Prover("PS256")
	signed := func(request []string) []string {
		return append(request, "client_assertion_type", lab.ByAssertion, "client_assertion", key.Sign(t, w.Assertion(d.id())))
	}
	push := func(proof string, more ...string) (lab.Page, map[string]any) {
		form := lab.Form(append([]string{"client_id", d.id(), "redirect_uri", callback, "response_type", "code", "scope", "openid offline_access",
			"nonce", "n", "code_challenge", s256, "code_challenge_method", "S256"}, more...)...)
		return owner.JSON(owner.PostWith(lab.PARPath, form, proof))
	}
	proof := owner.Proof(http.MethodPost, lab.PARPath)
	p, pushed := push(proof, signed(nil)...)
	if p.StatusCode != http.StatusCreated {
		t.Fatalf("push: %s %s", p.Status, p.Text)
	}
	p, _ = push(proof, signed(nil)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_dpop_proof") // a second time
	request := d.exchangeOf(allowed(t, owner.Browser, lab.PushedURL(d.id(), lab.Member(t, pushed, "request_uri"))))
	p, _ = thief.Proven(signed(request)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, _ = thief.TokenWith(nil, signed(request)...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	if p, tokens := owner.Proven(signed(request)...); p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}

	d.set() // without a key
	w.Advance(6 * time.Minute)
	allowed(t, owner.Browser, d.ask("prompt", "consent"))
	w.Advance(2 * time.Second)
	if p, pushed = push(owner.Proof(http.MethodPost, lab.PARPath)); p.StatusCode != http.StatusCreated {
		t.Fatalf("push without a key: %s %s", p.Status, p.Text)
	}
	request = d.exchangeOf(allowed(t, owner.Browser, lab.PushedURL(d.id(), lab.Member(t, pushed, "request_uri"))))
	p, _ = thief.Proven(request...)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, tokens := owner.Proven(request...)
	if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token without a key: %s %s", p.Status, p.Text)
	}
}

// TestAlgorithmsOfDocuments has documents that name with what the provider signs for them. One
// that the provider lacks is refused, not served with another.
func TestAlgorithmsOfDocuments(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withDocuments(), func(c *provider.Config) { c.Algorithms = []string{"RS256", "ES256"} }).WithClients().WithUsers()
	d := newDocuments(t)
	b := w.Alice()
	d.set("id_token_signed_response_alg", "ES256", "userinfo_signed_response_alg", "ES256", "authorization_signed_response_alg", "ES256")
	answer := b.Submit(b.Open(d.ask("response_mode", "query.jwt")), "action", "allow")
	response := lab.Response(t, answer).Get("response")
	header, claims := lab.JWT(t, response)
	code, _ := claims["code"].(string)
	p, tokens := d.redeem(b, code, callback)
	lab.Granted(t, p, tokens)
	idToken, _ := lab.JWT(t, lab.Member(t, tokens, "id_token"))
	userinfo, _ := lab.JWT(t, b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")).Text)
	for name, header := range map[string]map[string]any{"response": header, "ID token": idToken, "userinfo": userinfo} {
		if header["alg"] != "ES256" {
			t.Errorf("%s: header %v", name, header)
		}
	}
	for _, member := range []string{"id_token_signed_response_alg", "userinfo_signed_response_alg", "authorization_signed_response_alg"} {
		d.set(member, "PS256")
		if p := b.Get(d.ask("client_id", d.URL+"/"+url.PathEscape(member))); p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s of PS256: %s", member, p.Status)
		}
	}
}

// TestDemandsOfDocuments asks in the name of clients whose documents demand pushed or signed
// requests, without: nobody who knows the address of a document may.
func TestDemandsOfDocuments(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	key, b := lab.ClientKeys()["ES256"], w.Alice()
	withKey := []any{"token_endpoint_auth_method", "private_key_jwt", "jwks", lab.PublicKeys(t, "ES256")}
	refused := func(name, request string) {
		t.Helper()
		if got := lab.Response(t, b.Open(request)).Get("error"); got != "invalid_request" {
			t.Errorf("%s: %q", name, got)
		}
	}
	assert := func(pairs ...string) []string {
		return append(pairs, "client_assertion_type", lab.ByAssertion, "client_assertion", key.Sign(t, w.Assertion(d.id())))
	}
	redeem := func(code string) {
		t.Helper()
		p, tokens := b.Token(assert(d.exchangeOf(code)...)...)
		lab.Granted(t, p, tokens)
	}

	d.set(append(withKey, "require_pushed_authorization_requests", true)...)
	refused("not pushed", d.ask())
	uri := b.Pushed(assert("client_id", d.id(), "client_secret", "", "redirect_uri", callback, "scope", "openid", "code_challenge", s256, "code_challenge_method", "S256")...)
	redeem(allowed(t, b, lab.PushedURL(d.id(), uri)))

	d.set(append(withKey, "require_signed_request_object", true, "request_object_signing_alg", "ES256")...)
	w.Advance(6 * time.Minute)
	refused("not signed", d.ask())
	object := w.Object(d.id(), "redirect_uri", callback, "scope", "openid", "code_challenge", s256, "code_challenge_method", "S256")
	signed := "/oauth/authorize?client_id=" + url.QueryEscape(d.id()) + "&request="
	page := b.Open(signed + lab.ClientKeys()["EdDSA"].Sign(t, object))
	if page.Header.Get("Location") != "" && lab.Response(t, page).Get("code") != "" {
		t.Error("a request object of another key is accepted")
	}
	redeem(allowed(t, b, signed+key.Sign(t, object)))
}
