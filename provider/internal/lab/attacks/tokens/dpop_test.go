package tokens

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// boundTokens signs alice in at the standard client, whose key the tokens are bound to.
func boundTokens(t *testing.T, p *lab.Prover, pairs ...string) map[string]any {
	t.Helper()
	answer, tokens := p.Proven(append([]string{"code", p.Allow(lab.Ask(pairs...)...).Get("code")}, pairs...)...)
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token: %s %s", answer.Status, answer.Text)
	}
	return tokens
}

// public registers a public client with refresh tokens, and returns the parameters of its token
// requests.
func public(w *lab.Fixture) []string {
	w.T.Helper()
	w.OK(w.Clients().Save(w.T.Context(), provider.Client{
		ID: "phone", Name: "Phone App", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, Origins: []string{"https://rp.test"},
	}))
	return []string{"client_id", "phone", "client_secret", ""}
}

// publicTokens signs alice in at the client of public.
func publicTokens(t *testing.T, p *lab.Prover, as []string) map[string]any {
	t.Helper()
	code := p.Allow("client_id", "phone", "scope", "openid military", "code_challenge", lab.S256, "code_challenge_method", "S256").Get("code")
	answer, tokens := p.Proven(append(as, "code", code, "code_verifier", lab.Verifier)...)
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token: %s %s", answer.Status, answer.Text)
	}
	return tokens
}

// challenges joins the challenges of an answer.
func challenges(p lab.Page) string { return strings.Join(p.Header.Values("WWW-Authenticate"), ", ") }

// TestAttackBoundTokenWithoutItsKey presents a stolen token in every way but the right one (A13,
// A14).
func TestAttackBoundTokenWithoutItsKey(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t).WithSigners()
	owner, thief := w.Alice().Prover("ES256"), w.NewBrowser().Prover("EdDSA")
	token := lab.Member(t, boundTokens(t, owner), "access_token")
	bearer := lab.Member(t, w.Alice().StandardTokens(), "access_token")
	form := func(path string) lab.Page {
		return thief.Post(path, url.Values{"access_token": {token}})
	}
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		for name, p := range map[string]lab.Page{
			"as a bearer":             thief.Bearer(path, token),
			"as a bearer, with proof": thief.Send(http.MethodGet, path, "", "Authorization", "Bearer "+token, "DPoP", thief.Proof("GET", path, "ath", lab.Ath(token))),
			"without a proof":         thief.Send(http.MethodGet, path, "", "Authorization", "DPoP "+token),
			"with a key of its own":   thief.Data(path, token),
			"without ath":             thief.DataWith(path, token, thief.Proof("GET", path)),
			"with the ath of another": owner.Data(path, token, "ath", lab.Ath(bearer)),
			"two proofs": thief.Send(http.MethodGet, path, "", "Authorization", "DPoP "+token,
				"DPoP", owner.Proof("GET", path, "ath", lab.Ath(token)), "DPoP", thief.Proof("GET", path, "ath", lab.Ath(token))),
			"a bearer token as a bound one": owner.Data(path, bearer),
			"unknown":                       owner.Data(path, "a"+token),
		} {
			if p.StatusCode != http.StatusUnauthorized || !strings.Contains(challenges(p), `algs="ES256 PS256 EdDSA Ed25519"`) {
				t.Errorf("%s at %s: %s %s %q", name, path, p.Status, p.Text, challenges(p))
			}
		}
		if p := owner.Data(path, token); p.StatusCode != http.StatusOK {
			t.Fatalf("its owner at %s: %s %s", path, p.Status, p.Text)
		}
	}
	for name, p := range map[string]lab.Page{
		"in the query": thief.Get(lab.UserinfoPath + "?access_token=" + token),
		"as JSONP":     thief.Get(lab.AttributesPath + "?callback=show&access_token=" + token),
		"in the body":  form(lab.UserinfoPath),
		"twice":        owner.Send(http.MethodGet, lab.UserinfoPath+"?access_token="+token, "", "Authorization", "DPoP "+token, "DPoP", owner.Proof("GET", lab.UserinfoPath, "ath", lab.Ath(token))),
	} {
		if strings.Contains(p.Text, "Alice") || strings.Contains(p.Text, `"sub"`) || p.StatusCode == http.StatusOK && !strings.Contains(p.Text, "invalid_token") {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
		}
	}
	// Nor does it pass for a bearer token at an API of the host's program.
	_, machine := owner.Proven("client_id", "agent", "grant_type", "client_credentials", "resource", lab.ToolsURI, "redirect_uri", "")
	if _, err := w.Rooms().Clients.Bearer(t.Context(), lab.ToolsURI, lab.Member(t, machine, "access_token")); err == nil {
		t.Error("a bound token passes for that of a bearer")
	}
}

