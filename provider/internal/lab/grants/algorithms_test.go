package grants

import (
	"context"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

var everyAlgorithm = []string{"RS256", "PS256", "ES256", "EdDSA"}

func withEveryAlgorithm(c *provider.Config) { c.Algorithms = everyAlgorithm }

// signedWith registers an application whose tokens are signed with an algorithm.
func signedWith(w *lab.Fixture, alg string) string {
	w.T.Helper()
	id := "with-" + alg
	w.OK(w.Clients().Save(w.T.Context(), provider.Client{
		ID: id, Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes:               []string{"authorization_code", "refresh_token"},
		IDTokenSignedResponseAlg: alg, UserinfoSignedResponseAlg: alg,
	}))
	return id
}

// TestSigningAlgorithmsOfApplications tests that a client that others wrote signs users in with
// each algorithm, and reads what it needs from discovery and the key set alone.
func TestSigningAlgorithmsOfApplications(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm).WithClients().WithUsers()
	b := w.NewBrowser()
	_, document := b.JSON(b.Get(lab.DiscoveryPath))
	for _, name := range []string{"id_token_signing_alg_values_supported", "userinfo_signing_alg_values_supported"} {
		if diff := cmp.Diff([]any{"RS256", "PS256", "ES256", "EdDSA"}, document[name]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	for _, alg := range everyAlgorithm {
		t.Run(alg, func(t *testing.T) {
			rp := lab.NewRelyingParty(t, w.Issuer(), signedWith(w, alg), "openid", "email")
			token, id := rp.SignIn(w.NewBrowser())
			if id.Subject != "alice" {
				t.Errorf("subject %q", id.Subject)
			}
			raw, _ := token.Extra("id_token").(string)
			if header, _ := lab.JWT(t, raw); header["alg"] != alg {
				t.Errorf("header %v", header)
			}
			info, err := rp.Provider.UserInfo(rp.Ctx, rp.TokenSource(rp.Ctx, token))
			if err != nil || info.Subject != "alice" {
				t.Errorf("userinfo %+v, %v", info, err)
			}
			// A client that pins another algorithm refuses it.
			other := everyAlgorithm[(slices.Index(everyAlgorithm, alg)+1)%len(everyAlgorithm)]
			pinned := rp.Provider.Verifier(&oidc.Config{ClientID: rp.ClientID, SupportedSigningAlgs: []string{other}})
			if _, err := pinned.Verify(rp.Ctx, raw); err == nil {
				t.Errorf("accepted as %s", other)
			}
		})
	}
	t.Run("ReadersOfRS256", func(t *testing.T) {
		rp := lab.NewRelyingParty(t, w.Issuer(), "std", "openid")
		token, _ := rp.SignIn(w.NewBrowser())
		raw, _ := token.Extra("id_token").(string)
		pinned := rp.Provider.Verifier(&oidc.Config{ClientID: rp.ClientID, SupportedSigningAlgs: []string{"RS256"}})
		if _, err := pinned.Verify(rp.Ctx, raw); err != nil {
			t.Error(err)
		}
		var set struct{ Keys []map[string]string }
		w.OK(json.Unmarshal([]byte(b.Get("/oidc/.well-known/jwks").Text), &set))
		if len(set.Keys) != 4 || set.Keys[0]["alg"] != "RS256" {
			t.Errorf("key set %v: want that of RS256 first", set.Keys)
		}
	})
}

// TestAlgorithmThatIsSwitchedOff tests that an application that is registered for one is told so,
// as the operator is, and is not served another one.
func TestAlgorithmThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm).WithClients().WithUsers()
	id := signedWith(w, "ES256")
	b := w.Alice()
	redeem := func(code string) (lab.Page, map[string]any) {
		return b.Redeem(id, "authorization_code", nil, "code", code, "redirect_uri", lab.CallbackURI)
	}
	_, before := redeem(b.AllowFor(id).Get("code"))
	code := b.AllowFor(id).Get("code")
	seen := w.Restarted().WatchActivity() // with RS256 alone
	refused := func(where string, p lab.Page, body map[string]any) {
		if p.StatusCode != http.StatusBadRequest || body["error"] != "unauthorized_client" {
			t.Errorf("%s: %s %v", where, p.Status, body)
		}
	}
	p, body := redeem(code)
	refused("code", p, body)
	p, body = b.Redeem(id, "refresh_token", nil, "refresh_token", lab.Member(t, before, "refresh_token"))
	refused("refresh", p, body)
	p, body = b.JSON(b.Bearer(lab.UserinfoPath, lab.Member(t, before, "access_token")))
	refused("userinfo", p, body)
	if told := seen.All(); len(told) != 3 || slices.ContainsFunc(told, func(a activity.Activity) bool { return a.Diagnosis != "signing_algorithm_off" }) {
		t.Errorf("told %+v", told)
	}
}

