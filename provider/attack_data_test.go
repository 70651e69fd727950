package provider_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
)

func TestPresentedToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	v3 := text(t, b.v3Tokens("scope", "openid military"), "access_token")
	standard := text(t, b.standardTokens(), "access_token")
	const urlencoded = "application/x-www-form-urlencoded"
	in := func(token string) string { return userinfoPath + "?access_token=" + token }
	for name, c := range map[string]struct {
		method, address, body string
		header                []string
		status                int
		code                  string
	}{
		"header":                     {"GET", userinfoPath, "", []string{"Authorization", "Bearer " + v3}, 200, ""},
		"header in lower case":       {"GET", userinfoPath, "", []string{"Authorization", "bearer " + v3}, 200, ""},
		"header in capitals":         {"GET", userinfoPath, "", []string{"Authorization", "BEARER " + v3}, 200, ""},
		"query":                      {"GET", in(v3), "", nil, 200, ""},
		"query of a standard client": {"GET", in(standard), "", nil, 400, "invalid_request"},
		"form":                       {"POST", userinfoPath, "access_token=" + standard, []string{"Content-Type", urlencoded}, 200, ""},
		"POST with the header":       {"POST", userinfoPath, "", []string{"Authorization", "Bearer " + standard}, 200, ""},
		"none":                       {"GET", userinfoPath, "", nil, 401, "invalid_request"},
		"header and query":           {"GET", in(v3), "", []string{"Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"header and form":            {"POST", userinfoPath, "access_token=" + v3, []string{"Authorization", "Bearer " + v3, "Content-Type", urlencoded}, 400, "invalid_request"},
		"query and form":             {"POST", in(v3), "access_token=" + v3, []string{"Content-Type", urlencoded}, 400, "invalid_request"},
		"query and half a pair":      {"GET", in(v3) + "&x=%z", "", nil, 400, "invalid_request"},
		"query with a semicolon":     {"GET", in(v3) + ";&access_token=" + standard, "", nil, 400, "invalid_request"},
		"header and half a pair":     {"GET", userinfoPath + "?%", "", []string{"Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"query twice":                {"GET", in(v3) + "&access_token=" + v3, "", nil, 400, "invalid_request"},
		"header twice":               {"GET", userinfoPath, "", []string{"Authorization", "Bearer " + v3, "Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"two spaces":                 {"GET", userinfoPath, "", []string{"Authorization", "Bearer  " + v3}, 400, "invalid_request"},
		"two tokens":                 {"GET", userinfoPath, "", []string{"Authorization", "Bearer a b"}, 400, "invalid_request"},
		"list of tokens":             {"GET", userinfoPath, "", []string{"Authorization", "Bearer " + v3 + ",x"}, 400, "invalid_request"},
		"empty header":               {"GET", userinfoPath, "", []string{"Authorization", "Bearer "}, 400, "invalid_request"},
		"another scheme":             {"GET", userinfoPath, "", []string{"Authorization", "Basic " + v3}, 400, "invalid_request"},
		"empty query":                {"GET", in(""), "", nil, 401, "invalid_token"},
		"unknown":                    {"GET", userinfoPath, "", []string{"Authorization", "Bearer x"}, 401, "invalid_token"},
		"JSON body":                  {"POST", userinfoPath, `{"access_token":"` + v3 + `"}`, []string{"Content-Type", "application/json"}, 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.send(c.method, c.address, c.body, c.header...)
			if c.status == http.StatusOK {
				if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("answered %s %v %s", p.Status, p.Header, p.body)
				}
				return
			}
			refused(t, p, c.status, c.code)
			challenge := p.Header.Get("WWW-Authenticate")
			if name == "none" && challenge != "Bearer" || c.status == 401 && !strings.HasPrefix(challenge, "Bearer") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if strings.Contains(p.body, v3) || strings.Contains(p.body, standard) {
				t.Error("the answer repeats the token")
			}
		})
	}
}

func TestTokenOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	tokens := b.standardTokens()
	code := b.allow(ask()...).Get("code")
	stranger := newFixture(t).withClients().withUsers()
	for name, token := range map[string]string{
		"ID token": text(t, tokens, "id_token"), "refresh token": text(t, tokens, "refresh_token"), "code": code,
		"of another provider": text(t, stranger.alice().standardTokens(), "access_token"),
	} {
		for _, path := range []string{userinfoPath, attributesPath} {
			p := b.bearer(path, token)
			if p.StatusCode != http.StatusUnauthorized || !strings.Contains(p.body, "invalid_token") {
				t.Errorf("%s at %s: %s %s", name, path, p.Status, p.body)
			}
		}
	}
	for _, name := range []string{"access_token", "id_token"} {
		p, _ := b.refresh(text(t, tokens, name))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	}
	if p, _ := b.token(std("code", code)...); p.StatusCode != http.StatusOK {
		t.Errorf("the code was harmed: %s %s", p.Status, p.body)
	}
}

func TestScopeDoesNotCover(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	_, plain := b.token(std("code", b.allow(ask("scope", "military")...).Get("code"))...)
	p := b.bearer(userinfoPath, text(t, plain, "access_token"))
	refused(t, p, http.StatusForbidden, "insufficient_scope")
	if !strings.Contains(p.Header.Get("WWW-Authenticate"), "insufficient_scope") {
		t.Errorf("WWW-Authenticate: %q", p.Header.Get("WWW-Authenticate"))
	}
	_, only := b.token(std("code", b.allow(ask("scope", "openid")...).Get("code"))...)
	refused(t, b.bearer(attributesPath, text(t, only, "access_token")), http.StatusForbidden, "insufficient_scope")
}

func TestStatusRevokedAfterConsentIsGoneFromTheNextAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	token := text(t, b.v3Tokens(), "access_token")
	if !strings.Contains(b.bearer(attributesPath, token).body, "Veteran") {
		t.Fatal("the status is not released")
	}
	if err := w.DeleteStatus(t.Context(), "alice", "military"); err != nil {
		t.Fatal(err)
	}
	if p := b.bearer(attributesPath, token); strings.Contains(p.body, "Veteran") || !strings.Contains(p.body, `"verified":false`) {
		t.Errorf("after it was revoked: %s", p.body)
	}
	if err := w.SetAccountDisabled(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	works(t, b, token, false)
}

// Each scope alone releases what the catalogue says and nothing else, and consent
// screen, ID token, userinfo and attributes say the same.
func TestScopeReleasesExactlyItsClaims(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	for _, scope := range provider.DefaultScopes() {
		t.Run(scope.Name, func(t *testing.T) {
			_, tokens := b.token(std("code", b.allow(ask("scope", "openid "+scope.Name, "eid", "order-7")...).Get("code"))...)
			_, id := jwt(t, text(t, tokens, "id_token"))
			_, info := b.json(b.bearer(userinfoPath, text(t, tokens, "access_token")))
			_, answer := b.json(b.bearer(attributesPath, text(t, tokens, "access_token")))
			if info["sub"] != id["sub"] || info["sub"] != "alice" {
				t.Errorf("sub %v and %v", info["sub"], id["sub"])
			}
			for _, name := range []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "sid", "at_hash", "nonce"} {
				delete(id, name)
			}
			delete(info, "sub")
			if diff := cmp.Diff(id, info); diff != "" {
				t.Errorf("ID token and userinfo differ (-id +userinfo):\n%s", diff)
			}
			if !slices.Contains(scope.Attributes, "email_verified") {
				delete(info, "email_verified")
			}
			flat := map[string]any{}
			for _, a := range answer["attributes"].([]any) {
				attribute := a.(map[string]any)
				flat[attribute["handle"].(string)] = attribute["value"]
			}
			if status := answer["status"].([]any); len(status) > 0 {
				flat["status"] = status
			}
			if diff := cmp.Diff(info, flat); diff != "" {
				t.Errorf("userinfo and attributes differ (-userinfo +attributes):\n%s", diff)
			}
			allowed := append(slices.Clone(scope.Attributes), "eid", "status")
			for handle := range maps.Keys(flat) {
				if !slices.Contains(allowed, handle) {
					t.Errorf("%s is not of the scope", handle)
				}
			}
			for _, s := range answer["status"].([]any) {
				if group := s.(map[string]any)["group"].(string); !slices.Contains(scope.Groups, group) {
					t.Errorf("group %s is not of the scope", group)
				}
			}
		})
	}
}

func TestAttributesOfSomebodyElseCannotBeAskedFor(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	token := text(t, b.v3Tokens(), "access_token")
	own := b.bearer(attributesPath, token).body
	long := strings.Repeat("&attributes=x", 1000)
	for _, query := range []string{
		"user=bob", "user_id=bob", "sub=bob", "sub[]=bob", "uuid=bob", "scope=identity+student", "attributes=*",
		"attributes=email,birthdate", "fields=email", "handle=a'+OR+1=1--", "handle=a.b", "path=$..*", long[1:],
	} {
		p := b.bearer(attributesPath+"?"+query, token)
		if p.StatusCode != http.StatusOK || p.body != own {
			t.Errorf("%.40s: %s %s", query, p.Status, p.body)
		}
	}
	for _, path := range []string{"/bob", "/../bob", ".css", "/x.css", "%2fx.css", ";x.css", "%0a"} {
		p := b.bearer("/api/public/v3/attributes.json"+path, token)
		if p.StatusCode != http.StatusNotFound || p.Header.Get("Cache-Control") != "no-store" || strings.Contains(p.body, "Veteran") {
			t.Errorf("path %q: %s %v", path, p.Status, p.Header)
		}
	}
}

func TestDataIsNeverShared(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	token := text(t, b.v3Tokens("scope", "openid military"), "access_token")
	for _, path := range []string{userinfoPath, attributesPath} {
		for _, method := range []string{http.MethodPut, http.MethodDelete, "TRACE"} {
			p := b.send(method, path+"?access_token="+token, "")
			if p.StatusCode != http.StatusMethodNotAllowed || strings.Contains(p.body, token) {
				t.Errorf("%s %s: %s %s", method, path, p.Status, p.body)
			}
		}
		p := b.send(http.MethodGet, path+"?access_token="+token, "", "Range", "bytes=0-3", "Accept", "text/html", "If-None-Match", "*")
		if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(p.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s with Range and Accept: %s %v", path, p.Status, p.Header)
		}
		if p := b.send(http.MethodHead, path+"?access_token="+token, ""); p.body != "" || p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("HEAD %s: %s %v", path, p.Status, p.Header)
		}
		if p := b.send(http.MethodOptions, path+"?access_token="+token, ""); p.body != "" || p.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s: %s %q", path, p.Status, p.body)
		}
	}
}

func TestUserinfoOfTheOlderInterfaceIsAJSONString(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	tokens := b.v3Tokens("scope", "openid military")
	p := b.get(userinfoPath + "?access_token=" + url.QueryEscape(text(t, tokens, "access_token")))
	var token string
	if err := json.Unmarshal([]byte(p.body), &token); err != nil {
		t.Fatalf("%v: %s", err, p.body)
	}
	_, claims := jwt(t, token)
	_, id := jwt(t, text(t, tokens, "id_token"))
	if claims["sub"] != id["sub"] || claims["iss"] != w.Issuer() || claims["aud"] != "v3" || claims["nonce"] != nil {
		t.Errorf("claims %v", claims)
	}
	if left := claims["exp"].(float64) - float64(w.now().Unix()); left > 300 || left < 295 {
		t.Errorf("it lives for %v", time.Duration(left)*time.Second)
	}
}
