package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// objectURL is an authorization request with a request object, and what the protocol
// wants beside it; pairs override.
func objectURL(id, object string, pairs ...string) string {
	return lab.AuthorizeURL(append([]string{"client_id", id, "scope", "openid", "state", "", "request", object}, pairs...)...)
}

func TestRequestObject(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	b := w.Alice()
	for name, key := range lab.ClientKeys() {
		if name == "foreign" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			// The object is verified once, and the pages that follow need it no more.
			object := key.Sign(t, w.Object("key", "jti", "once "+name, "max_age", 3600))
			p := b.Open(objectURL("key", object))
			if p.StatusCode == http.StatusOK {
				p = b.Submit(b.Get(p.Request.URL.String()), "action", "allow")
			}
			answer := lab.Response(t, p)
			p, tokens := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", "authorization_code", "code", answer.Get("code"), "redirect_uri", lab.CallbackURI)
			lab.Granted(t, p, tokens)
			_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
			if answer.Get("state") != "inside" || claims["nonce"] != "n-1" || tokens["scope"] != "openid military" {
				t.Errorf("answer %v, tokens %v, claims %v", answer, tokens, claims)
			}
		})
	}
}

func TestOnlyWhatIsSignedCounts(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	b.Allow("client_id", "key", "scope", "openid military")
	answer := lab.Response(t, b.Open(objectURL("key", key.Sign(t, w.Object("key", "prompt", "none", "state", nil)),
		"state", "outside", "scope", "openid student", "prompt", "login", "nonce", "outside", "redirect_uri", "https://evil.test/")))
	if answer.Get("code") == "" || answer.Has("state") {
		t.Fatalf("answer %v", answer)
	}
	p, tokens := b.Asserted(lab.TokenPath, key.Sign(t, w.Assertion("key")), "grant_type", "authorization_code", "code", answer.Get("code"), "redirect_uri", lab.CallbackURI)
	lab.Granted(t, p, tokens)
	if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); claims["nonce"] != "n-1" || tokens["scope"] != "openid military" {
		t.Errorf("tokens %v, claims %v", tokens, claims)
	}
	// What is missing inside is missing.
	answer = lab.Response(t, b.Open(objectURL("key", key.Sign(t, w.Object("key", "response_type", nil)))))
	if answer.Get("error") != "invalid_request" || answer.Get("state") != "inside" {
		t.Errorf("answer %v", answer)
	}
}

func TestSignedRequestIsPushed(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["PS256"]
	push := func(object map[string]any) (lab.Page, map[string]any) {
		return b.Asserted(lab.PARPath, key.Sign(t, w.Assertion("key")), "request", key.Sign(t, object))
	}
	p, body := push(w.Object("key", "jti", "one"))
	if p.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", p.StatusCode, p.Text)
	}
	answer := lab.Response(t, b.Submit(b.Open(lab.PushedURL("key", lab.Member(t, body, "request_uri"))), "action", "allow"))
	if answer.Get("code") == "" || answer.Get("state") != "inside" {
		t.Errorf("answer %v", answer)
	}
	for _, object := range []map[string]any{
		w.Object("key", "jti", "one"), w.Object("key2"), w.Object("key", "client_id", "key2"),
		w.Object("key", "request_uri", "urn:ietf:params:oauth:request_uri:x"),
	} {
		p, _ := push(object)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request_object")
	}
}

// attackedObject is a request object that must not be believed, and what is told of it.
type attackedObject struct {
	diagnosis diagnosis.Name
	make      func(t testing.TB, w *lab.Fixture) string
}

func es256Object(pairs ...any) func(testing.TB, *lab.Fixture) string {
	return func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Object("key", pairs...))
	}
}

