package reference

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const (
	callbackURI = "https://rp.test/cb"
	apiURI      = "https://api.test/v1"
	password    = "glacier-tulip-orbit-42"
	verifier    = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// lab is a running provider with a document about it, and a browser in which alice has
// signed in.
type lab struct {
	t        testing.TB
	provider *provider.Provider
	doc      *Document
	clients  map[string]provider.Client
	alice    *http.Client
}

// secret is 32 bytes that look random and are the same in every run.
var secret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

// publicKey is a key set of an application (RFC 8037 appendix A.2).
var publicKey = json.RawMessage(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)

// installation is one with the defaults of everything.
func installation(base string) Installation {
	return Installation{SandboxURL: "https://sandbox.id.example", Installation: room.Installation[provider.Lifetimes, provider.Resource]{
		Name: "Bonafide", BaseURL: base, Issuer: base + "/oidc", Devices: true, Documents: true, Registers: true, RegistersByToken: true, Streams: true, VerifiedClaims: true, Credentials: []string{"credential:student"},
		Scopes: catalogue.DefaultScopes(), Attributes: catalogue.DefaultAttributes(), Groups: catalogue.DefaultGroups(),
		Lifetimes: provider.Lifetimes{
			Code: time.Minute, AccessToken: 5 * time.Minute, IDToken: 5 * time.Minute, RefreshToken: 7 * 24 * time.Hour,
			Grant: 30 * 24 * time.Hour, RefreshGrace: time.Minute, Flow: time.Hour,
		},
	}}
}

// The tokens with which programs register applications in the lab, and manage them.
const (
	initialAccessToken      = "initial-access-token"
	registrationAccessToken = "registration-access-token"
)

// registrar registers what a program wants, without a dashboard.
type registrar struct{ *provider.Provider }

func (r registrar) Register(ctx context.Context, token string, c provider.Client) (provider.Client, error) {
	if token != initialAccessToken {
		return c, room.ErrToken
	}
	c.ID, c.Scopes = "registered", []string{"openid"}
	return c, r.Clients().Save(ctx, c)
}

func (r registrar) Accepts(_ context.Context, token string) (bool, error) {
	return token == initialAccessToken, nil
}

func (r registrar) Manages(context.Context, string) error { return nil }

func (r registrar) Replace(ctx context.Context, _, wanted provider.Client) error {
	return r.Clients().Save(ctx, wanted)
}

func (r registrar) Remove(ctx context.Context, c provider.Client) error {
	return r.Clients().Delete(ctx, c.ID, c.Revision)
}

func TestMain(m *testing.M) {
	providertest.Cheapen()
	os.Exit(m.Run())
}

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{t: t, clients: map[string]provider.Client{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.provider.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/identity.db"))(t)
	base := server.URL + "/id"
	l.provider = testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: base, Secret: secret, Store: store, AllowPrivateNetworks: true, Resources: []provider.Resource{{URI: apiURI}},
		DeviceAuthorization: provider.DeviceAuthorization{On: true}, Signals: signals.Config{SharedSignals: true}, UnknownClients: provider.UnknownClients{Documents: true, Register: "open"},
	}))(t)
	t.Cleanup(func() {
		if err := l.provider.Close(); err != nil {
			t.Error(err)
		}
	})
	l.doc = New(Installation{Installation: l.provider.Rooms().Installation(), Button: l.provider.Rooms().Pages.ButtonScript()})
	l.provider.Rooms().Clients.RegisterWith(registrar{l.provider})
	l.register()
	l.alice = testkit.NewClient(t)
	l.signIn()
	return l
}

