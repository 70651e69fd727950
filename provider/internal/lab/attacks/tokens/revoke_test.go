package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestRevocation(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	other := w.Twin()
	b, elsewhere := w.Alice(), other.NewBrowser()
	revoke := func(pairs ...string) lab.Page {
		t.Helper()
		f := lab.Form("client_id", "std", "client_secret", lab.ClientSecret)
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return b.Post(lab.RevokePath, f)
	}
	done := func(t *testing.T, p lab.Page) {
		t.Helper()
		if p.StatusCode != http.StatusOK || p.Text != "" {
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	}

	t.Run("OfAnAccessTokenIsInForceAtOnceAndEverywhereWithinASecond", func(t *testing.T) {
		tokens := b.StandardTokens()
		access := lab.Member(t, tokens, "access_token")
		lab.Works(t, elsewhere, access, true)
		done(t, revoke("token", access))
		lab.Works(t, b, access, false)
		w.Advance(time.Second)
		lab.Works(t, elsewhere, access, false)
		if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("the refresh token: %s %s", p.Status, p.Text)
		}
	})

	t.Run("OfARefreshTokenEndsAllOfItsGrant", func(t *testing.T) {
		tokens := b.StandardTokens()
		done(t, revoke("token", lab.Member(t, tokens, "refresh_token"), "token_type_hint", "access_token"))
		lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), false)
		p, _ := elsewhere.Refresh(lab.Member(t, tokens, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})

	t.Run("OfWhatIsUnknownOrDoneAlreadyIsNoError", func(t *testing.T) {
		access := lab.Member(t, b.StandardTokens(), "access_token")
		for _, token := range []string{"unknown", access, access, access[:len(access)-1], "bfa_" + strings.Repeat("A", 64)} {
			done(t, revoke("token", token, "token_type_hint", "nonsense"))
		}
	})

	t.Run("OfAnotherApplicationsTokenIsRefusedAndItLivesOn", func(t *testing.T) {
		tokens := b.StandardTokens()
		for _, name := range []string{"access_token", "refresh_token"} {
			p := revoke("client_id", "std2", "client_secret", lab.ClientSecret+"2", "token", lab.Member(t, tokens, name))
			lab.Refused(t, p, http.StatusBadRequest, "unauthorized_client")
		}
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
		if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
			t.Errorf("its owner: %s %s", p.Status, p.Text)
		}
	})

	t.Run("NeedsTheSecret", func(t *testing.T) {
		tokens := b.StandardTokens()
		p := b.Post(lab.RevokePath, lab.Form("client_id", "std", "token", lab.Member(t, tokens, "access_token")))
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
	})

	t.Run("ByAPublicApplicationNeedsItsName", func(t *testing.T) {
		const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
		code := b.Allow(lab.Ask("client_id", "pub", "code_challenge", challenge, "code_challenge_method", "S256")...).Get("code")
		_, tokens := b.Token("client_id", "pub", "client_secret", "", "code", code, "code_verifier", verifier)
		access := lab.Member(t, tokens, "access_token")
		lab.Refused(t, b.Post(lab.RevokePath, lab.Form("token", access)), http.StatusUnauthorized, "invalid_client")
		lab.Works(t, b, access, true)
		done(t, b.Post(lab.RevokePath, lab.Form("client_id", "pub", "token", access)))
		lab.Works(t, b, access, false)
	})

	t.Run("OfACodeDoesNothing", func(t *testing.T) {
		code := b.Allow(lab.Ask()...).Get("code")
		done(t, revoke("token", code))
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the code: %s %s", p.Status, p.Text)
		}
	})

	t.Run("WithoutATokenIsInvalid", func(t *testing.T) {
		lab.Refused(t, revoke(), http.StatusBadRequest, "invalid_request")
	})
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	tokens := b.StandardTokens()
	inspect := func(token string, pairs ...string) (lab.Page, map[string]any) {
		f := lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", token)
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return b.JSON(b.Post(lab.IntrospectPath, f))
	}
	if _, got := inspect(lab.Member(t, tokens, "access_token")); got["active"] != true || got["sub"] != "alice" || got["client_id"] != "std" {
		t.Errorf("own token: %v", got)
	}
	for name, got := range map[string]func() (lab.Page, map[string]any){
		"of another application": func() (lab.Page, map[string]any) {
			return inspect(lab.Member(t, tokens, "access_token"), "client_id", "std2", "client_secret", lab.ClientSecret+"2")
		},
		"unknown": func() (lab.Page, map[string]any) { return inspect("x") },
		"ID token": func() (lab.Page, map[string]any) {
			return inspect(lab.Member(t, tokens, "id_token"))
		},
	} {
		if p, body := got(); p.StatusCode != http.StatusOK || body["active"] != false || len(body) != 1 {
			t.Errorf("token %s: %s %v", name, p.Status, body)
		}
	}
	p := b.Post(lab.IntrospectPath, lab.Form("client_id", "pub", "token", lab.Member(t, tokens, "access_token")))
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
}

