package tokens

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

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestPresentedToken(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	v3 := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	standard := lab.Member(t, b.StandardTokens(), "access_token")
	const urlencoded = "application/x-www-form-urlencoded"
	in := func(token string) string { return lab.UserinfoPath + "?access_token=" + token }
	for name, c := range map[string]struct {
		method, address, body string
		header                []string
		status                int
		code                  string
	}{
		"header":                     {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer " + v3}, 200, ""},
		"header in lower case":       {"GET", lab.UserinfoPath, "", []string{"Authorization", "bearer " + v3}, 200, ""},
		"header in capitals":         {"GET", lab.UserinfoPath, "", []string{"Authorization", "BEARER " + v3}, 200, ""},
		"query":                      {"GET", in(v3), "", nil, 200, ""},
		"query of a standard client": {"GET", in(standard), "", nil, 400, "invalid_request"},
		"form":                       {"POST", lab.UserinfoPath, "access_token=" + standard, []string{"Content-Type", urlencoded}, 200, ""},
		"POST with the header":       {"POST", lab.UserinfoPath, "", []string{"Authorization", "Bearer " + standard}, 200, ""},
		"none":                       {"GET", lab.UserinfoPath, "", nil, 401, "invalid_request"},
		"header and query":           {"GET", in(v3), "", []string{"Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"header and form":            {"POST", lab.UserinfoPath, "access_token=" + v3, []string{"Authorization", "Bearer " + v3, "Content-Type", urlencoded}, 400, "invalid_request"},
		"query and form":             {"POST", in(v3), "access_token=" + v3, []string{"Content-Type", urlencoded}, 400, "invalid_request"},
		"query and half a pair":      {"GET", in(v3) + "&x=%z", "", nil, 400, "invalid_request"},
		"query with a semicolon":     {"GET", in(v3) + ";&access_token=" + standard, "", nil, 400, "invalid_request"},
		"header and half a pair":     {"GET", lab.UserinfoPath + "?%", "", []string{"Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"query twice":                {"GET", in(v3) + "&access_token=" + v3, "", nil, 400, "invalid_request"},
		"header twice":               {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer " + v3, "Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"two spaces":                 {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer  " + v3}, 200, ""},
		"two tokens":                 {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer a b"}, 400, "invalid_request"},
		"list of tokens":             {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer " + v3 + ",x"}, 400, "invalid_request"},
		"empty header":               {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer "}, 400, "invalid_request"},
		"another scheme":             {"GET", lab.UserinfoPath, "", []string{"Authorization", "Basic " + v3}, 401, "invalid_request"},
		"a scheme of a proxy":        {"GET", lab.UserinfoPath, "", []string{"Authorization", "Negotiate"}, 401, "invalid_request"},
		"no scheme":                  {"GET", lab.UserinfoPath, "", []string{"Authorization", ""}, 401, "invalid_request"},
		"another scheme and a form":  {"POST", lab.UserinfoPath, "access_token=" + standard, []string{"Authorization", "Basic x", "Content-Type", urlencoded}, 200, ""},
		"another scheme and ours":    {"GET", lab.UserinfoPath, "", []string{"Authorization", "Basic x", "Authorization", "Bearer " + v3}, 400, "invalid_request"},
		"empty query":                {"GET", in(""), "", nil, 401, "invalid_token"},
		"unknown":                    {"GET", lab.UserinfoPath, "", []string{"Authorization", "Bearer x"}, 401, "invalid_token"},
		"JSON body":                  {"POST", lab.UserinfoPath, `{"access_token":"` + v3 + `"}`, []string{"Content-Type", "application/json"}, 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Send(c.method, c.address, c.body, c.header...)
			if c.status == http.StatusOK {
				if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("answered %s %v %s", p.Status, p.Header, p.Text)
				}
				return
			}
			lab.Refused(t, p, c.status, c.code)
			challenge := p.Header.Get("WWW-Authenticate")
			want := "Bearer"
			switch {
			case c.status == 400:
				want = `Bearer error="invalid_request"`
			case c.code == "invalid_token":
				want = challenge[:min(len(challenge), len(`Bearer error="invalid_token"`))]
			}
			if c.status == 401 && !strings.HasPrefix(challenge, "Bearer") || challenge != want && c.code == "invalid_request" {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if strings.Contains(p.Text, v3) || strings.Contains(p.Text, standard) {
				t.Error("the answer repeats the token")
			}
		})
	}
}
func TestScopeDoesNotCover(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	_, plain := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "military")...).Get("code"))...)
	p := b.Bearer(lab.UserinfoPath, lab.Member(t, plain, "access_token"))
	lab.Refused(t, p, http.StatusForbidden, "insufficient_scope")
	if !strings.Contains(p.Header.Get("WWW-Authenticate"), "insufficient_scope") {
		t.Errorf("WWW-Authenticate: %q", p.Header.Get("WWW-Authenticate"))
	}
	_, only := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "openid")...).Get("code"))...)
	lab.Refused(t, b.Bearer(lab.AttributesPath, lab.Member(t, only, "access_token")), http.StatusForbidden, "insufficient_scope")
}

func TestStatusRevokedAfterConsentIsGoneFromTheNextAnswer(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens(), "access_token")
	if !strings.Contains(b.Bearer(lab.AttributesPath, token).Text, "Veteran") {
		t.Fatal("the status is not released")
	}
	testkit.OK(t, w.People().DeleteStatus(t.Context(), "alice", "military"))
	if p := b.Bearer(lab.AttributesPath, token); strings.Contains(p.Text, "Veteran") || !strings.Contains(p.Text, `"verified":false`) {
		t.Errorf("after it was revoked: %s", p.Text)
	}
	testkit.OK(t, w.Accounts().SetDisabled(t.Context(), "alice", true))
	lab.Works(t, b, token, false)
}