// TestResponseThatCannotBeSigned tests that a response goes nowhere when it would have to be signed
// with an algorithm that was switched off: neither a code nor an error reaches the application
// unsigned, or signed with another, whether the request begins, is pushed, or is under way.
func TestResponseThatCannotBeSigned(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm).WithClients().WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "jarm", Name: "Signed App", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, AuthorizationSignedResponseAlg: "ES256",
	}))
	b := w.Alice()
	ask := func(pairs ...string) string {
		return lab.AuthorizeURL(append([]string{"client_id", "jarm", "scope", "openid military", "response_mode", "jwt"}, pairs...)...)
	}
	consent := b.Open(ask())
	pushed := b.Pushed("client_id", "jarm", "response_mode", "jwt")
	grants := w.Count("grants")
	seen := w.Restarted().WatchActivity() // with RS256 alone
	for name, p := range map[string]lab.Page{
		"begun": b.Open(ask()), "wrong": b.Open(ask("max_age", "x")), "pushed before": b.Open(lab.PushedURL("jarm", pushed)), "under way": b.Submit(consent, "action", "allow"),
	} {
		if !strings.Contains(p.Text, "set up correctly") || lab.LinkOf(t, p, "https://rp.test/") == "" {
			t.Errorf("%s: page %s", name, p.Text)
		}
		lab.Shown(t, p, http.StatusBadRequest)
	}
	p, _ := b.Push("client_id", "jarm", "response_mode", "jwt")
	lab.Refused(t, p, http.StatusBadRequest, "unauthorized_client")
	if told := seen.All(); len(told) != 5 || slices.ContainsFunc(told, func(a activity.Activity) bool { return a.Diagnosis != "signing_algorithm_off" || a.ClientID != "jarm" }) {
		t.Errorf("told %+v", told)
	}
	if n := w.Count("grants"); n != grants {
		t.Errorf("%d grants, %d before", n, grants)
	}
	if answer := lab.Response(t, b.Submit(b.Open(ask("response_mode", "query")), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("an unsigned response: %v", answer)
	}
}

// TestLogoutTokenThatCannotBeSigned tests that the operator and the application's developers are
// told, and that the notice is sent once the algorithm is on again.
func TestLogoutTokenThatCannotBeSigned(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm, lab.AllowPrivate).WithUsers()
	party := lab.NewToldParty(t, nil)
	w.Tells(party, "told")
	c := testkit.Must(w.Clients().Get(t.Context(), "told"))(w.T)
	c.IDTokenSignedResponseAlg = "ES256"
	w.OK(w.Clients().Save(t.Context(), c))
	w.Alice().TokensOf("told")
	off := w.Twin(lab.AllowPrivate)
	seen := off.WatchActivity()
	w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- off.Run(ctx) }()
	lab.Eventually(t, func() bool { return strings.Contains(w.Log.String(), "signing_algorithm_off") })
	stop()
	w.OK(<-ended)
	if told := seen.All(); told[0].Diagnosis != "signing_algorithm_off" || told[0].ClientID != "told" || len(party.Told()) != 0 {
		t.Errorf("told %+v, sent %q", told, party.Told())
	}
	w.Advance(11 * time.Second)
	w.Runs()
	if header, _ := lab.JWT(t, party.Wait(t, 1)[0]); header["alg"] != "ES256" {
		t.Errorf("header %v", header)
	}
}