// TestAttackProofOfAnotherRequest presents proofs of its own key that were made for something
// else (A16, A17).
func TestAttackProofOfAnotherRequest(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	p := b.Prover("ES256")
	token := lab.Member(t, boundTokens(t, p), "access_token")
	now := w.Now().Unix()
	for name, pairs := range map[string][]any{
		"method":   {"htm", "POST"},
		"address":  {"htu", p.Base + lab.TokenPath},
		"host":     {"htu", "https://evil.test" + lab.UserinfoPath},
		"alias":    {"htu", p.Base + lab.UserinfoPath + ".json"},
		"time":     {"iat", now - 62},
		"tomorrow": {"iat", now + 24*3600},
		"expired":  {"exp", now - 1},
		"nonce":    {"nonce", "AAAAAAAAAAAAAAAAAAAAAAAAAAA"},
	} {
		answer := p.Data(lab.UserinfoPath, token, pairs...)
		want := "invalid_dpop_proof"
		if name == "time" || name == "tomorrow" || name == "nonce" {
			want = "use_dpop_nonce"
		}
		lab.Refused(t, answer, http.StatusUnauthorized, want)
		if !strings.HasPrefix(challenges(answer), `DPoP error="`+want+`"`) || answer.Header.Get("DPoP-Nonce") == "" {
			t.Errorf("%s: %q, nonce %q", name, challenges(answer), answer.Header.Get("DPoP-Nonce"))
		}
	}
	if answer := p.DataWith(lab.UserinfoPath+".json", token, p.Proof("GET", lab.UserinfoPath+".json", "ath", lab.Ath(token))); answer.StatusCode != http.StatusOK {
		t.Errorf("by its other address: %s %s", answer.Status, answer.Text)
	}
	// A request whose Host is another's has the address of the metadata all the same.
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, b.Absolute(lab.UserinfoPath), nil))(t)
	r.Host = "evil.test"
	r.Header.Set("Authorization", "DPoP "+token)
	r.Header.Set("X-Forwarded-Host", "evil.test")
	r.Header.Set("DPoP", p.Proof("GET", lab.UserinfoPath, "ath", lab.Ath(token), "htu", "http://evil.test"+lab.UserinfoPath))
	lab.Refused(t, b.Do(r), http.StatusUnauthorized, "invalid_dpop_proof")

	none := lab.Unsigned(t, p.Claims("POST", lab.TokenPath), "none")
	for name, proofs := range map[string][]string{
		"two":              {p.Proof("POST", lab.TokenPath), p.Proof("POST", lab.TokenPath)},
		"none":             {none},
		"not of this type": {p.Key.Sign(t, p.Claims("POST", lab.TokenPath))},
		"long":             {p.Proof("POST", lab.TokenPath, "x", strings.Repeat("a", 5000))},
		"text":             {"proof"},
		"empty":            {""},
		"for userinfo":     {p.Proof("GET", lab.UserinfoPath)},
		"RSA of PKCS1":     {b.Prover("RS256").Proof("POST", lab.TokenPath)},
		"P-384":            {b.Prover("ES384").Proof("POST", lab.TokenPath)},
		"without jti":      {p.Proof("POST", lab.TokenPath, "jti", nil)},
		"number as jti":    {p.Proof("POST", lab.TokenPath, "jti", 7)},
	} {
		answer, _ := p.TokenWith(proofs, "code", "x")
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(answer.Text, "invalid_dpop_proof") {
			t.Errorf("%s: %s %s", name, answer.Status, answer.Text)
		}
	}
}

// TestRefusedProofSpendsNothing sends a request again whose proof was refused: code, assertion and
// refresh token are as good as before.
func TestRefusedProofSpendsNothing(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.DPoP.RequireNonce = true }).WithClients().WithUsers().WithSigners()
	p := w.Alice().Prover("PS256")
	code := p.Allow("client_id", "key", "scope", "openid military").Get("code")
	assertion := lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"))
	request := []string{"client_id", "", "client_secret", "", "code", code, "client_assertion", assertion, "client_assertion_type", lab.ByAssertion}
	answer, _ := p.Proven(request...)
	lab.Refused(t, answer, http.StatusBadRequest, "use_dpop_nonce")
	nonce := answer.Header.Get("DPoP-Nonce")
	answer, tokens := p.TokenWith([]string{p.Proof("POST", lab.TokenPath, "nonce", nonce, "iat", 1)}, request...)
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" || answer.Header.Get("DPoP-Nonce") != "" {
		t.Fatalf("with the nonce: %s %s, nonce %q", answer.Status, answer.Text, answer.Header.Get("DPoP-Nonce"))
	}
	w.Advance(24 * time.Hour)
	answer, _ = p.TokenWith([]string{p.Proof("POST", lab.TokenPath, "nonce", nonce)}, "code", "x")
	lab.Refused(t, answer, http.StatusBadRequest, "use_dpop_nonce")
	if next := answer.Header.Get("DPoP-Nonce"); next == "" || next == nonce {
		t.Errorf("after a day the nonce is %q", next)
	}
}

