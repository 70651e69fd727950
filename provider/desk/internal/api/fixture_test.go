package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
	"github.com/bonafide-id/bonafide/provider/desk/internal/records"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const root = "/desk/api/v1"

// place is a provider with an Admin API, whose client robot may do all, reader may read, rival is
// another that may do all, and shared has a secret. olga works here.
type place struct {
	*lab.Fixture
	frame *frame.Frame
	api   *api.API
	plans *plans.Service

	// acted counts how often an account was locked or unlocked, whoever asked.
	acted atomic.Int64
}

func newPlace(t testing.TB, change ...func(*provider.Config)) *place {
	t.Helper()
	w := &place{}
	w.Fixture = lab.New(t, append(change, func(c *provider.Config) {
		c.Resources = append(c.Resources, api.Resource(c.BaseURL, "robot", "reader", "rival", "shared", "person"), provider.Resource{URI: lab.FilesURI})
	})...).WithClients().WithUsers()
	_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "olga", Email: "olga@example.com", Password: lab.BobPass})
	w.OK(err)
	all := api.Resource("", "").Scopes
	for id, scopes := range map[string][]string{"robot": all, "rival": all, "reader": {api.ScopePeopleRead}, "shared": all, "person": all, "stranger": all} {
		c := provider.Client{ID: id, Dialect: provider.Standard, GrantTypes: []string{"client_credentials"}, Scopes: scopes}
		if c.TokenEndpointAuthMethod, c.JWKS = "private_key_jwt", lab.PublicKeys(t, "ES256"); id == "shared" {
			c.TokenEndpointAuthMethod, c.JWKS, c.Secret = "", nil, lab.ClientSecret
		}
		w.OK(w.Clients().Save(t.Context(), c))
	}
	w.frame = testkit.Must(frame.New(frame.Options{
		Provider: w.Provider, Store: w.Store.(frame.Store), Clock: clock.UTC(w.Now), Logger: slog.New(slog.NewTextHandler(w.Log, nil)),
		Staff: func(_ context.Context, userID string) (action.Staff, error) {
			if userID == "olga" {
				return action.Staff{Roles: []action.Role{action.Operator}}, nil
			}
			return action.Staff{}, nil
		},
	}))(w.T)
	book := w.book()
	w.plans = plans.New(plans.Options{Frame: w.frame, Book: book})
	w.api = testkit.Must(api.New(api.Options{Frame: w.frame, Book: book, Plans: w.plans, Lines: (&records.Room{Provider: w.Provider}).Of}))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/desk/", w.frame)
	mux.Handle(root+"/", w.api)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w
}

// book has two actions on people, which need no room of their own.
func (w *place) book() *action.Book {
	w.T.Helper()
	set := func(disabled bool) action.Action {
		return action.Action{
			Check: func(ctx context.Context, o action.Order) (e action.Effect, err error) {
				a, err := w.Accounts().Get(ctx, o.Target)
				if err != nil {
					return e, action.ErrNoTarget
				}
				e.Revision = map[bool]string{true: "locked", false: "open"}[a.Disabled]
				if a.Disabled == disabled {
					e.Void = "already"
				}
				e.Facts = []action.Fact{{Name: "sessions", Value: "1"}}
				return e, nil
			},
			Do: func(ctx context.Context, o action.Order, _ string) (action.Result, error) {
				err := w.Accounts().SetDisabled(ctx, o.Target, disabled)
				if err == nil {
					w.acted.Add(1)
				}
				return action.Result{}, err
			},
		}
	}
	lock, unlock, show, email := set(true), set(false), set(true), set(true)
	lock.Name, unlock.Name, show.Name, email.Name = action.Lock, action.Unlock, action.ShowValue, action.ChangeEmail
	b := testkit.Must(action.NewBook(lock, unlock, show, email))(w.T)
	return b
}

// token returns one of a client for the API.
func (w *place) token(client string, pairs ...string) string {
	w.T.Helper()
	assertion := lab.ClientKeys()["ES256"].Sign(w.T, w.Assertion(client))
	pairs = append([]string{"grant_type", "client_credentials", "resource", w.Server.URL + root}, pairs...)
	p, body := w.NewBrowser().Asserted(lab.TokenPath, assertion, pairs...)
	return lab.Granted(w.T, p, body)
}

// client sends requests.
type client struct {
	*place
	token  string
	header http.Header
}

func (w *place) as(name string) client {
	w.T.Helper()
	return client{w, w.token(name), http.Header{}}
}

// with returns a client that sends headers.
func (c client) with(pairs ...string) client {
	c.header = c.header.Clone()
	for i := 0; i < len(pairs); i += 2 {
		c.header.Set(pairs[i], pairs[i+1])
	}
	return c
}

// answer is a response.
type answer struct {
	*http.Response
	text string
	json map[string]any
}

// send sends a request, with a body unless it is empty.
func (c client) send(method, path, body string) answer {
	c.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(c.T.Context(), method, c.Server.URL+root+path, strings.NewReader(body)))(c.T)
	r.Header = c.header.Clone()
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	p, err := http.DefaultClient.Do(r)
	c.OK(err)
	defer p.Body.Close()
	text := testkit.Must(io.ReadAll(p.Body))(c.T)
	a := answer{p, string(text), nil}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.json); err != nil {
			c.T.Fatalf("%s %s: %s is no JSON object: %s", method, path, p.Status, text)
		}
	}
	return a
}

func (c client) get(path string) answer { return c.send(http.MethodGet, path, "") }

// post sends an act with a key of its own.
func (c client) post(path, body string) answer {
	c.T.Helper()
	if c.header.Get("Idempotency-Key") == "" {
		c = c.with("Idempotency-Key", newKey())
	}
	return c.send(http.MethodPost, path, body)
}

var keys atomic.Int64

func newKey() string {
	return "key-" + string(rune('a'+keys.Add(1)%26)) + "-" + strings.Repeat("x", int(keys.Load()%200)+1)
}

// is checks the status of a response and, of a problem, its code.
func (a answer) is(t testing.TB, status int, code string) answer {
	t.Helper()
	got, _ := a.json["code"].(string)
	if a.StatusCode != status || got != code {
		t.Errorf("%s %s: %d %q, want %d %q: %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, got, status, code, a.text)
	}
	if code != "" && a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a problem is of type %q", a.Header.Get("Content-Type"))
	}
	return a
}

// within opens a matter about a person and sends it from now on.
func (c client) within(person string) client {
	c.T.Helper()
	a := c.post("/matters", `{"person": "`+person+`", "reason": "caller"}`).is(c.T, http.StatusCreated, "")
	return c.with("Desk-Matter", lab.Member(c.T, a.json, "id"))
}

// look returns a client that knows what an act would do.
func (c client) look(path string) client {
	c.T.Helper()
	a := c.send(http.MethodPost, path+"/check", "{}").is(c.T, http.StatusOK, "")
	return c.with("If-Match", a.Header.Get("ETag"))
}