// TestBasicPlanOfEachAlgorithm has what the basic and hybrid plans of OpenID Connect ask about
// signatures, for each algorithm: the hashes of ID tokens, the key set, userinfo, refresh.
func TestBasicPlanOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t, withEveryAlgorithm)
	keys := map[any]map[string]any{}
	for _, key := range w.PublishedKeys() {
		keys[key["kid"]] = key
	}
	for _, alg := range everyAlgorithm {
		t.Run(alg, func(t *testing.T) {
			id := signedWith(w, alg)
			c := testkit.Must(w.Clients().Get(t.Context(), id))(w.T)
			c.ResponseTypes = []string{"code", "code id_token", "code id_token token"}
			w.OK(w.Clients().Save(t.Context(), c))
			isSigned := func(token, at, code string) {
				t.Helper()
				header, claims := lab.JWT(t, token)
				if key := keys[header["kid"]]; header["alg"] != alg || key["alg"] != alg || key["use"] != "sig" {
					t.Errorf("header %v of key %v", header, key)
				}
				for name, of := range map[string]string{"at_hash": at, "c_hash": code} {
					if got, _ := claims[name].(string); got != halfHash(alg, of) {
						t.Errorf("%s is %q, want %q", name, got, halfHash(alg, of))
					}
				}
			}
			answer := b.Allow("client_id", id, "scope", "openid email", "response_type", "code id_token token", "nonce", "n")
			isSigned(answer.Get("id_token"), answer.Get("access_token"), answer.Get("code"))
			p, tokens := b.Redeem(id, "authorization_code", nil, "code", answer.Get("code"), "redirect_uri", lab.CallbackURI)
			lab.Granted(t, p, tokens)
			isSigned(lab.Member(t, tokens, "id_token"), lab.Member(t, tokens, "access_token"), "")
			p, tokens = b.Redeem(id, "refresh_token", nil, "refresh_token", lab.Member(t, tokens, "refresh_token"))
			access := lab.Granted(t, p, tokens)
			isSigned(lab.Member(t, tokens, "id_token"), access, "")
			info := b.Bearer(lab.UserinfoPath, access)
			if header, claims := lab.JWT(t, info.Text); header["alg"] != alg || keys[header["kid"]]["alg"] != alg || claims["aud"] != id || claims["sub"] != "alice" ||
				claims["iss"] != w.Issuer() || !strings.HasPrefix(info.Header.Get("Content-Type"), "application/jwt") {
				t.Errorf("userinfo %v %v %s", header, claims, info.Header.Get("Content-Type"))
			}
		})
	}
}

// halfHash is at_hash and c_hash of an algorithm: by SHA-512 for Ed25519.
func halfHash(alg, value string) string {
	switch {
	case value == "":
		return ""
	case alg != "EdDSA":
		return lab.HalfHash(value)
	}
	sum := sha512.Sum512([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:32])
}

// TestHintOfEachAlgorithm tests that an ID token comes back as a hint, whatever has signed it,
// and that a forged one does not.
func TestHintOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm).WithClients().WithUsers()
	for _, alg := range everyAlgorithm {
		rp := lab.NewRelyingParty(t, w.Issuer(), signedWith(w, alg), "openid")
		b := w.NewBrowser()
		token, _ := rp.SignIn(b)
		raw, _ := token.Extra("id_token").(string)
		hinted := func(hint string) string {
			return lab.Response(t, b.Open(lab.AuthorizeURL("client_id", rp.ClientID, "scope", "openid", "prompt", "none", "id_token_hint", hint))).Get("error")
		}
		if got := hinted(raw); got != "" {
			t.Errorf("%s: %s", alg, got)
		}
		end := strings.LastIndexByte(raw, '.') + 1
		signature := testkit.Must(base64.RawURLEncoding.DecodeString(raw[end:]))(w.T)
		signature[len(signature)-1] ^= 1
		for name, forged := range map[string][]byte{"changed": signature, "short": signature[:len(signature)-1], "zero": make([]byte, len(signature)), "none": nil} {
			if got := hinted(raw[:end] + base64.RawURLEncoding.EncodeToString(forged)); got == "" {
				t.Errorf("%s: a signature that is %s is taken for good", alg, name)
			}
		}
	}
}