// TestRefreshTokenOfAPublicClientIsBound steals the refresh token of a public client (A18).
func TestRefreshTokenOfAPublicClientIsBound(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	as := public(w)
	owner := w.Alice().Prover("ES256")
	thief := w.NewBrowser().Prover("EdDSA")
	tokens := publicTokens(t, owner, as)
	refresh := func(token string) []string {
		return append(as, "grant_type", "refresh_token", "refresh_token", token, "redirect_uri", "")
	}
	for range 2 {
		token := lab.Member(t, tokens, "refresh_token")
		answer, _ := thief.TokenWith(nil, refresh(token)...)
		lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
		answer, _ = thief.Proven(refresh(token)...)
		lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
		if answer, tokens = owner.Proven(refresh(token)...); answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Fatalf("its owner: %s %s", answer.Status, answer.Text)
		}
	}
	if p := owner.Data(lab.UserinfoPath, lab.Member(t, tokens, "access_token")); p.StatusCode != http.StatusOK {
		t.Errorf("data: %s %s", p.Status, p.Text)
	}
}

// TestRepeatedRefreshNeedsTheSameKey repeats a refresh within its grace: who has the key gets
// another successor, and who has not ends the grant.
func TestRepeatedRefreshNeedsTheSameKey(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	as := public(w)
	owner := w.Alice().Prover("ES256")
	used := lab.Member(t, publicTokens(t, owner, as), "refresh_token")
	refresh := func(token string) []string {
		return append(as, "grant_type", "refresh_token", "refresh_token", token, "redirect_uri", "")
	}
	var last map[string]any
	for range 2 {
		var answer lab.Page
		if answer, last = owner.Proven(refresh(used)...); answer.StatusCode != http.StatusOK {
			t.Fatalf("its owner: %s %s", answer.Status, answer.Text)
		}
	}
	answer, _ := w.NewBrowser().Prover("EdDSA").Proven(refresh(used)...)
	lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
	answer, _ = owner.Proven(refresh(lab.Member(t, last, "refresh_token"))...)
	lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
}

// TestRefreshTokenOfAConfidentialClientIsNotBound changes the key of a client with a secret, and
// goes back to bearers.
func TestRefreshTokenOfAConfidentialClientIsNotBound(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	first, second := b.Prover("ES256"), b.Prover("EdDSA")
	tokens := boundTokens(t, first)
	refresh := []string{"grant_type", "refresh_token", "redirect_uri", "", "refresh_token"}
	answer, tokens := second.Proven(append(refresh, lab.Member(t, tokens, "refresh_token"))...)
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("with another key: %s %s", answer.Status, answer.Text)
	}
	access := lab.Member(t, tokens, "access_token")
	lab.Refused(t, first.Data(lab.UserinfoPath, access), http.StatusUnauthorized, "invalid_token")
	if p := second.Data(lab.UserinfoPath, access); p.StatusCode != http.StatusOK {
		t.Errorf("data: %s %s", p.Status, p.Text)
	}
	answer, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "bearer" {
		t.Fatalf("without a key: %s %s", answer.Status, answer.Text)
	}
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
}