var attackedObjects = map[string]attackedObject{
	"Unsigned": {"request_object_unsigned", func(t testing.TB, w *lab.Fixture) string { return lab.Unsigned(t, w.Object("key"), "none") }},
	"ForeignKey": {"jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["foreign"].Sign(t, w.Object("key"))
	}},
	"PublicKeyAsSecret": {"jwt_algorithm", func(t testing.TB, w *lab.Fixture) string { return lab.WithPublicKeyAsSecret(t, w.Object("key")) }},
	"WithOwnKey":        {"jwt_signature_wrong", func(t testing.TB, w *lab.Fixture) string { return withOwnKey(t, w.Object("key")) }},
	"OtherIssuer":       {"jwt_issuer_wrong", es256Object("iss", "key2")},
	"NoIssuer":          {"jwt_issuer_wrong", es256Object("iss", nil)},
	"OtherAudience":     {"jwt_audience_wrong", es256Object("aud", "https://other.test")},
	"NoAudience":        {"jwt_audience_wrong", es256Object("aud", nil)},
	"NoExpiry":          {"jwt_incomplete", es256Object("exp", nil)},
	"NoExpiryButAnID":   {"jwt_incomplete", es256Object("exp", nil, "jti", "for ever")},
	"NotBeforeLongAgo":  {"jwt_lifetime", es256Object("nbf", 1)},
	"PaddedSignature": {"jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Object("key")) + "="
	}},
	"Expired":               {"jwt_expired", es256Object("exp", 1)},
	"ForYears":              {"jwt_lifetime", es256Object("exp", 1<<40)},
	"NotYet":                {"jwt_lifetime", es256Object("nbf", 1<<34)},
	"OtherClient":           {"request_object_differs", es256Object("client_id", "key2")},
	"OtherResponseType":     {"request_object_differs", es256Object("response_type", "id_token")},
	"ObjectInside":          {"request_object_differs", es256Object("request", "x")},
	"AddressInside":         {"request_object_differs", es256Object("request_uri", "http://169.254.169.254/")},
	"CouldPassForAssertion": {"jwt_issuer_wrong", es256Object("sub", "key")},
	"NullInside":            {"jwt_malformed", es256Object("state", json.RawMessage("null"))},
	"FractionInside":        {"jwt_malformed", es256Object("max_age", 1.5)},
	"DeepInside":            {"jwt_malformed", es256Object("scope", []any{[]any{[]any{1}}})},
	"Bomb":                  {"jwt_malformed", es256Object("a", json.RawMessage(strings.Repeat("[", 2000)+strings.Repeat("]", 2000)))},
	"TooLong":               {"jwt_malformed", es256Object("a", strings.Repeat("x", 7000))},
	"LongValue":             {"parameter_malformed", es256Object("a", strings.Repeat("x", 3000))},
	"TwoValues":             {"parameter_repeated", es256Object("scope", []string{"openid", "military"})},
	"Assertion": {"jwt_issuer_wrong", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"))
	}},
	"OtherType": {"jwt_malformed", func(t testing.TB, w *lab.Fixture) string {
		return lab.ClientKeys()["ES256"].Sign(t, w.Object("key"), "typ", "at+jwt")
	}},
	"NoJWT": {"jwt_malformed", func(testing.TB, *lab.Fixture) string { return "x" }},
}

func TestAttackRequestObject(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithSigners()
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	for name, attack := range attackedObjects {
		t.Run(name, func(t *testing.T) {
			seen := w.WatchActivity()
			p := b.Open(objectURL("key", attack.make(t, w)))
			if answer := lab.Response(t, p); answer.Get("error") == "" || answer.Has("code") || !strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI) {
				t.Errorf("answer %v", answer)
			}
			if told := seen.All(); len(told) != 1 || told[0].Diagnosis != attack.diagnosis {
				t.Errorf("told %v, want %s", told, attack.diagnosis)
			}
		})
	}
	t.Run("Replayed", func(t *testing.T) {
		address := objectURL("key", key.Sign(t, w.Object("key", "jti", "once")))
		seen := w.WatchActivity()
		b.Open(address)
		if answer := lab.Response(t, b.Open(address)); answer.Get("error") != "invalid_request_object" || answer.Get("state") != "inside" {
			t.Errorf("answer %v", answer)
		}
		if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "jwt_used" {
			t.Errorf("told %v", told)
		}
		// Nor can it be presented as something else.
		p, _ := b.Asserted(lab.TokenPath, key.Sign(t, lab.With(w.Assertion("key"), "jti", "once")), machineGrant...)
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	})
	t.Run("ReplayedWithoutID", func(t *testing.T) {
		address := objectURL("key", key.Sign(t, w.Object("key", "state", "mine")))
		if answer := lab.Response(t, b.Submit(b.Open(address), "action", "allow")); answer.Get("code") == "" {
			t.Fatalf("answer %v", answer)
		}
		seen := w.WatchActivity()
		if answer := lab.Response(t, b.Open(address)); answer.Get("error") != "invalid_request_object" {
			t.Errorf("answer %v", answer)
		}
		if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "jwt_used" {
			t.Errorf("told %v", told)
		}
		if answer := lab.Response(t, b.Open(objectURL("key", key.Sign(t, w.Object("key", "state", "next"))))); answer.Get("code") == "" {
			t.Errorf("another request: %v", answer)
		}
	})
	t.Run("RedirectURIThatNobodyHasRegistered", func(t *testing.T) {
		for _, object := range []string{
			key.Sign(t, w.Object("key", "redirect_uri", "https://evil.test/")),
			lab.Unsigned(t, w.Object("key", "redirect_uri", "https://evil.test/"), "none"),
		} {
			if p := b.Open(objectURL("key", object, "redirect_uri", "")); p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" {
				t.Errorf("%d %q", p.StatusCode, p.Header.Get("Location"))
			}
		}
	})
	t.Run("AlgorithmThatIsNotRegistered", func(t *testing.T) {
		answer := lab.Response(t, b.Open(objectURL("es256", lab.ClientKeys()["RS256"].Sign(t, w.Object("es256")))))
		if answer.Get("error") != "invalid_request_object" {
			t.Errorf("answer %v", answer)
		}
	})
	t.Run("OfAnApplicationWithoutKeys", func(t *testing.T) {
		seen := w.WatchActivity()
		answer := lab.Response(t, b.Open(objectURL("std", key.Sign(t, w.Object("std")))))
		if told := seen.All(); answer.Get("error") != "invalid_request_object" || len(told) != 1 || told[0].Diagnosis != "client_keys_missing" {
			t.Errorf("answer %v, told %v", answer, told)
		}
	})
	t.Run("Twice", func(t *testing.T) {
		object := key.Sign(t, w.Object("key"))
		if answer := lab.Response(t, b.Open(objectURL("key", object)+"&request="+object)); answer.Get("error") != "invalid_request" {
			t.Errorf("answer %v", answer)
		}
	})
}

