package tokens

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// TestAttackRefusedExchanges has APIs ask for what they must not have. Each gets an error, and its
// developers the diagnosis.
func TestAttackRefusedExchanges(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	token := toolsToken(b)
	direct := lab.Member(t, tokensFor(b, "agent", allAPIs, []string{lab.FilesURI}), "access_token")
	own := lab.Member(t, tokensFor(b, "agent", nil, nil), "access_token")
	refresh := lab.Member(t, tokensFor(b, "agent", allAPIs, tools), "refresh_token")
	alone := lab.Member(t, tokensFor(b, "agent", tools, tools), "access_token") // the user was not asked about files
	_, machine := b.Redeem("agent", "client_credentials", tools, "scope", "tools:run")
	mine := lab.Member(t, machine, "access_token")
	for name, c := range map[string]struct {
		api, token string
		pairs      []string
		code       string
		diagnosis  diagnosis.Name
	}{
		"more scope than the subject":                    {"tools-api", token, []string{"scope", "files:write"}, "invalid_scope", "scope_not_exchanged"},
		"a scope of tools only":                          {"tools-api", token, []string{"scope", "tools:run"}, "invalid_scope", "scope_not_exchanged"},
		"the scope openid":                               {"tools-api", token, []string{"scope", "openid"}, "invalid_scope", "scope_not_exchanged"},
		"the scope offline_access":                       {"tools-api", token, []string{"scope", "offline_access"}, "invalid_scope", "scope_not_exchanged"},
		"an unknown scope beside another":                {"tools-api", token, []string{"scope", "files:read nonsense"}, "invalid_scope", "scope_not_exchanged"},
		"an API that is not listed":                      {"tools-api", token, []string{"resource", closedURI}, "invalid_target", "resource_not_exchanged"},
		"an API of the next hop":                         {"tools-api", token, []string{"resource", lab.PlainURI}, "invalid_target", "resource_not_exchanged"},
		"its own API":                                    {"tools-api", token, []string{"resource", lab.ToolsURI}, "invalid_target", "resource_not_exchanged"},
		"the provider":                                   {"tools-api", token, []string{"resource", w.Issuer()}, "invalid_target", "resource_unknown"},
		"no API":                                         {"tools-api", token, []string{"resource", ""}, "invalid_target", "parameter_missing"},
		"two APIs":                                       {"tools-api", token, []string{"audience", closedURI}, "invalid_target", "parameter_missing"},
		"an API that no user was asked of":               {"tools-api", alone, nil, "invalid_target", "resource_wider"},
		"a token of another API":                         {"files-api", token, []string{"resource", lab.PlainURI}, "invalid_request", "subject_token_of_another_api"},
		"a token that was for files already":             {"tools-api", direct, nil, "invalid_request", "subject_token_of_another_api"},
		"a token for no API":                             {"tools-api", own, nil, "invalid_request", "subject_token_of_another_api"},
		"as the application of the token":                {"stranger", token, nil, "invalid_request", "subject_token_of_another_api"},
		"a machine's token":                              {"tools-api", mine, nil, "invalid_request", "access_token_without_user"},
		"a refresh token":                                {"tools-api", refresh, nil, "invalid_request", "access_token_unknown"},
		"a token with another last letter":               {"tools-api", token[:len(token)-2] + "xx", nil, "invalid_request", "access_token_unknown"},
		"an ID token type":                               {"tools-api", token, []string{"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"}, "invalid_request", "parameter_unsupported"},
		"a refresh token in exchange":                    {"tools-api", token, []string{"requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token"}, "invalid_request", "parameter_unsupported"},
		"an actor":                                       {"tools-api", token, []string{"actor_token", token, "actor_token_type", accessToken}, "invalid_request", "parameter_unsupported"},
		"without a token":                                {"tools-api", token, []string{"subject_token", ""}, "invalid_request", "parameter_missing"},
		"without its type":                               {"tools-api", token, []string{"subject_token_type", ""}, "invalid_request", "parameter_missing"},
		"without the grant":                              {"plain-tools", token, nil, "unauthorized_client", "grant_not_registered"},
		"unreviewed":                                     {"raw-api", token, nil, "unauthorized_client", "grant_not_registered"},
		"the application itself":                         {"agent", token, nil, "unauthorized_client", "grant_not_registered"},
		"in the older dialect":                           {"v3", token, nil, "unsupported_grant_type", "grant_not_registered"},
		"a public client":                                {"pub", token, []string{"client_secret", ""}, "unauthorized_client", "grant_not_registered"},
		"a scope of the subject that it may not ask for": {"write-api", token, []string{"scope", "files:read"}, "invalid_scope", "scope_not_exchanged"},
		"a scope that it is not given":                   {"narrow-api", token, []string{"scope", "files:read tools:run"}, "invalid_scope", "scope_not_exchanged"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := w.WatchActivity()
			before := w.Count("tokens")
			p, answer := askExchange(w.NewBrowser(), c.api, c.token, c.pairs...)
			lab.Refused(t, p, http.StatusBadRequest, c.code)
			if strings.Contains(p.Text, token) || strings.Contains(fmt.Sprint(seen.All()), token) || strings.Contains(w.Log.String(), token) {
				t.Error("a token is told")
			}
			if told := seen.All(); len(told) == 0 || told[len(told)-1].Diagnosis != c.diagnosis {
				t.Errorf("told %+v for %v", told, answer)
			}
			if after := w.Count("tokens"); after != before {
				t.Errorf("%d tokens were written", after-before)
			}
		})
	}
	for name, p := range map[string]lab.Page{
		"a client that nobody knows": w.NewBrowser().Post(lab.TokenPath, exchangeForm("https://unknown.test/client", token)),
		"with a wrong secret":        w.NewBrowser().Post(lab.TokenPath, exchangeForm("tools-api", token, "client_secret", "wrong")),
		"without a secret":           w.NewBrowser().Post(lab.TokenPath, exchangeForm("tools-api", token, "client_secret", "")),
	} {
		if p.StatusCode != http.StatusUnauthorized || !strings.Contains(p.Text, "invalid_client") {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
		}
	}
	form := exchangeForm("tools-api", token, "subject_token", "")
	lab.Refused(t, b.Post(lab.TokenPath+"?subject_token="+token, form), http.StatusBadRequest, "invalid_request")
	twice := exchangeForm("tools-api", token)
	twice.Add("subject_token", direct)
	lab.Refused(t, b.Post(lab.TokenPath, twice), http.StatusBadRequest, "invalid_request")
	exchanged(b, "narrow-api", token) // the good one still passes
}