// TestCodeIsBoundToItsKey steals a code whose request names a key, at the authorization endpoint
// or where it was pushed.
func TestCodeIsBoundToItsKey(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	owner, thief := b.Prover("ES256"), b.Prover("EdDSA")
	push := url.Values{"client_id": {"std"}, "client_secret": {lab.ClientSecret}, "redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"xyz"}}
	pushed := func(form url.Values, proofs ...string) string {
		answer, body := owner.JSON(owner.PostWith(lab.PARPath, form, proofs...))
		if answer.StatusCode != http.StatusCreated {
			t.Fatalf("push: %s %s", answer.Status, answer.Text)
		}
		return lab.Member(t, body, "request_uri")
	}
	allowed := func(requestURI string) string {
		p := b.Open(lab.PushedURL("std", requestURI))
		if p.StatusCode == http.StatusOK {
			p = b.Submit(p, "action", "allow")
		}
		return lab.Response(t, p).Get("code")
	}
	both := lab.Form("dpop_jkt", owner.JKT())
	for name, values := range push {
		both[name] = values
	}
	for name, code := range map[string]string{
		"parameter":        b.Allow(lab.Ask("dpop_jkt", owner.JKT())...).Get("code"),
		"pushed parameter": allowed(pushed(both)),
		"pushed proof":     allowed(pushed(push, owner.Proof("POST", lab.PARPath))),
		"both":             allowed(pushed(both, owner.Proof("POST", lab.PARPath))),
	} {
		answer, _ := thief.Proven("code", code)
		lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
		answer, _ = thief.TokenWith(nil, "code", code)
		lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
		if answer, tokens := owner.Proven("code", code); answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Errorf("%s: its owner: %s %s", name, answer.Status, answer.Text)
		}
	}
	lab.Refused(t, thief.PostWith(lab.PARPath, both, thief.Proof("POST", lab.PARPath)), http.StatusBadRequest, "invalid_dpop_proof")
	proof := owner.Proof("POST", lab.PARPath)
	pushed(push, proof)
	lab.Refused(t, owner.PostWith(lab.PARPath, push, proof), http.StatusBadRequest, "invalid_dpop_proof")
	for _, wrong := range []string{"a", owner.JKT() + "A", owner.JKT() + "=", strings.Repeat("+", 43)} {
		p := b.Get(lab.AuthorizeURL(lab.Ask("dpop_jkt", wrong)...))
		if answer := lab.Response(t, p); answer.Get("error") != "invalid_request" {
			t.Errorf("dpop_jkt=%s: %v", wrong, answer)
		}
	}
}

// TestBoundTokensSayTheirKey reads what an API is told, by introspection and in a JWT.
func TestBoundTokensSayTheirKey(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	p := w.NewBrowser().Prover("ES256")
	for _, client := range []string{"agent", "jwt"} {
		_, tokens := p.Proven("client_id", client, "grant_type", "client_credentials", "resource", lab.ToolsURI, "redirect_uri", "")
		token := lab.Member(t, tokens, "access_token")
		_, told := p.JSON(p.Post(lab.IntrospectPath, url.Values{"client_id": {"tools-api"}, "client_secret": {lab.ClientSecret}, "token": {token}}))
		if cnf, _ := told["cnf"].(map[string]any); cnf["jkt"] != p.JKT() || told["token_type"] != "DPoP" || told["active"] != true {
			t.Errorf("introspection of %s: %v", client, told)
		}
		if client == "jwt" {
			if _, claims := lab.JWT(t, token); claims["cnf"].(map[string]any)["jkt"] != p.JKT() {
				t.Errorf("claims %v", claims)
			}
		}
		_, tokens = p.TokenWith(nil, "client_id", client, "grant_type", "client_credentials", "resource", lab.ToolsURI, "redirect_uri", "")
		_, told = p.JSON(p.Post(lab.IntrospectPath, url.Values{"client_id": {"tools-api"}, "client_secret": {lab.ClientSecret}, "token": {lab.Member(t, tokens, "access_token")}}))
		if told["cnf"] != nil || told["token_type"] != "bearer" {
			t.Errorf("introspection of a bearer token: %v", told)
		}
	}
}

// TestRequiredProofCannotBeLeftOut asks for tokens of an application that has to send proofs.
func TestRequiredProofCannotBeLeftOut(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	bound := provider.Client{
		ID: "bound", Name: "Bound App", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}, DPoPBoundAccessTokens: true,
	}
	w.OK(w.Clients().Save(t.Context(), bound))
	p := w.Alice().Prover("ES256")
	code := p.Allow("client_id", "bound", "scope", "openid military").Get("code")
	for name, pairs := range map[string][]string{
		"code":               {"code", code},
		"client_credentials": {"grant_type", "client_credentials", "redirect_uri", ""},
	} {
		request := append([]string{"client_id", "bound"}, pairs...)
		answer, _ := p.TokenWith(nil, request...)
		lab.Refused(t, answer, http.StatusBadRequest, "invalid_request")
		answer, tokens := p.Proven(request...)
		if answer.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
			t.Fatalf("%s with a proof: %s %s", name, answer.Status, answer.Text)
		}
		if token, ok := tokens["refresh_token"].(string); ok {
			answer, _ = p.TokenWith(nil, "client_id", "bound", "grant_type", "refresh_token", "redirect_uri", "", "refresh_token", token)
			lab.Refused(t, answer, http.StatusBadRequest, "invalid_request")
		}
	}
	for name, change := range map[string]func(*provider.Client){
		"a token from the front":    func(c *provider.Client) { c.ResponseTypes = []string{"code", "code token"} },
		"a dialect that has it not": func(c *provider.Client) { c.Dialect = provider.V3 },
	} {
		wrong := bound
		change(&wrong)
		if err := w.Clients().Save(t.Context(), wrong); err == nil {
			t.Errorf("%s can be registered", name)
		}
	}
	// The older dialect takes no notice of a proof, whatever it is.
	answer, tokens := p.TokenWith([]string{"nonsense"}, "client_id", "v3", "code", p.Allow().Get("code"))
	if answer.StatusCode != http.StatusOK || tokens["token_type"] != "bearer" {
		t.Errorf("the older dialect: %s %s", answer.Status, answer.Text)
	}
}