func (l *lab) register() {
	both := append(slices.Clone(grantTypes), deviceGrant)
	for _, c := range []provider.Client{
		{ID: "std", Dialect: provider.Standard, ResponseTypes: responseTypes, GrantTypes: both},
		{ID: "new", Dialect: provider.Standard, GrantTypes: both},
		{ID: "v3", Dialect: provider.V3, GrantTypes: grantTypes},
		{ID: "pub", Dialect: provider.Standard, Public: true},
		{ID: "once", Dialect: provider.Standard},
		{ID: "strict", Dialect: provider.Standard, RequireVerified: true},
		{ID: "another", Dialect: provider.Standard},
		{ID: "lean", Dialect: provider.Standard, LeanIDTokens: true},
		{ID: "receiver", Dialect: provider.Standard, GrantTypes: []string{"authorization_code", "client_credentials"}, Scopes: []string{"openid", "ssf.read", "ssf.manage"}},
		{ID: "jwt", Dialect: provider.Standard, AccessTokenFormat: "jwt", GrantTypes: []string{"authorization_code", "client_credentials"}},
	} {
		c.RedirectURIs = []string{callbackURI}
		if slices.Contains(c.GrantTypes, bearerGrant) {
			c.JWKS = publicKey
		}
		if c.ID == "std" {
			c.RegistrationAccessToken = registrationAccessToken
		}
		if !c.Public {
			c.Secret = strings.Repeat(c.ID+"-secret-", 6)
		}
		testkit.OK(l.t, l.provider.Clients().Save(l.t.Context(), c))
		l.clients[c.ID] = c
	}
	ctx := l.t.Context()
	testkit.Must(l.provider.Accounts().Save(ctx, provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: password}))(l.t)
	err := l.provider.People().SetAttributes(ctx, "alice", map[string]any{
		"fname": "Alice", "zip": "22030", "birthdate": "1990-04-02",
		"previous_addresses": []map[string]string{{"street1": "1 Main St", "city": "Fairfax"}},
	})
	testkit.OK(l.t, err)
	testkit.OK(l.t, l.provider.People().SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}))
}

// in returns the lab for a part of a test.
func (l *lab) in(t testing.TB) *lab {
	part := *l
	part.t = t
	return &part
}

// page is an answer that has been read.
type page struct {
	*http.Response
	body string
}

func (l *lab) do(browser *http.Client, r *http.Request) page {
	l.t.Helper()
	response, body := testkit.Do(l.t, browser, r)
	return page{response, body}
}

func (l *lab) request(method, address, body string) *http.Request {
	l.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = strings.TrimSuffix(l.doc.BaseURL, "/id") + address
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, address, strings.NewReader(body))
	testkit.OK(l.t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// open follows redirects within the provider.
func (l *lab) open(browser *http.Client, r *http.Request) page {
	l.t.Helper()
	for range 10 {
		p := l.do(browser, r)
		if !strings.HasPrefix(p.Header.Get("Location"), "/") {
			return p
		}
		r = l.request(http.MethodGet, p.Header.Get("Location"), "")
	}
	l.t.Fatal("redirects do not end")
	return page{}
}

// submit fills in the form of a page.
func (l *lab) submit(p page, values ...string) page {
	l.t.Helper()
	forms := testkit.Forms(l.t, p.body)
	if len(forms) == 0 {
		l.t.Fatalf("no form on the page (%s):\n%s", p.Status, p.body)
	}
	fields := forms[0].Fields
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return l.open(l.alice, l.request(http.MethodPost, forms[0].Action, fields.Encode()))
}

func (l *lab) signIn() {
	l.t.Helper()
	p := l.open(l.alice, l.request(http.MethodGet, l.doc.BaseURL+"/signin", ""))
	if p = l.submit(p, "email", "alice@example.com", "password", password); p.StatusCode != http.StatusOK {
		l.t.Fatalf("sign-in: %s\n%s", p.Status, p.body)
	}
}

// allow sends alice through an authorization request of a client, and returns the
// response.
func (l *lab) allow(client string, changes ...Change) url.Values {
	l.t.Helper()
	e := l.doc.endpoint("authorize")
	p := l.open(l.alice, l.build(e, client, e.Example, changes))
	if p.StatusCode == http.StatusOK {
		p = l.submit(p, "action", "allow")
	}
	return l.response(p)
}

// response returns the parameters of an authorization response.
func (l *lab) response(p page) url.Values {
	l.t.Helper()
	location := p.Header.Get("Location")
	if !strings.HasPrefix(location, callbackURI) {
		l.t.Fatalf("no response for the application: %s %q\n%s", p.Status, location, p.body)
	}
	values, err := url.ParseQuery(strings.TrimLeft(strings.TrimPrefix(location, callbackURI), "?#"))
	testkit.OK(l.t, err)
	return values
}

// tokens redeems a code of a client.
func (l *lab) tokens(client string, changes ...Change) map[string]any {
	l.t.Helper()
	e := l.doc.endpoint("token")
	r := l.build(e, client, slices.Concat(e.Example, []Pair{{"code", l.allow(client, changes...).Get("code")}}), nil)
	p := l.do(l.alice, r)
	return l.object(p.body)
}

func (l *lab) object(raw string) map[string]any {
	l.t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		l.t.Fatalf("no JSON object: %v\n%s", err, raw)
	}
	return o
}

