package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestAPIGetsATokenForAnother(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	token := toolsToken(b)
	w.Advance(time.Minute)
	p, answer := askExchange(b, "tools-api", token, "resource", "", "audience", lab.FilesURI+"/")
	if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("exchange: %s %s", p.Status, p.Text)
	}
	if answer["issued_token_type"] != accessToken || answer["token_type"] != "bearer" || answer["scope"] != "files:read" ||
		answer["refresh_token"] != nil || answer["id_token"] != nil {
		t.Errorf("answer %v", answer)
	}
	if left, _ := answer["expires_in"].(float64); left < 200 || left > 240 {
		t.Errorf("expires in %v of the minutes that the other has left", answer["expires_in"])
	}
	files := lab.Member(t, answer, "access_token")
	seen := seenBy(b, "files-api", files)
	for member, want := range map[string]any{
		"client_id": "tools-api", "sub": "alice", "aud": lab.FilesURI, "scope": "files:read", "token_type": "bearer", "cnf": nil,
	} {
		if seen[member] != want {
			t.Errorf("%s is %v, want %v", member, seen[member], want)
		}
	}
	if diff := cmp.Diff(map[string]any{"sub": "tools-api"}, seen["act"]); diff != "" {
		t.Errorf("act (-want +got):\n%s", diff)
	}
	if seen := seenBy(b, "tools-api", token); seen == nil || seen["act"] != nil || seen["client_id"] != "agent" {
		t.Errorf("the other token is %v", seen)
	}
	if !w.Saw(event.Exchanged) {
		t.Error("no event")
	}
}

func TestExchangedTokenIsAJWTIfItsClientHasThem(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	c := testkit.Must(w.Clients().Get(t.Context(), "tools-api"))(w.T)
	c.AccessTokenFormat = "jwt"
	w.OK(w.Clients().Save(t.Context(), c))
	w.Advance(time.Second)
	b := w.Alice()
	token := lab.Member(t, tokensFor(b, "jwt", allAPIs, tools), "access_token")
	files := exchanged(b, "tools-api", token, "scope", "files:read")
	_, claims := lab.JWT(t, files)
	for member, want := range map[string]any{"client_id": "tools-api", "sub": "alice", "aud": lab.FilesURI, "scope": "files:read"} {
		if claims[member] != want {
			t.Errorf("%s is %v, want %v", member, claims[member], want)
		}
	}
	plain := exchanged(b, "files-api", files, "resource", lab.PlainURI)
	if diff := cmp.Diff(map[string]any{"sub": "tools-api"}, claims["act"]); diff != "" {
		t.Errorf("act (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"sub": "files-api", "act": map[string]any{"sub": "tools-api"}}, seenBy(b, "plain-api", plain)["act"]); diff != "" {
		t.Errorf("act of the second (-want +got):\n%s", diff)
	}
}

// The user reads of it once, however often the API is called, and not where the API stands.
func TestUserReadsOfAnExchange(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	token := toolsToken(b)
	for range 3 {
		exchanged(w.NewBrowser(), "tools-api", token)
	}
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.Exchanged}))(w.T)
	if len(events) != 1 || events[0].UserID != "alice" || events[0].ClientID != "tools-api" || events[0].Detail != lab.FilesURI+", for agent" {
		t.Errorf("events %+v", events)
	}
	if p := b.Open("/account/history"); strings.Count(p.Text, "<bdi>TOOLS-API</bdi> used another service on your behalf") != 1 {
		t.Errorf("history: %s", p.Text)
	}
}

// A token of an application for members alone is exchanged for members alone.
func TestExchangeEndsWithTheMembership(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "members", Name: "Members", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, RequireVerified: true,
	}))
	b := w.Alice()
	p := b.Submit(b.Open(lab.AuthorizeURL("client_id", "members", "scope", "openid military tools:run files:read",
		"resource", lab.ToolsURI)+"&resource="+url.QueryEscape(lab.FilesURI)), "action", "allow")
	_, tokens := b.Redeem("members", "authorization_code", tools, "code", lab.Response(t, p).Get("code"), "redirect_uri", lab.CallbackURI)
	token := lab.Member(t, tokens, "access_token")
	exchanged(b, "tools-api", token)
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military"}))
	if p, answer := askExchange(b, "tools-api", token); p.StatusCode != http.StatusBadRequest {
		t.Errorf("%s %v", p.Status, answer)
	}
}

func TestDiscoveryHasTheGrantWhereItIsOfUse(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*lab.Fixture{"with": withAPIs(t), "without": lab.WithResources(t)} {
		_, metadata := w.NewBrowser().JSON(w.NewBrowser().Get("/oidc/.well-known/openid-configuration"))
		grants, _ := metadata["grant_types_supported"].([]any)
		found := false
		for _, g := range grants {
			found = found || g == exchangeGrant
		}
		if found != (name == "with") {
			t.Errorf("%s: %v", name, grants)
		}
	}
}