// TestUnsignedRequestIsRefusedWhereItAsks holds that an error goes where the object says
// that answers go, by the redirect URI that is beside it.
func TestUnsignedRequestIsRefusedWhereItAsks(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	b := w.NewBrowser()
	object := lab.Unsigned(t, w.Object("key", "response_mode", "form_post", "redirect_uri", "https://evil.test/"), "none")
	p := b.Open(objectURL("key", object))
	action, fields := p.Form(t)
	if action != lab.CallbackURI || fields.Get("error") != "invalid_request_object" || fields.Get("state") != "inside" || fields.Get("iss") != w.Issuer() {
		t.Errorf("%s %v", action, fields)
	}
	object = lab.Unsigned(t, w.Object("key", "response_mode", "magic"), "none")
	if answer := lab.Response(t, b.Open(objectURL("key", object))); answer.Get("error") != "invalid_request_object" {
		t.Errorf("answer %v", answer)
	}
}

func TestApplicationThatHasToSign(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	b := w.Alice()
	seen := w.WatchActivity()
	if answer := lab.Response(t, b.Open(lab.AuthorizeURL("client_id", "signer", "scope", "openid military"))); answer.Get("error") != "invalid_request" {
		t.Errorf("answer %v", answer)
	}
	if told := seen.All(); len(told) != 1 || told[0].Diagnosis != "request_object_required" {
		t.Errorf("told %v", told)
	}
	object := lab.ClientKeys()["ES256"].Sign(t, w.Object("signer"))
	if answer := lab.Response(t, b.Submit(b.Open(objectURL("signer", object)), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
	object = lab.ClientKeys()["ES256"].Sign(t, w.Object("signer", "jti", "by POST"))
	p := b.Post("/oauth/authorize", url.Values{"client_id": {"signer"}, "request": {object}, "redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid"}})
	if answer := lab.Response(t, b.Follow(p)); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

func TestRequestObjectMayNameOthersBesideUs(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	object := lab.ClientKeys()["ES256"].Sign(t, w.Object("key", "aud", []string{"https://other.test", w.Issuer()}))
	b := w.Alice()
	if answer := lab.Response(t, b.Submit(b.Open(objectURL("key", object)), "action", "allow")); answer.Get("code") == "" {
		t.Errorf("answer %v", answer)
	}
}

// TestApplicationThatHasToPushWhatItSigns holds what FAPI 2.0 asks for.
func TestApplicationThatHasToPushWhatItSigns(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "fapi", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, TokenEndpointAuthMethod: "private_key_jwt", JWKS: lab.PublicKeys(t, "ES256"),
		RequirePushedAuthorizationRequests: true, RequireSignedRequestObject: true,
	}))
	b, key := w.NewBrowser(), lab.ClientKeys()["ES256"]
	for name, c := range map[string]struct {
		aud    any
		object []any
		status int
		code   string
	}{
		"Accepts":                        {w.Issuer(), []any{"nbf", w.Now().Unix()}, http.StatusCreated, ""},
		"RefusesTheEndpointAsAudience":   {w.Server.URL + lab.PARPath, []any{"nbf", w.Now().Unix()}, http.StatusUnauthorized, "invalid_client"},
		"RefusesAListAsAudience":         {[]string{w.Issuer()}, []any{"nbf", w.Now().Unix()}, http.StatusUnauthorized, "invalid_client"},
		"RefusesAnObjectWithoutNbf":      {w.Issuer(), nil, http.StatusBadRequest, "invalid_request_object"},
		"RefusesAnObjectWithAnOldNbf":    {w.Issuer(), []any{"nbf", w.Now().Add(-2 * time.Hour).Unix()}, http.StatusBadRequest, "invalid_request_object"},
		"RefusesAnObjectThatIsUnsigned":  {w.Issuer(), []any{"unsigned", true}, http.StatusBadRequest, "invalid_request_object"},
		"AcceptsAnObjectForOthersAsWell": {w.Issuer(), []any{"nbf", w.Now().Unix(), "aud", []string{w.Issuer(), "https://other.test"}}, http.StatusCreated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			claims := w.Object("fapi", append(c.object, "code_challenge", lab.S256, "code_challenge_method", "S256")...)
			object := key.Sign(t, claims)
			if claims["unsigned"] != nil {
				object = lab.Unsigned(t, claims, "none")
			}
			p, body := b.Asserted(lab.PARPath, key.Sign(t, lab.With(w.Assertion("fapi"), "aud", c.aud)), "request", object)
			if p.StatusCode != c.status || c.code != "" && body["error"] != c.code {
				t.Errorf("%s %s", p.Status, p.Text)
			}
		})
	}
}