// fill returns what a value of an example stands for.
func (l *lab) fill(e Endpoint, client, value string) string {
	l.t.Helper()
	if e.JSON && !strings.HasPrefix(value, "Bearer ") || strings.HasPrefix(value, `{"`) { // JSON
		return value
	}
	word, from, to := "", strings.Index(value, "{"), strings.LastIndex(value, "}")
	if from < 0 || to < from {
		return value
	}
	text := func(o map[string]any, name string) string {
		s, ok := o[name].(string)
		if !ok {
			l.t.Fatalf("no %s in %v", name, o)
		}
		return s
	}
	c := l.clients[client]
	switch placeholder := value[from : to+1]; placeholder {
	case "{initial_access_token}":
		word = initialAccessToken
	case "{registration_access_token}":
		word = registrationAccessToken
	case "{client_id}":
		word = c.ID
	case "{client_secret}":
		word = c.Secret
	case "{redirect_uri}":
		word = callbackURI
	case "{state}":
		word = "af0ifjsldkj"
	case "{nonce}":
		word = "n-0S6_WzA2Mj"
	case "{code_verifier}":
		word = verifier
	case "{code_challenge}":
		sum := sha256.Sum256([]byte(verifier))
		word = base64.RawURLEncoding.EncodeToString(sum[:])
	case "{basic}":
		word = base64.StdEncoding.EncodeToString([]byte(c.ID + ":" + c.Secret))
	case "{code}":
		word = l.allow(client).Get("code")
	case "{refresh_token}", "{access_token}":
		word = text(l.tokens(client), strings.Trim(placeholder, "{}"))
	case "{access_token_of_itself}":
		itself := l.build(l.doc.endpoint("token"), "receiver", ItselfExample(), []Change{with("scope", "ssf.read ssf.manage")})
		word = text(l.object(l.do(testkit.NewClient(l.t), itself).body), "access_token")
	case "{access_token_of_another}":
		word = text(l.tokens("another"), "access_token")
	case "{access_token_of_another_scope}":
		scope := "openid"
		if e.ID == "userinfo" {
			scope = "military"
		}
		word = text(l.tokens("std", with("scope", scope)), "access_token")
	default:
		l.t.Fatalf("%s: nobody knows what %s stands for", e.ID, placeholder)
	}
	return value[:from] + word + value[to+1:]
}

// build returns the request of an example with changes.
func (l *lab) build(e Endpoint, client string, example []Pair, changes []Change) *http.Request {
	l.t.Helper()
	method, values, query, headers := e.Methods[0], url.Values{}, url.Values{}, http.Header{}
	set := func(name, value string) {
		if name == "Authorization" {
			headers.Set(name, value)
			return
		}
		values.Set(name, value)
	}
	changed := func(name string) bool {
		return slices.ContainsFunc(changes, func(c Change) bool {
			return c.Name == name && c.Kind != Repeat && c.Kind != AddQuery || c.Kind == SetBody
		})
	}
	for _, p := range example {
		if p.Name == "client_secret" && l.clients[client].Public {
			continue
		}
		if !changed(p.Name) {
			set(p.Name, l.fill(e, client, p.Value))
		}
	}
	raw, media, rawQuery := "", "", ""
	for _, c := range changes {
		switch c.Kind {
		case Set:
			set(c.Name, l.fill(e, client, c.Value))
		case Remove:
		case Repeat:
			values.Add(c.Name, values.Get(c.Name))
		case Lengthen:
			values.Set(c.Name, strings.Repeat("x", c.Length))
		case Crowd:
			for i := range c.Length {
				values.Set("x"+strings.Repeat("x", i), "x")
			}
		case SetHeader:
			if c.Value != "" {
				headers.Set(c.Name, l.fill(e, client, c.Value))
			}
		case AddQuery:
			rawQuery = c.Name + "=" + l.fill(e, client, c.Value)
		case SetBody:
			raw, media = c.Value+strings.Repeat("x", max(0, c.Length-len(c.Value))), c.Name
		case SetMethod:
			method = c.Value
		}
	}
	if method == http.MethodPost && raw == "" && e.JSON {
		var members []Pair
		for name := range values {
			members = append(members, Pair{name, values.Get(name)})
		}
		raw, media = jsonObject(members), mediaJSON
	}
	if method == http.MethodPost && raw == "" {
		raw = values.Encode()
	}
	if method == http.MethodGet {
		query = values
	}
	r := l.request(method, l.doc.BaseURL+l.fill(e, client, e.Path), raw)
	r.URL.RawQuery = strings.Trim(query.Encode()+"&"+rawQuery, "&")
	for name := range headers {
		r.Header.Set(name, headers.Get(name))
	}
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	return r
}