func TestTokenRequest(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	code := b.Allow(lab.Ask()...).Get("code")
	good := lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "grant_type", "authorization_code", "redirect_uri", lab.CallbackURI, "code", code)
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
		"GET":                      {"GET", lab.TokenPath + "?" + with(), "", "", 405, "invalid_request"},
		"PUT":                      {"PUT", lab.TokenPath, urlencoded, with(), 405, "invalid_request"},
		"JSON":                     {"POST", lab.TokenPath, "application/json", `{"code":"` + code + `"}`, 400, "invalid_request"},
		"multipart":                {"POST", lab.TokenPath, "multipart/form-data; boundary=x", "--x--", 400, "invalid_request"},
		"no content type":          {"POST", lab.TokenPath, "", with(), 400, "invalid_request"},
		"gzip":                     {"POST", lab.TokenPath, urlencoded, "\x1f\x8b\x08\x00\x00", 400, "invalid_request"},
		"all in the address":       {"POST", lab.TokenPath + "?" + with(), urlencoded, "", 400, "invalid_request"},
		"one in the address":       {"POST", lab.TokenPath + "?callback=x", urlencoded, with(), 400, "invalid_request"},
		"too large":                {"POST", lab.TokenPath, urlencoded, with("x", strings.Repeat("a", 70<<10)), 413, "invalid_request"},
		"10,000 parameters":        {"POST", lab.TokenPath, urlencoded, many, 400, "invalid_request"},
		"semicolons":               {"POST", lab.TokenPath, urlencoded, strings.ReplaceAll(with(), "&", ";"), 400, "invalid_request"},
		"bad escape":               {"POST", lab.TokenPath, urlencoded, with() + "&x=%zz", 400, "invalid_request"},
		"NUL":                      {"POST", lab.TokenPath, urlencoded, with("code", code+"\x00"), 400, "invalid_request"},
		"no UTF-8":                 {"POST", lab.TokenPath, urlencoded, with("code", "\xff\xfe"), 400, "invalid_request"},
		"a parameter twice":        {"POST", lab.TokenPath, urlencoded, with() + "&code=" + code, 400, "invalid_request"},
		"two grants":               {"POST", lab.TokenPath, urlencoded, with() + "&grant_type=refresh_token", 400, "invalid_request"},
		"no grant":                 {"POST", lab.TokenPath, urlencoded, with("grant_type", ""), 400, "invalid_request"},
		"password grant":           {"POST", lab.TokenPath, urlencoded, with("grant_type", "password"), 400, "unsupported_grant_type"},
		"client credentials grant": {"POST", lab.TokenPath, urlencoded, with("grant_type", "client_credentials"), 400, "unauthorized_client"},
		"grant with a space":       {"POST", lab.TokenPath, urlencoded, with("grant_type", "authorization_code "), 400, "unsupported_grant_type"},
		"both grants in one":       {"POST", lab.TokenPath, urlencoded, with("grant_type", "authorization_code refresh_token"), 400, "unsupported_grant_type"},
		"assertion grant":          {"POST", lab.TokenPath, urlencoded, with("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), 400, "unauthorized_client"},
		"callback in the body":     {"POST", lab.TokenPath, urlencoded, with("callback", "steal", "code", "x"), 400, "invalid_grant"},
	} {
		t.Run(name, func(t *testing.T) {
			var header []string
			if c.contentType != "" {
				header = []string{"Content-Type", c.contentType}
			}
			p := b.Send(c.method, c.address, c.body, header...)
			lab.Refused(t, p, c.status, c.code)
			if c.status == 405 && p.Header.Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
	if p := b.Send(http.MethodHead, lab.TokenPath, ""); p.StatusCode != http.StatusMethodNotAllowed || p.Text != "" {
		t.Errorf("HEAD: %s %q", p.Status, p.Text)
	}
	// None of it has spent the code.
	p, tokens := b.Token(lab.Std("code", code)...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("the request itself: %s %s", p.Status, p.Text)
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
	w := lab.New(t).WithClients().WithUsers()
	other := w.Twin(func(c *provider.Config) {
		far := time.FixedZone("Kiritimati", 14*3600)
		c.Clock = func() time.Time { return w.Now().In(far) }
	})
	b, elsewhere := w.Alice(), other.NewBrowser()
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(295 * time.Second)
	lab.Works(t, b, token, true)
	lab.Works(t, elsewhere, token, true)
	w.Advance(6 * time.Second)
	lab.Works(t, b, token, false)
	lab.Works(t, elsewhere, token, false)
}
