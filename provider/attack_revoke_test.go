package provider_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// form returns a form of names and values in turn.
func form(pairs ...string) url.Values {
	f := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		f.Add(pairs[i], pairs[i+1])
	}
	return f
}

// halfHash is what at_hash and c_hash are.
func halfHash(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	other := w.twin()
	b, elsewhere := w.alice(), other.newBrowser()
	revoke := func(pairs ...string) page {
		t.Helper()
		f := form("client_id", "std", "client_secret", clientSecret)
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return b.post(revokePath, f)
	}
	done := func(t *testing.T, p page) {
		t.Helper()
		if p.StatusCode != http.StatusOK || p.body != "" {
			t.Errorf("answered %s %s", p.Status, p.body)
		}
	}

	t.Run("OfAnAccessTokenIsInForceAtOnceAndEverywhereWithinASecond", func(t *testing.T) {
		tokens := b.standardTokens()
		access := text(t, tokens, "access_token")
		works(t, elsewhere, access, true)
		done(t, revoke("token", access))
		works(t, b, access, false)
		w.advance(time.Second)
		works(t, elsewhere, access, false)
		if p, _ := b.refresh(text(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("the refresh token: %s %s", p.Status, p.body)
		}
	})

	t.Run("OfARefreshTokenEndsAllOfItsGrant", func(t *testing.T) {
		tokens := b.standardTokens()
		done(t, revoke("token", text(t, tokens, "refresh_token"), "token_type_hint", "access_token"))
		works(t, elsewhere, text(t, tokens, "access_token"), false)
		p, _ := elsewhere.refresh(text(t, tokens, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})

	t.Run("OfWhatIsUnknownOrDoneAlreadyIsNoError", func(t *testing.T) {
		access := text(t, b.standardTokens(), "access_token")
		for _, token := range []string{"unknown", access, access, access[:len(access)-1], "bfa_" + strings.Repeat("A", 64)} {
			done(t, revoke("token", token, "token_type_hint", "nonsense"))
		}
	})

	t.Run("OfAnotherApplicationsTokenIsRefusedAndItLivesOn", func(t *testing.T) {
		tokens := b.standardTokens()
		for _, name := range []string{"access_token", "refresh_token"} {
			p := revoke("client_id", "std2", "client_secret", clientSecret+"2", "token", text(t, tokens, name))
			refused(t, p, http.StatusBadRequest, "unauthorized_client")
		}
		works(t, b, text(t, tokens, "access_token"), true)
		if p, _ := b.refresh(text(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its owner: %s %s", p.Status, p.body)
		}
	})

	t.Run("NeedsTheSecret", func(t *testing.T) {
		tokens := b.standardTokens()
		p := b.post(revokePath, form("client_id", "std", "token", text(t, tokens, "access_token")))
		refused(t, p, http.StatusUnauthorized, "invalid_client")
		works(t, b, text(t, tokens, "access_token"), true)
	})

	t.Run("ByAPublicApplicationNeedsItsName", func(t *testing.T) {
		const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
		code := b.allow(ask("client_id", "pub", "code_challenge", challenge, "code_challenge_method", "S256")...).Get("code")
		_, tokens := b.token("client_id", "pub", "client_secret", "", "code", code, "code_verifier", verifier)
		access := text(t, tokens, "access_token")
		refused(t, b.post(revokePath, form("token", access)), http.StatusUnauthorized, "invalid_client")
		works(t, b, access, true)
		done(t, b.post(revokePath, form("client_id", "pub", "token", access)))
		works(t, b, access, false)
	})

	t.Run("OfACodeDoesNothing", func(t *testing.T) {
		code := b.allow(ask()...).Get("code")
		done(t, revoke("token", code))
		if p, _ := b.token(std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the code: %s %s", p.Status, p.body)
		}
	})

	t.Run("WithoutATokenIsInvalid", func(t *testing.T) {
		refused(t, revoke(), http.StatusBadRequest, "invalid_request")
	})
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	tokens := b.standardTokens()
	inspect := func(token string, pairs ...string) (page, map[string]any) {
		f := form("client_id", "std", "client_secret", clientSecret, "token", token)
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return b.json(b.post(introspectPath, f))
	}
	if _, got := inspect(text(t, tokens, "access_token")); got["active"] != true || got["sub"] != "alice" || got["client_id"] != "std" {
		t.Errorf("own token: %v", got)
	}
	for name, got := range map[string]func() (page, map[string]any){
		"of another application": func() (page, map[string]any) {
			return inspect(text(t, tokens, "access_token"), "client_id", "std2", "client_secret", clientSecret+"2")
		},
		"unknown": func() (page, map[string]any) { return inspect("x") },
		"ID token": func() (page, map[string]any) {
			return inspect(text(t, tokens, "id_token"))
		},
	} {
		if p, body := got(); p.StatusCode != http.StatusOK || body["active"] != false || len(body) != 1 {
			t.Errorf("token %s: %s %v", name, p.Status, body)
		}
	}
	p := b.post(introspectPath, form("client_id", "pub", "token", text(t, tokens, "access_token")))
	refused(t, p, http.StatusUnauthorized, "invalid_client")
}

func TestTokenRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	code := b.allow(ask()...).Get("code")
	good := form("client_id", "std", "client_secret", clientSecret, "grant_type", "authorization_code", "redirect_uri", callbackURI, "code", code)
	const urlencoded = "application/x-www-form-urlencoded"
	with := func(pairs ...string) string {
		f := url.Values{}
		for name, values := range good {
			f[name] = values
		}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f.Encode()
	}
	many := with()
	for range 10000 {
		many += "&a"
	}
	for name, c := range map[string]struct {
		method, address, contentType, body string
		status                             int
		code                               string
	}{
		"GET":                      {"GET", tokenPath + "?" + with(), "", "", 405, "invalid_request"},
		"PUT":                      {"PUT", tokenPath, urlencoded, with(), 405, "invalid_request"},
		"JSON":                     {"POST", tokenPath, "application/json", `{"code":"` + code + `"}`, 400, "invalid_request"},
		"multipart":                {"POST", tokenPath, "multipart/form-data; boundary=x", "--x--", 400, "invalid_request"},
		"no content type":          {"POST", tokenPath, "", with(), 400, "invalid_request"},
		"gzip":                     {"POST", tokenPath, urlencoded, "\x1f\x8b\x08\x00\x00", 400, "invalid_request"},
		"all in the address":       {"POST", tokenPath + "?" + with(), urlencoded, "", 400, "invalid_request"},
		"one in the address":       {"POST", tokenPath + "?callback=x", urlencoded, with(), 400, "invalid_request"},
		"too large":                {"POST", tokenPath, urlencoded, with("x", strings.Repeat("a", 70<<10)), 413, "invalid_request"},
		"10,000 parameters":        {"POST", tokenPath, urlencoded, many, 400, "invalid_request"},
		"semicolons":               {"POST", tokenPath, urlencoded, strings.ReplaceAll(with(), "&", ";"), 400, "invalid_request"},
		"bad escape":               {"POST", tokenPath, urlencoded, with() + "&x=%zz", 400, "invalid_request"},
		"NUL":                      {"POST", tokenPath, urlencoded, with("code", code+"\x00"), 400, "invalid_request"},
		"no UTF-8":                 {"POST", tokenPath, urlencoded, with("code", "\xff\xfe"), 400, "invalid_request"},
		"a parameter twice":        {"POST", tokenPath, urlencoded, with() + "&code=" + code, 400, "invalid_request"},
		"two grants":               {"POST", tokenPath, urlencoded, with() + "&grant_type=refresh_token", 400, "invalid_request"},
		"no grant":                 {"POST", tokenPath, urlencoded, with("grant_type", ""), 400, "invalid_request"},
		"password grant":           {"POST", tokenPath, urlencoded, with("grant_type", "password"), 400, "unsupported_grant_type"},
		"client credentials grant": {"POST", tokenPath, urlencoded, with("grant_type", "client_credentials"), 400, "unauthorized_client"},
		"grant with a space":       {"POST", tokenPath, urlencoded, with("grant_type", "authorization_code "), 400, "unsupported_grant_type"},
		"both grants in one":       {"POST", tokenPath, urlencoded, with("grant_type", "authorization_code refresh_token"), 400, "unsupported_grant_type"},
		"assertion grant":          {"POST", tokenPath, urlencoded, with("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), 400, "unauthorized_client"},
		"callback in the body":     {"POST", tokenPath, urlencoded, with("callback", "steal", "code", "x"), 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			var header []string
			if c.contentType != "" {
				header = []string{"Content-Type", c.contentType}
			}
			p := b.send(c.method, c.address, c.body, header...)
			refused(t, p, c.status, c.code)
			if c.status == 405 && p.Header.Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
	if p := b.send(http.MethodHead, tokenPath, ""); p.StatusCode != http.StatusMethodNotAllowed || p.body != "" {
		t.Errorf("HEAD: %s %q", p.Status, p.body)
	}
	// None of it has spent the code.
	p, tokens := b.token(std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("the request itself: %s %s", p.Status, p.body)
	}
	want := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache", "X-Content-Type-Options": "nosniff"}
	for name, value := range want {
		if p.Header.Get(name) != value {
			t.Errorf("%s: %q", name, p.Header.Get(name))
		}
	}
	if tokens["token_type"] != "bearer" || tokens["expires_in"] != 300.0 || tokens["scope"] != "openid military" || p.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("answer: %v %v", tokens, p.Header)
	}
}

func TestAccessTokenLife(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	other := w.twin(func(c *provider.Config) {
		far := time.FixedZone("Kiritimati", 14*3600)
		c.Clock = func() time.Time { return w.now().In(far) }
	})
	b, elsewhere := w.alice(), other.newBrowser()
	token := text(t, b.standardTokens(), "access_token")
	w.advance(295 * time.Second)
	works(t, b, token, true)
	works(t, elsewhere, token, true)
	w.advance(6 * time.Second)
	works(t, b, token, false)
	works(t, elsewhere, token, false)
}