// TestAttackExchangedTokenElsewhere presents a token for files where it is not for.
func TestAttackExchangedTokenElsewhere(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	token := toolsToken(b)
	files := exchanged(b, "tools-api", token)
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		lab.Refused(t, b.Bearer(path, files), http.StatusUnauthorized, "invalid_token")
	}
	for _, id := range []string{"tools-api", "plain-api", "closed-api", "agent", "stranger"} {
		if seen := seenBy(b, id, files); seen != nil {
			t.Errorf("%s learns %v", id, seen)
		}
	}
	if _, err := w.Rooms().Clients.Bearer(t.Context(), lab.FilesURI, files); err == nil {
		t.Error("a user's token passes for that of a client")
	}
	// The API that got it may revoke it, the application of its grant may not.
	for id, want := range map[string]int{"agent": http.StatusBadRequest, "files-api": http.StatusBadRequest} {
		if p := b.Client("/oauth/revoke", id, "token", files); p.StatusCode != want {
			t.Errorf("revocation by %s: %s %s", id, p.Status, p.Text)
		}
	}
	if seenBy(b, "files-api", files) == nil {
		t.Fatal("it has ended")
	}
	if p := b.Client("/oauth/revoke", "tools-api", "token", files); p.StatusCode != http.StatusOK {
		t.Errorf("revocation: %s %s", p.Status, p.Text)
	}
	if seenBy(b, "files-api", files) != nil {
		t.Error("it is in force")
	}
	if seenBy(b, "tools-api", token) == nil {
		t.Error("the token that it was exchanged for has ended with it")
	}
}

// TestAttackExchangeWithoutEnd exchanges a token again and again.
func TestAttackExchangeWithoutEnd(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "wide", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
	}))
	token := lab.Member(t, tokensFor(b, "wide", allAPIs, tools), "access_token")
	files := exchanged(b, "tools-api", token)
	w.Advance(4 * time.Minute)
	p, answer := askExchange(b, "files-api", files, "resource", lab.PlainURI)
	if left, _ := answer["expires_in"].(float64); p.StatusCode != http.StatusOK || left > 60 {
		t.Fatalf("it lives longer than the first: %s %s", p.Status, p.Text)
	}
	plain := lab.Member(t, answer, "access_token")
	p, _ = askExchange(b, "plain-api", plain, "resource", lab.ToolsURI)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	if !strings.Contains(p.Text, "exchanged twice already") {
		t.Errorf("%s", p.Text)
	}
	w.Advance(time.Minute)
	for id, token := range map[string]string{"files-api": files, "plain-api": plain} {
		if seenBy(b, id, token) != nil {
			t.Errorf("the token for %s outlives the first", id)
		}
	}
	if p, _ := askExchange(b, "tools-api", token); p.StatusCode != http.StatusBadRequest {
		t.Errorf("an expired token is exchanged: %s %s", p.Status, p.Text)
	}
}