func TestRegisteredAlgorithms(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Algorithms = []string{"RS256", "ES256"} })
	for name, c := range map[string]struct {
		client provider.Client
		field  string
	}{
		"NotEnabled":      {provider.Client{Dialect: provider.Standard, IDTokenSignedResponseAlg: "EdDSA"}, "IDTokenSignedResponseAlg"},
		"Unsigned":        {provider.Client{Dialect: provider.Standard, IDTokenSignedResponseAlg: "none"}, "IDTokenSignedResponseAlg"},
		"Symmetric":       {provider.Client{Dialect: provider.Standard, UserinfoSignedResponseAlg: "HS256"}, "UserinfoSignedResponseAlg"},
		"Response":        {provider.Client{Dialect: provider.Standard, AuthorizationSignedResponseAlg: "PS256"}, "AuthorizationSignedResponseAlg"},
		"V3":              {provider.Client{Dialect: provider.V3, IDTokenSignedResponseAlg: "ES256"}, "IDTokenSignedResponseAlg"},
		"V3Userinfo":      {provider.Client{Dialect: provider.V3, UserinfoSignedResponseAlg: "ES256"}, "UserinfoSignedResponseAlg"},
		"Enabled":         {provider.Client{Dialect: provider.Standard, IDTokenSignedResponseAlg: "ES256", UserinfoSignedResponseAlg: "ES256", AuthorizationSignedResponseAlg: "ES256"}, ""},
		"DefaultSpelled":  {provider.Client{Dialect: provider.V3, IDTokenSignedResponseAlg: "RS256"}, ""},
		"OtherAlgorithms": {provider.Client{Dialect: provider.Standard, IDTokenSignedResponseAlg: "RS256", UserinfoSignedResponseAlg: "ES256"}, ""},
	} {
		c.client.ID, c.client.RedirectURIs = "app", []string{lab.CallbackURI}
		got, wrong := "", (*provider.FieldError)(nil)
		if errors.As(w.Rooms().Clients.Validate(c.client), &wrong) {
			got = wrong.Field
		}
		if got != c.field {
			t.Errorf("%s: wrong is %q, want %q", name, got, c.field)
		}
		if c.field != "" {
			continue
		}
		w.OK(w.Clients().Save(t.Context(), c.client))
		saved := testkit.Must(w.Clients().Get(t.Context(), "app"))(w.T)
		if saved.IDTokenSignedResponseAlg != c.client.IDTokenSignedResponseAlg || saved.UserinfoSignedResponseAlg != c.client.UserinfoSignedResponseAlg ||
			saved.AuthorizationSignedResponseAlg != c.client.AuthorizationSignedResponseAlg {
			t.Errorf("%s: saved %+v", name, saved)
		}
	}
}

// TestSigningAlgorithmOfResources tests that the API decides how a JWT for it is signed.
func TestSigningAlgorithmOfResources(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withEveryAlgorithm, func(c *provider.Config) {
		c.Resources = []provider.Resource{
			{URI: lab.ToolsURI, SigningAlgorithm: "ES256", Introspectors: []string{"jwt"}}, {URI: lab.FilesURI, SigningAlgorithm: "EdDSA"}, {URI: lab.PlainURI},
		}
	}).WithUsers()
	for _, c := range []provider.Client{{ID: "jwt", Dialect: provider.V3, AccessTokenFormat: "jwt"}, {ID: "opaque", Dialect: provider.V3}} {
		c.Secret, c.Dialect, c.RedirectURIs = lab.ClientSecret, provider.Standard, []string{lab.CallbackURI}
		c.GrantTypes = []string{"authorization_code", "refresh_token", "client_credentials"}
		w.OK(w.Clients().Save(t.Context(), c))
	}
	b := w.NewBrowser()
	for want, resources := range map[string][]string{
		"ES256": {lab.ToolsURI}, "EdDSA": {lab.FilesURI}, "RS256": {lab.PlainURI}, "RS256 for none": nil,
	} {
		_, tokens := b.Redeem("jwt", "client_credentials", resources)
		token := lab.Member(t, tokens, "access_token")
		if header, _ := lab.JWT(t, token); header["alg"] != strings.Fields(want)[0] || header["typ"] != "at+jwt" {
			t.Errorf("%s: header %v", want, header)
		}
		if want != "ES256" {
			continue
		}
		if _, answer := b.JSON(b.Client("/oauth/introspect", "jwt", "token", token)); answer["active"] != true {
			t.Errorf("introspection %v", answer)
		}
	}
	p, body := b.Redeem("jwt", "client_credentials", []string{lab.ToolsURI, lab.FilesURI})
	if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_target" {
		t.Errorf("for two algorithms: %s %v", p.Status, body)
	}
	if p, body = b.Redeem("opaque", "client_credentials", []string{lab.ToolsURI, lab.FilesURI}); p.StatusCode != http.StatusOK {
		t.Errorf("a token without signature: %s %v", p.Status, body)
	}
	// The code is not spent by a request for both.
	user := w.Alice()
	code := user.AllowFor("jwt", lab.ToolsURI, lab.FilesURI).Get("code")
	for _, c := range []struct {
		resources []string
		status    int
	}{{nil, http.StatusBadRequest}, {[]string{lab.ToolsURI}, http.StatusOK}} {
		if p, body = user.Redeem("jwt", "authorization_code", c.resources, "code", code, "redirect_uri", lab.CallbackURI); p.StatusCode != c.status {
			t.Errorf("%v: %s %v", c.resources, p.Status, body)
		}
	}
}