// TestProofsAndScripts lets a script of a registered origin read the nonce.
func TestProofsAndScripts(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	as := public(w)
	p := w.Alice().Prover("ES256")
	origin := []string{"Origin", "https://rp.test"}
	asked := p.Send(http.MethodOptions, lab.TokenPath, "", append(origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "dpop")...)
	if asked.Header.Get("Access-Control-Allow-Headers") != "dpop" {
		t.Errorf("preflight: %v", asked.Header)
	}
	token := lab.Member(t, publicTokens(t, p, as), "access_token")
	for name, answer := range map[string]lab.Page{
		"token": p.Send(http.MethodPost, lab.TokenPath, "client_id=phone&grant_type=authorization_code&code=x", append(origin, "Content-Type", "application/x-www-form-urlencoded", "DPoP", "x")...),
		"data":  p.Send(http.MethodGet, lab.UserinfoPath, "", append(origin, "Authorization", "DPoP "+token, "DPoP", "x")...),
		"good":  p.Send(http.MethodGet, lab.UserinfoPath, "", append(origin, "Authorization", "DPoP "+token, "DPoP", p.Proof("GET", lab.UserinfoPath, "ath", lab.Ath(token)))...),
	} {
		if answer.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" || answer.Header.Get("DPoP-Nonce") == "" ||
			!strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), "DPoP-Nonce") ||
			!strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %v", name, answer.Status, answer.Header)
		}
	}
}

// TestDatabaseFailsWhereProofsAreSpent has the database fail in the moment in which it keeps a
// proof: no token is issued, and no data leaves.
func TestDatabaseFailsWhereProofsAreSpent(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	p := w.Alice().Prover("ES256")
	code := p.Allow(lab.Ask()...).Get("code")
	token := lab.Member(t, boundTokens(t, p), "access_token")
	store.BreakAfter(func(method string) error {
		if method == "UseID" {
			return storage.ErrUnavailable
		}
		return nil
	})
	answer, _ := p.Proven("code", code)
	lab.Refused(t, answer, http.StatusServiceUnavailable, "temporarily_unavailable")
	lab.Refused(t, p.Data(lab.UserinfoPath, token), http.StatusServiceUnavailable, "temporarily_unavailable")
	answer = p.PostWith(lab.PARPath, url.Values{"client_id": {"std"}, "client_secret": {lab.ClientSecret}, "redirect_uri": {lab.CallbackURI},
		"response_type": {"code"}, "scope": {"openid military"}}, p.Proof("POST", lab.PARPath))
	lab.Refused(t, answer, http.StatusServiceUnavailable, "temporarily_unavailable")
	store.BreakAfter(nil)
	if answer, _ := p.Proven("code", code); answer.StatusCode != http.StatusOK {
		t.Errorf("the code afterwards: %s %s", answer.Status, answer.Text)
	}
}

// TestAttackStrangersFillNothing sends good proofs without a token and without credentials, which
// are not kept.
func TestAttackStrangersFillNothing(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	p := w.NewBrowser().Prover("ES256")
	kept := 0
	store.BreakBefore(nil)
	store.BreakAfter(func(method string) error {
		if method == "UseID" {
			kept++
		}
		return nil
	})
	answer, _ := p.Proven("client_secret", "wrong", "code", "x")
	lab.Refused(t, answer, http.StatusUnauthorized, "invalid_client")
	answer, _ = p.Proven("code", "x")
	lab.Refused(t, answer, http.StatusBadRequest, "invalid_grant")
	lab.Refused(t, p.Data(lab.UserinfoPath, rand.Text()), http.StatusUnauthorized, "invalid_token")
	lab.Refused(t, p.PostWith(lab.PARPath, lab.Form("client_id", "std", "client_secret", "wrong"), p.Proof("POST", lab.PARPath)), http.StatusUnauthorized, "invalid_client")
	if kept != 0 {
		t.Errorf("%d proofs of strangers are kept", kept)
	}
}