// TestAttackExchangedTokenOutlives ends one thing after which no token of the chain is in force,
// and none comes of it.
func TestAttackExchangedTokenOutlives(t *testing.T) {
	t.Parallel()
	change := func(w *lab.Fixture, id string, edit func(*provider.Client)) {
		c, err := w.Clients().Get(w.T.Context(), id)
		w.OK(err)
		edit(&c)
		w.OK(w.Clients().Save(w.T.Context(), c))
	}
	for name, end := range map[string]func(w *lab.Fixture, b *lab.Browser, tokens map[string]any){
		"the token": func(_ *lab.Fixture, b *lab.Browser, tokens map[string]any) {
			b.Client("/oauth/revoke", "agent", "token", lab.Member(b.T, tokens, "access_token"))
		},
		"the refresh token": func(_ *lab.Fixture, b *lab.Browser, tokens map[string]any) {
			b.Client("/oauth/revoke", "agent", "token", lab.Member(b.T, tokens, "refresh_token"))
		},
		"the account": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true))
		},
		"the consent": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			w.OK(w.Store.RevokeConsent(w.T.Context(), "alice", "agent", w.Now()))
		},
		"the grants": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) { w.RevokeAll() },
		"the client": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "agent", func(c *provider.Client) { c.Disabled = true })
		},
		"the first API": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "tools-api", func(c *provider.Client) { c.Disabled = true })
		},
		"its grant type": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "tools-api", func(c *provider.Client) { c.GrantTypes = c.GrantTypes[:1] })
		},
		"its review": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "tools-api", func(c *provider.Client) { c.Unreviewed = true })
		},
		"its resource": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "tools-api", func(c *provider.Client) { c.Resources = tools })
		},
		"the scope": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			change(w, "agent", func(c *provider.Client) { c.Scopes = []string{"tools:run"} })
		},
		"its deletion": func(w *lab.Fixture, _ *lab.Browser, _ map[string]any) {
			w.OK(w.Clients().Delete(w.T.Context(), "tools-api", 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withAPIs(t)
			b := w.Alice()
			tokens := tokensFor(b, "agent", allAPIs, tools)
			token := lab.Member(t, tokens, "access_token")
			files := exchanged(b, "tools-api", token)
			plain := exchanged(b, "files-api", files, "resource", lab.PlainURI)
			if seenBy(b, "files-api", files) == nil || seenBy(b, "plain-api", plain) == nil {
				t.Fatal("not in force before")
			}
			end(w, w.NewBrowser(), tokens)
			w.Advance(time.Second)
			if seenBy(b, "files-api", files) != nil {
				t.Error("the token for files is in force")
			}
			if name != "its resource" && seenBy(b, "plain-api", plain) != nil { // that of tools says nothing about plain
				t.Error("the token for plain is in force")
			}
			for _, api := range []string{"tools-api", "files-api"} {
				presented := map[string]string{"tools-api": token, "files-api": files}[api]
				if p, _ := askExchange(b, api, presented, "resource", map[string]string{"tools-api": lab.FilesURI, "files-api": lab.PlainURI}[api]); p.StatusCode == http.StatusOK {
					t.Errorf("%s exchanges it: %s", api, p.Text)
				}
			}
		})
	}
}

// TestAttackTokenOfTheSandbox presents a token of one provider to another that has the same
// clients.
func TestAttackTokenOfTheSandbox(t *testing.T) {
	t.Parallel()
	w, sandbox := withAPIs(t), withAPIs(t)
	token := toolsToken(sandbox.Alice())
	exchanged(sandbox.NewBrowser(), "tools-api", token)
	p, _ := askExchange(w.NewBrowser(), "tools-api", token)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	jwt := lab.Member(t, tokensFor(sandbox.Alice(), "jwt", allAPIs, tools), "access_token")
	p, _ = askExchange(w.NewBrowser(), "tools-api", jwt)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
}

// TestAttackExchangeWhileTheDatabaseIsDown demands that what the database cannot answer is said to
// be nobody's fault.
func TestAttackExchangeWhileTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := withAPIs(t, lab.Faulty(&store))
	b := w.Alice()
	token := toolsToken(b)
	files := exchanged(b, "tools-api", token)
	for _, method := range []string{"Derive", "Token", "Client"} {
		w.Advance(time.Second)
		store.BreakBefore(func(_ context.Context, called string) error {
			if called == method {
				return storage.ErrUnavailable
			}
			return nil
		})
		p, _ := askExchange(b, "tools-api", token)
		lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		if method != "Derive" {
			lab.Refused(t, b.Client(lab.IntrospectPath, "files-api", "token", files), http.StatusServiceUnavailable, "temporarily_unavailable")
		}
		store.Down(nil)
	}
	// A token in exchange is read with that which it was exchanged for, and with its clients: one
	// call after the other fails.
	for method, least := range map[string]int{"Token": 2, "Client": 3} {
		for fails, calls := 1, 1; fails <= max(calls, least); fails++ {
			w.Advance(time.Second) // nothing is in memory
			calls = 0
			store.BreakBefore(func(_ context.Context, called string) error {
				if called != method {
					return nil
				}
				if calls++; calls == fails {
					return storage.ErrUnavailable
				}
				return nil
			})
			lab.Refused(t, b.Client(lab.IntrospectPath, "files-api", "token", files), http.StatusServiceUnavailable, "temporarily_unavailable")
			store.Down(nil)
		}
	}
	if seenBy(b, "files-api", files) == nil {
		t.Error("it has ended")
	}
}