// TestEd25519IsAName tests that an assertion may name its algorithm as RFC 9864 does.
func TestEd25519IsAName(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	key := lab.ClientKeys()["EdDSA"]
	for alg, want := range map[string]int{"EdDSA": http.StatusOK, "Ed25519": http.StatusOK, "ed25519": http.StatusUnauthorized, "Ed448": http.StatusUnauthorized, "ES256": http.StatusUnauthorized} {
		header := testkit.Must(json.Marshal(map[string]string{"alg": alg, "kid": "ed"}))(w.T)
		claims := testkit.Must(json.Marshal(lab.With(w.Assertion("key"), "jti", alg)))(w.T)
		text := base64.RawURLEncoding.EncodeToString
		signed := text(header) + "." + text(claims)
		assertion := signed + "." + text(ed25519.Sign(key.Private.(ed25519.PrivateKey), []byte(signed)))
		if p, body := w.NewBrowser().Asserted(lab.TokenPath, assertion, "grant_type", "client_credentials"); p.StatusCode != want {
			t.Errorf("%s: %s %v", alg, p.Status, body)
		}
	}
}

// TestEd25519KeysOfApplications tests that a key of Ed25519 may name its algorithm in either way,
// in a registration and at an address, and that assertions may do so, too.
func TestEd25519KeysOfApplications(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.AllowPrivate)
	private := lab.ClientKeys()["EdDSA"].Private.(ed25519.PrivateKey)
	text := base64.RawURLEncoding.EncodeToString
	set := func(alg string) json.RawMessage {
		key := map[string]string{"kty": "OKP", "crv": "Ed25519", "x": text(private.Public().(ed25519.PublicKey)), "kid": "ed", "use": "sig"}
		if alg != "" {
			key["alg"] = alg
		}
		raw := testkit.Must(json.Marshal(map[string]any{"keys": []any{key}}))(w.T)
		return raw
	}
	at := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(set(strings.TrimPrefix(r.URL.Path, "/")))
	}))
	t.Cleanup(at.Close)
	register := func(id, only string, keys json.RawMessage, address string) error {
		return w.Clients().Save(t.Context(), provider.Client{
			ID: id, Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", TokenEndpointAuthSigningAlg: only,
			GrantTypes: []string{"client_credentials"}, JWKS: keys, JWKSURI: address,
		})
	}
	assert := func(id, alg string) lab.Page {
		header := testkit.Must(json.Marshal(map[string]string{"alg": alg, "kid": "ed"}))(w.T)
		claims := testkit.Must(json.Marshal(w.Assertion(id)))(w.T)
		signed := text(header) + "." + text(claims)
		p, _ := w.NewBrowser().Asserted(lab.TokenPath, signed+"."+text(ed25519.Sign(private, []byte(signed))), "grant_type", "client_credentials")
		return p
	}
	for _, named := range []string{"", "EdDSA", "Ed25519"} {
		w.OK(register("set-"+named, named, set(named), ""))
		w.OK(register("at-"+named, named, nil, at.URL+"/"+named))
		for _, id := range []string{"set-" + named, "at-" + named} {
			for _, alg := range []string{"EdDSA", "Ed25519"} {
				if p := assert(id, alg); p.StatusCode != http.StatusOK {
					t.Errorf("%s, asserted with %s: %s %s", id, alg, p.Status, p.Text)
				}
			}
		}
	}
	for _, alg := range []string{"ES256", "RS256", "Ed448", "ed25519"} {
		var wrong *provider.FieldError
		if err := register("wrong", "", set(alg), ""); !errors.As(err, &wrong) || wrong.Field != "JWKS" {
			t.Errorf("a key with alg %s: %v", alg, err)
		}
		w.OK(register("at-wrong", "", nil, at.URL+"/"+alg))
		lab.Refused(t, assert("at-wrong", "EdDSA"), http.StatusUnauthorized, "invalid_client") // no set that can be used
	}
}
