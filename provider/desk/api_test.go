package desk_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
)

const apiRoot = "/desk/api/v1"

// machines is a desk with an Admin API, whose client robot may do all. alice is an auditor.
type machines struct {
	*lab.Fixture
	token  string
	matter string
	keys   int

	// only and without are tokens with a scope alone and with all others; reads changes nothing.
	only, without map[string]string
	reads         string
}

func newMachines(t *testing.T, change ...func(*desk.Config, *machines)) *machines {
	t.Helper()
	return newMachinesAt(t, "", change...)
}

func newMachinesAt(t *testing.T, url string, change ...func(*desk.Config, *machines)) *machines {
	t.Helper()
	w := &machines{}
	w.Fixture = lab.New(t, func(c *provider.Config) {
		c.Resources, c.Signals = []provider.Resource{desk.Resource(c.BaseURL, "robot")}, signals.Config{Webhooks: true}
		c.Credentials = credential.Kinds{{Group: "student"}}
		if url != "" {
			c.Store = atPostgres(t, url)
		}
	}).WithClients().WithUsers()
	w.URL = url
	w.Rooms().Pages.LinkCredentials("/vci/", wallets{w.Fixture})
	cfg := desk.Config{
		Provider: w.Provider, Store: w.Store.(desk.Store), Clock: w.Now,
		Staff: func(_ context.Context, userID string) (desk.Staff, error) {
			if userID == "alice" {
				return desk.Staff{Roles: []desk.Role{desk.RoleAuditor}}, nil
			}
			return desk.Staff{}, nil
		},
	}
	for _, c := range change {
		c(&cfg, w)
	}
	d := testkit.Must(desk.New(cfg))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/desk/", d)
	mux.Handle(desk.WellKnown(w.Server.URL), d)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "robot", Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", JWKS: lab.PublicKeys(t, "ES256"),
		GrantTypes: []string{"client_credentials"}, Scopes: desk.Resource("", "robot").Scopes,
	}))
	w.token = w.granted()
	return w
}

// granted returns a token of robot: for these scopes, or for all.
func (w *machines) granted(scopes ...string) string {
	w.T.Helper()
	pairs := []string{"grant_type", "client_credentials", "resource", w.Server.URL + apiRoot}
	if len(scopes) > 0 {
		pairs = append(pairs, "scope", strings.Join(scopes, " "))
	}
	p, body := w.NewBrowser().Asserted(lab.TokenPath, lab.ClientKeys()["ES256"].Sign(w.T, w.Assertion("robot")), pairs...)
	return lab.Granted(w.T, p, body)
}

// ask sends a request and returns the response with its body.
func (w *machines) ask(method, path, body string, headers ...string) (*http.Response, map[string]any) {
	w.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(w.T.Context(), method, w.Server.URL+apiRoot+path, strings.NewReader(body)))(w.T)
	r.Header.Set("Content-Type", "application/json")
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	if w.matter != "" {
		r.Header.Set("Desk-Matter", w.matter)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	p, err := http.DefaultClient.Do(r)
	w.OK(err)
	defer p.Body.Close()
	text := testkit.Must(io.ReadAll(p.Body))(w.T)
	var answer map[string]any
	w.OK(json.Unmarshal(text, &answer))
	return p, answer
}

// Nobody learns from the API who works at the desk, or acts on them.
func TestClientsDoNotSeeStaff(t *testing.T) {
	t.Parallel()
	w := newMachines(t)
	var answers []string
	for _, person := range []string{"alice", "nobody"} {
		p, answer := w.ask(http.MethodPost, "/matters", `{"person": "`+person+`", "reason": "caller"}`, "Idempotency-Key", person)
		text := testkit.Must(json.Marshal(answer))(w.T)
		answers = append(answers, p.Status+string(text))
	}
	if answers[0] != answers[1] || !strings.HasPrefix(answers[0], "404") {
		t.Errorf("%v", answers)
	}
	for _, sought := range []string{`{"by": "id", "value": "alice"}`, `{"by": "email", "value": "alice@example.com"}`} {
		if p, answer := w.ask(http.MethodPost, "/people/find", sought); p.StatusCode != http.StatusOK || len(answer["people"].([]any)) != 0 {
			t.Errorf("%s: %s %v", sought, p.Status, answer)
		}
	}
}

// The machine is far from UTC, and what is told of a time is not.
func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	w := newMachines(t)
	_, opened := w.ask(http.MethodPost, "/matters", `{"person": "bob", "reason": "caller"}`, "Idempotency-Key", "opened")
	id, _ := opened["id"].(string)
	p, closed := w.ask(http.MethodPost, "/matters/"+id+"/close", "{}", "Idempotency-Key", "closed")
	for _, name := range []string{"opened_at", "ends_at", "closed_at"} {
		if at, _ := closed[name].(string); !strings.HasSuffix(at, "Z") {
			t.Errorf("%s: %s is %v", p.Status, name, closed[name])
		}
	}
}

func TestMetadataOfTheAdminAPI(t *testing.T) {
	t.Parallel()
	w := newMachines(t)
	p := w.NewBrowser().Get("/.well-known/oauth-protected-resource/desk/api/v1")
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, `"resource":"`+w.Server.URL+apiRoot+`"`) {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	alice := w.Alice()
	if p := alice.Get("/desk/docs"); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "/people/{person}/lock") {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	if p := w.Bob().Get("/desk/docs"); p.StatusCode != http.StatusNotFound {
		t.Errorf("everybody reads the reference: %s", p.Status)
	}
}
