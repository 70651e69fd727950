package reference

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestJWTAccessTokensAreAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	of := map[string]any{
		"AUser": l.tokens("jwt")["access_token"], "AnAPI": l.tokens("jwt", with("resource", apiURI))["access_token"],
		"Itself": l.object(l.do(testkit.NewClient(t), l.build(l.doc.endpoint("token"), "jwt", ItselfExample(), nil)).body)["access_token"],
	}
	for name, token := range of {
		if header := l.part(token, 0); header["typ"] != "at+jwt" || header["alg"] != "RS256" {
			t.Errorf("%s: header %v", name, header)
		}
		claims := l.part(token, 1)
		fits(t, l.doc, "standard", "AccessToken", claims)
		want := map[string]any{"AUser": l.doc.Issuer, "Itself": l.doc.Issuer, "AnAPI": fmt.Sprint([]string{apiURI, l.doc.Issuer})}[name]
		if fmt.Sprint(claims["aud"]) != want {
			t.Errorf("%s: for %v, want %v", name, claims["aud"], want)
		}
	}
}

func TestLeanIDTokensAreAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	tokens := l.tokens("lean", with("scope", "openid email"))
	claims := l.part(tokens["id_token"], 1)
	fits(t, l.doc, "standard", "IDToken", claims)
	if claims["email"] != nil || claims["sub"] == nil {
		t.Errorf("ID token %v", claims)
	}
	bearer := []Pair{{"Authorization", fmt.Sprint("Bearer ", tokens["access_token"])}}
	found := l.object(l.do(l.alice, l.build(l.doc.endpoint("userinfo"), "lean", bearer, nil)).body)
	if found["email"] != "alice@example.com" {
		t.Errorf("userinfo %v", found)
	}
	asked := l.part(l.tokens("lean", with("scope", "openid email"), with("claims", claimsExample))["id_token"], 1)
	if asked["email"] != "alice@example.com" {
		t.Errorf("ID token %v", asked)
	}
}

func TestLogoutTokensAreAsDocumented(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received <- r.PostFormValue("logout_token")
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(application.Close)
	l := newLab(t)
	c := provider.Client{
		ID: "told", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, Secret: strings.Repeat("told-secret-", 6),
		BackchannelLogoutURI: application.URL, BackchannelLogoutSessionRequired: true,
	}
	testkit.OK(t, l.provider.Clients().Save(t.Context(), c))
	l.clients["told"] = c
	go func() { _ = l.provider.Run(t.Context()) }()
	of := l.part(l.tokens("told")["id_token"], 1)
	l.submit(l.open(l.alice, l.request(http.MethodGet, l.doc.BaseURL+"/signout", "")))
	token := <-received
	if header := l.part(token, 0); header["typ"] != "logout+jwt" || header["alg"] != "RS256" {
		t.Errorf("header %v", header)
	}
	claims := l.part(token, 1)
	fits(t, l.doc, "standard", "LogoutToken", claims)
	events, _ := claims["events"].(map[string]any)
	if claims["sid"] != of["sid"] || claims["sub"] != of["sub"] || claims["aud"] != "told" || claims["iss"] != l.doc.Issuer || len(events) != 1 || events[logoutEvent] == nil {
		t.Errorf("claims %v of the session of %v", claims, of)
	}
}

// otherPath finds the paths in the sentences about an endpoint.
var otherPath = regexp.MustCompile("`(/[a-z0-9./_-]+)`")

func TestEveryPathInTheTextIsServed(t *testing.T) {
	t.Parallel()
	l, n := newLab(t), 0
	for _, e := range l.doc.Endpoints {
		for _, found := range otherPath.FindAllStringSubmatch(strings.Join(e.Text, " "), -1) {
			n++
			if p := l.do(l.alice, l.request(http.MethodGet, l.doc.BaseURL+found[1], "")); p.StatusCode == http.StatusNotFound {
				t.Errorf("%s: %s is %s", e.ID, found[1], p.Status)
			}
		}
	}
	if n < 6 {
		t.Errorf("found %d paths; have the sentences another form now?", n)
	}
}
