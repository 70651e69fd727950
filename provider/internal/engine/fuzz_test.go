package engine

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// registeredURIs are those of the applications in the fuzz tests.
var registeredURIs = []string{
	"https://rp.test/cb", "https://rp.test/cb?x=1", "http://127.0.0.1/cb", "http://[::1]:8080/cb", "http://localhost:3000/cb", "com.example.app:/cb",
}

// fuzzClients are two applications; no other is there, and nothing else is asked.
type fuzzClients struct{}

func (fuzzClients) Client(_ context.Context, id string) (*registry.Client, error) {
	switch id {
	case "v3":
		return registry.Enabled(storage.Client{ID: id, Dialect: registry.DialectV3, RedirectURIs: registeredURIs})
	case "pub":
		return registry.Enabled(storage.Client{ID: id, Dialect: registry.DialectStandard, Public: true, RedirectURIs: registeredURIs[:1], Scopes: []string{"military"}})
	default:
		return nil, registry.ErrNoClient
	}
}

func (fuzzClients) Recent(string, time.Time) *registry.Client { return nil }

// FuzzParseAuthorize holds what every authorization request that is taken, and every
// refusal that is sent, has to be like.
func FuzzParseAuthorize(f *testing.F) {
	base := "client_id=v3&redirect_uri=https%3A%2F%2Frp.test%2Fcb&response_type=code&scope=military&state=xyz"
	for _, query := range []string{
		base, base + "&state=2", base + "&response_mode=form_post", base + "&prompt=none+login", base + "&max_age=0", base + "&request=x", base + "&eid=%00", "",
		strings.Replace(base, "code", "token+code+id_token", 1) + "+openid", strings.Replace(base, "xyz", "%ff%00%0d", 1) + "&response_mode=form_post",
		strings.Replace(base, "v3", "pub", 1) + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
		strings.Replace(base, "v3", "pub", 1) + "&code_challenge=&code_challenge_method=plain", "client_id=pub&response_type=code&scope=military", "client_id=%00",
	} {
		f.Add(query)
	}
	e := New(Options{
		Issuer: "https://id.test/oidc", Clients: fuzzClients{}, Clock: time.Now,
		Scopes:     []string{"military", "identity"},
		ScopeKnown: func(scope string) bool { return scope == "military" || scope == "identity" },

		SignResponse: func(alg string, _ []byte) (string, error) { return alg, nil },
		Signs:        func(string) bool { return true },
	})
	f.Fuzz(func(t *testing.T, query string) {
		form, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		r, err := e.ParseAuthorize(t.Context(), form)
		if r == nil {
			if err == nil {
				t.Fatal("neither request nor error")
			}
			return
		}
		if !(registry.Addresses{}).Matches(r.Client, r.RedirectURI) || len(form["redirect_uri"]) > 1 || len(form["client_id"]) > 1 {
			t.Fatalf("trusts %q of %v", r.RedirectURI, form)
		}
		if err != nil {
			response := testkit.Must(e.Refuse(r, err))(t)
			checkRefusal(t, response, form)
			return
		}
		checkRequest(t, r, form)
		again, err := e.ParseAuthorize(t.Context(), r.Form)
		if diff := cmp.Diff(r, again, cmpopts.IgnoreUnexported(AuthorizeRequest{}, authorization.Request{}, registry.Client{})); err != nil || diff != "" {
			t.Errorf("read again it differs: %v %s", err, diff)
		}
	})
}

func checkRefusal(t *testing.T, response issue.Response, form url.Values) {
	t.Helper()
	for _, p := range response.Parameters {
		switch {
		case p.Name == "state" && (len(form["state"]) != 1 || p.Value != form.Get("state")):
			t.Errorf("state %q for %q", p.Value, form["state"])
		case p.Name == "state" && response.Mode == protocol.ModeFormPost && !input.IsText(p.Value):
			t.Errorf("state %q in a form", p.Value)
		case p.Name != "state" && strings.ContainsFunc(p.Value, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }):
			t.Errorf("%s is %q", p.Name, p.Value)
		}
	}
}

func checkRequest(t *testing.T, r *AuthorizeRequest, form url.Values) {
	t.Helper()
	for name, values := range form {
		if len(values) != 1 {
			t.Errorf("%s is given %d times", name, len(values))
		}
	}
	switch {
	case !slices.Contains(r.Client.AllowedResponseTypes(), r.ResponseType):
		t.Errorf("response type %q", r.ResponseType)
	case r.Mode == protocol.ModeQuery && r.ResponseType != "code":
		t.Errorf("%q in a query", r.ResponseType)
	case r.Client.Public && r.Returns("code") && len(r.Challenge) != 43:
		t.Errorf("public application with challenge %q", r.Challenge)
	case r.Challenge != "" && form.Get("code_challenge_method") != "S256":
		t.Errorf("method %q", form.Get("code_challenge_method"))
	case r.HasPrompt(authorization.PromptNone) && len(r.Prompt) != 1:
		t.Errorf("prompt %v", r.Prompt)
	case r.Returns("id_token") && !r.OpenID():
		t.Errorf("ID token for scopes %v", r.Scopes)
	case len(r.Scopes)+len(r.Choices) == 0 || !r.Client.AllowsScopes(r.Scopes) || !r.Client.AllowsScopes(r.Choices):
		t.Errorf("scopes %v or one of %v", r.Scopes, r.Choices)
	case r.Client.Dialect.SingleScope && len(authorization.WithoutProtocol(r.Scopes)) > 1, r.MustPick() && len(authorization.WithoutProtocol(r.Scopes)) > 0:
		t.Errorf("grants %v, with the choices %v", r.Scopes, r.Choices)
	case r.MustPick() && (len(r.Choices) < 2 || len(input.Distinct(r.Choices)) < len(r.Choices)):
		t.Errorf("choices %v", r.Choices)
	case len(r.Scopes) == 0 && !r.MustPick():
		t.Errorf("scopes %v", r.Scopes)
	case r.StateSent && r.State != form.Get("state"):
		t.Errorf("state %q for %q", r.State, form.Get("state"))
	}
}
