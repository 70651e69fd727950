package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestCallback(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	address := func(path, query string) string {
		return path + "?access_token=" + token + "&" + query
	}

	t.Run("ThatIsAFunctionsNameIsCalled", func(t *testing.T) {
		for _, name := range []string{"show", "$", "_x1", "jQuery1102_1", "my.app.show", strings.Repeat("a", 64)} {
			for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
				p := b.Get(address(path, "callback="+url.QueryEscape(name)))
				if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Text, "/**/"+name+"(") || !strings.HasSuffix(p.Text, ");") {
					t.Errorf("%s: %s %s", name, p.Status, p.Text)
				}
				if p.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || p.Header.Get("X-Content-Type-Options") != "nosniff" ||
					p.Header.Get("Content-Disposition") != `attachment; filename="f.txt"` || p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: headers %v", name, p.Header)
				}
			}
		}
	})

	t.Run("ThatIsSomethingElseIsRefusedAndNotRepeated", func(t *testing.T) {
		for _, name := range []string{
			"", "alert(1)", "aa;b", "aa/*", "aa\n", "aa<script>", "aa[0]", `aa["b"]`, "größe", "аlert", "aa٣", "aa b", "1a", "a..b", ".a", "a.",
			"__proto__", "aa.__proto__.b", "eval", "Function", "setTimeout", "document.write", "opener.x.click", "window.aa", "aa.constructor",
			"top.aa", "this.aa", "aa.b.c.d.e", strings.Repeat("a", 65), "CWS\x07\x0e000hCD0Up0", "aa\u2028", "aa%00", "\x00aa",
		} {
			for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
				p := b.Get(address(path, "callback="+url.QueryEscape(name)))
				lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
				if len(name) > 1 && strings.Contains(p.Text, name) {
					t.Errorf("%q is repeated: %s", name, p.Text)
				}
			}
		}
		lab.Refused(t, b.Get(address(lab.AttributesPath, "callback=show&callback=show")), http.StatusBadRequest, "invalid_request")
	})

	t.Run("OfAnErrorRunsAndHasNoData", func(t *testing.T) {
		for query, want := range map[string]string{
			"callback=show":                                 `/**/show({"error":"invalid_request","error_description":"An access token is needed."});`,
			"callback=show&access_token=xx":                 `/**/show({"error":"invalid_token","error_description":"The access token is unknown, expired or revoked."});`,
			"callback=show&access_token=xx&access_token=xx": `/**/show({"error":"invalid_request","error_description":"The access token is given more than once."});`,
		} {
			p := b.Get(lab.AttributesPath + "?" + query)
			if p.StatusCode != http.StatusOK || p.Text != want || p.Header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
				p.Header.Get("X-Content-Type-Options") != "nosniff" || p.Header.Get("Content-Disposition") != `attachment; filename="f.txt"` ||
				p.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %s %v %s", query, p.Status, p.Header, p.Text)
			}
		}
	})

	t.Run("BesideAMalformedPairIsRefused", func(t *testing.T) {
		for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
			for _, query := range []string{
				"callback=show;", "callback=%zz", "callback=show&x=%", "a;b=c&callback=show", "x=%zz",
			} {
				lab.Refused(t, b.Get(address(path, query)), http.StatusBadRequest, "invalid_request")
			}
			lab.Refused(t, b.Get(path+"?callback=show&access_token="+token+";&access_token="+token), http.StatusBadRequest, "invalid_request")
		}
	})

	t.Run("IsForTheOlderInterfaceOnly", func(t *testing.T) {
		standard := lab.Member(t, b.StandardTokens(), "access_token")
		lab.Refused(t, b.Bearer(lab.UserinfoPath+"?callback=show", standard), http.StatusBadRequest, "invalid_request")
	})

	t.Run("IsForGETOnly", func(t *testing.T) {
		p := b.Send(http.MethodPost, lab.UserinfoPath+"?callback=show", "", "Authorization", "Bearer "+token)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	})

	t.Run("ElsewhereIsIgnoredOrRefused", func(t *testing.T) {
		for _, path := range []string{lab.DiscoveryPath, lab.KeysPath, "/signin", "/account", "/signout", "/oauth/authorize", lab.TokenPath, lab.RevokePath, "/widget/v1.js"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				p := b.Send(method, path+"?callback=stealthily", "", "Content-Type", "application/x-www-form-urlencoded")
				if strings.Contains(p.Text, "stealthily(") {
					t.Errorf("%s %s answers with a script: %s", method, path, p.Text)
				}
			}
		}
	})

	t.Run("ExpiredTokenGetsNoData", func(t *testing.T) {
		w.Advance(301 * time.Second)
		if p := b.Get(address(lab.AttributesPath, "callback=show")); p.StatusCode != http.StatusOK ||
			!strings.HasPrefix(p.Text, `/**/show({"error":"invalid_token"`) || strings.Contains(p.Text, token) {
			t.Errorf("%s %s", p.Status, p.Text)
		}
	})
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	registered := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token") // of https://rp.test
	unregistered := lab.Member(t, b.StandardTokens(), "access_token")
	allowed := func(p lab.Page) string {
		t.Helper()
		credentials, registered := p.Header.Get("Access-Control-Allow-Credentials"), p.Header.Get("Access-Control-Allow-Origin") == "https://rp.test"
		if credentials != "" && !(registered && p.Request.Method == http.MethodPost && p.Request.URL.Path == lab.TokenPath) {
			t.Errorf("%s %s lets credentials in", p.Request.Method, p.Request.URL)
		}
		return p.Header.Get("Access-Control-Allow-Origin")
	}
	strangers := []string{
		"null", "https://evil.test", "https://rp.test.evil.test", "https://evilrp.test", "https://a.rp.test", "http://rp.test",
		"https://rp.test:8443", "https://rp.test:443", "https://RP.test", "https://rp.test/", "https://rp.test@evil.test", "*", "file://",
	}

	t.Run("ScriptsOfRegisteredOriginsReadData", func(t *testing.T) {
		for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
			p := b.Send(http.MethodGet, path, "", "Authorization", "Bearer "+registered, "Origin", "https://rp.test")
			if allowed(p) != "https://rp.test" || p.Header.Get("Vary") != "Origin" {
				t.Errorf("%s: %v", path, p.Header)
			}
			if p := b.Bearer(path, registered); p.Header.Get("Vary") != "Origin" {
				t.Errorf("%s without an origin: %v", path, p.Header)
			}
		}
	})

	t.Run("ScriptsOfOthersDoNot", func(t *testing.T) {
		for _, origin := range strangers {
			for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
				if got := allowed(b.Send(http.MethodGet, path, "", "Authorization", "Bearer "+registered, "Origin", origin)); got != "" {
					t.Errorf("%s is allowed as %q", origin, got)
				}
			}
		}
		for _, origin := range []string{"https://rp.test", "https://evil.test"} {
			if got := allowed(b.Send(http.MethodGet, lab.UserinfoPath, "", "Authorization", "Bearer "+unregistered, "Origin", origin)); got != "" {
				t.Errorf("an application that has registered no origin allows %q", got)
			}
		}
	})

	t.Run("ScriptsOfRegisteredOriginsReachTheTokenEndpoint", func(t *testing.T) {
		ask := func(client, origin string) string {
			body := lab.Form("client_id", client, "client_secret", lab.ClientSecret, "grant_type", "authorization_code", "code", "x", "redirect_uri", lab.CallbackURI).Encode()
			return allowed(b.Send(http.MethodPost, lab.TokenPath, body, "Content-Type", "application/x-www-form-urlencoded", "Origin", origin))
		}
		if got := ask("v3", "https://rp.test"); got != "https://rp.test" {
			t.Errorf("registered: %q", got)
		}
		body := lab.Form("client_id", "v3", "client_secret", lab.ClientSecret, "grant_type", "authorization_code", "code", "x", "redirect_uri", lab.CallbackURI).Encode()
		p := b.Send(http.MethodPost, lab.TokenPath, body, "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://rp.test")
		if p.Header.Get("Access-Control-Allow-Credentials") != "true" {
			t.Error("a script that sends cookies along cannot read the answer")
		}
		if got := ask("std", "https://rp.test"); got != "" {
			t.Errorf("registered by another application: %q", got)
		}
		for _, origin := range strangers {
			if got := ask("v3", origin); got != "" {
				t.Errorf("%s is allowed as %q", origin, got)
			}
		}
	})

	t.Run("PreflightAllowsTheHeader", func(t *testing.T) {
		for _, path := range []string{lab.TokenPath, lab.UserinfoPath, lab.AttributesPath} {
			for _, headers := range []string{"authorization", "authorization,x-vendor-sdk,x-request_id"} {
				p := b.Send(http.MethodOptions, path, "", "Origin", "https://rp.test", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", headers)
				if allowed(p) != "https://rp.test" || p.Header.Get("Access-Control-Allow-Headers") != headers || p.Header.Get("Vary") != "Origin" {
					t.Errorf("%s, %s: %v", path, headers, p.Header)
				}
			}
			for _, headers := range []string{"*", "x:y", "<script>", strings.Repeat("x-a,", 300)} {
				p := b.Send(http.MethodOptions, path, "", "Origin", "https://rp.test", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", headers)
				if p.Header.Get("Access-Control-Allow-Headers") != "" {
					t.Errorf("%s repeats %.20s", path, headers)
				}
			}
			if got := allowed(b.Send(http.MethodOptions, path, "", "Origin", "null")); got != "" {
				t.Errorf("%s: null is allowed as %q", path, got)
			}
		}
	})

	t.Run("ScreensAreForNobody", func(t *testing.T) {
		for _, path := range []string{"/signin", "/account", "/account/apps", "/oauth/consent", "/oauth/authorize", "/signout", lab.IntrospectPath} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
				if got := allowed(b.Send(method, path, "", "Origin", "https://rp.test")); got != "" {
					t.Errorf("%s %s allows %q", method, path, got)
				}
			}
		}
	})

	t.Run("PublicDocumentsAreForAll", func(t *testing.T) {
		for _, path := range []string{lab.DiscoveryPath, lab.KeysPath} {
			if got := allowed(b.Send(http.MethodGet, path, "", "Origin", "https://evil.test")); got != "*" {
				t.Errorf("%s allows %q", path, got)
			}
		}
	})

	t.Run("AnExpiredTokenIsToldToTheScript", func(t *testing.T) {
		w.Advance(301 * time.Second)
		p := b.Send(http.MethodGet, lab.AttributesPath, "", "Authorization", "Bearer "+registered, "Origin", "https://rp.test")
		lab.Refused(t, p, http.StatusUnauthorized, "invalid_token")
		if allowed(p) != "https://rp.test" {
			t.Errorf("the script cannot see that its token has expired: %v", p.Header)
		}
	})
}