// Each scope alone releases what the catalogue says and nothing else, and consent
// screen, ID token, userinfo and attributes say the same.
func TestScopeReleasesExactlyItsClaims(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	for _, scope := range catalogue.DefaultScopes() {
		t.Run(scope.Name, func(t *testing.T) {
			_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "openid "+scope.Name, "eid", "order-7")...).Get("code"))...)
			_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
			_, info := b.JSON(b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")))
			_, answer := b.JSON(b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")))
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
	_, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens(), "access_token")
	own := b.Bearer(lab.AttributesPath, token).Text
	long := strings.Repeat("&attributes=x", 1000)
	for _, query := range []string{
		"user=bob", "user_id=bob", "sub=bob", "sub[]=bob", "uuid=bob", "scope=identity+student", "attributes=*",
		"attributes=email,birthdate", "fields=email", "handle=a'+OR+1=1--", "handle=a.b", "path=$..*", long[1:],
	} {
		p := b.Bearer(lab.AttributesPath+"?"+query, token)
		if p.StatusCode != http.StatusOK || p.Text != own {
			t.Errorf("%.40s: %s %s", query, p.Status, p.Text)
		}
	}
	for _, path := range []string{"/bob", "/../bob", ".css", "/x.css", "%2fx.css", ";x.css", "%0a"} {
		p := b.Bearer("/api/public/v3/attributes.json"+path, token)
		if p.StatusCode != http.StatusNotFound || p.Header.Get("Cache-Control") != "no-store" || strings.Contains(p.Text, "Veteran") {
			t.Errorf("path %q: %s %v", path, p.Status, p.Header)
		}
	}
}

func TestDataIsNeverShared(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		for _, method := range []string{http.MethodPut, http.MethodDelete, "TRACE"} {
			p := b.Send(method, path+"?access_token="+token, "")
			if p.StatusCode != http.StatusMethodNotAllowed || strings.Contains(p.Text, token) {
				t.Errorf("%s %s: %s %s", method, path, p.Status, p.Text)
			}
		}
		p := b.Send(http.MethodGet, path+"?access_token="+token, "", "Range", "bytes=0-3", "Accept", "text/html", "If-None-Match", "*")
		if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(p.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s with Range and Accept: %s %v", path, p.Status, p.Header)
		}
		if p := b.Send(http.MethodHead, path+"?access_token="+token, ""); p.Text != "" || p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("HEAD %s: %s %v", path, p.Status, p.Header)
		}
		if p := b.Send(http.MethodOptions, path+"?access_token="+token, ""); p.Text != "" || p.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s: %s %q", path, p.Status, p.Text)
		}
	}
}

func TestUserinfoOfTheOlderInterfaceIsAJSONString(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	tokens := b.V3Tokens("scope", "openid military")
	p := b.Get(lab.UserinfoPath + "?access_token=" + url.QueryEscape(lab.Member(t, tokens, "access_token")))
	var token string
	if err := json.Unmarshal([]byte(p.Text), &token); err != nil {
		t.Fatalf("%v: %s", err, p.Text)
	}
	_, claims := lab.JWT(t, token)
	_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
	if claims["sub"] != id["sub"] || claims["iss"] != w.Issuer() || claims["aud"] != "v3" || claims["nonce"] != nil {
		t.Errorf("claims %v", claims)
	}
	if left := claims["exp"].(float64) - float64(w.Now().Unix()); left > 300 || left < 295 {
		t.Errorf("it lives for %v", time.Duration(left)*time.Second)
	}
}