func TestRegistrationWithoutWhatOnlyV3Has(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	for _, c := range []provider.Client{
		{ID: "careful", Dialect: provider.V3, NoQueryToken: true},
		{ID: "modern", Dialect: provider.V3, NoJSONP: true},
	} {
		c.Secret, c.RedirectURIs = lab.ClientSecret, []string{lab.CallbackURI}
		testkit.OK(t, w.Clients().Save(t.Context(), c))
	}
	b := w.Alice()
	tokenOf := func(client string) string {
		_, tokens := b.Token("client_id", client, "code", b.Allow("client_id", client).Get("code"))
		return lab.Member(t, tokens, "access_token")
	}
	careful, modern := tokenOf("careful"), tokenOf("modern")

	t.Run("RefusesTokensInTheQuery", func(t *testing.T) {
		lab.Refused(t, b.Get(lab.AttributesPath+"?access_token="+careful), http.StatusBadRequest, "invalid_request")
		p := b.Get(lab.AttributesPath + "?callback=show&access_token=" + careful)
		if !strings.HasPrefix(p.Text, `/**/show({"error":"invalid_request"`) || strings.Contains(p.Text, "attributes") {
			t.Errorf("answered %s", p.Text)
		}
		if p := b.Bearer(lab.AttributesPath, careful); p.StatusCode != http.StatusOK {
			t.Errorf("in the header: %s", p.Status)
		}
	})
	t.Run("RefusesCallbacks", func(t *testing.T) {
		lab.Refused(t, b.Get(lab.AttributesPath+"?callback=show&access_token="+modern), http.StatusBadRequest, "invalid_request")
		lab.Refused(t, b.Bearer(lab.AttributesPath+"?callback=show", modern), http.StatusBadRequest, "invalid_request")
		if p := b.Get(lab.AttributesPath + "?access_token=" + modern); p.StatusCode != http.StatusOK {
			t.Errorf("without a callback: %s", p.Status)
		}
	})
	t.Run("MayGetThemBack", func(t *testing.T) {
		testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{ID: "modern", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}}))
		w.Advance(2 * time.Second)
		if p := b.Get(lab.AttributesPath + "?callback=show&access_token=" + modern); !strings.HasPrefix(p.Text, `/**/show({"attributes"`) {
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	})
}
