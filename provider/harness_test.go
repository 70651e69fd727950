package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// testSecret returns 32 bytes that look random and are the same in every run.
func testSecret(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// world is a provider behind real HTTP on a real SQLite file, with a clock that a
// test can move.
type world struct {
	*provider.Provider
	t      testing.TB
	server *httptest.Server
	store  storage.Store
	path   string
	mails  *mailbox
	log    *syncBuffer

	mu     sync.Mutex
	offset time.Duration
	events []provider.Event
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.offset)
}

// advance moves the clock.
func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offset += d
}

func (w *world) saw(name provider.EventName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Name == name {
			return true
		}
	}
	return false
}

// mailbox keeps mail instead of sending it.
type mailbox struct {
	mu   sync.Mutex
	sent []provider.Mail
}

func (m *mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, mail)
	return nil
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// last returns the latest mail, and the code in it.
func (m *mailbox) last(t testing.TB) (provider.Mail, string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sent) == 0 {
		t.Fatal("no mail was sent")
	}
	mail := m.sent[len(m.sent)-1]
	return mail, sixDigits.FindString(mail.Text)
}

func (m *mailbox) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent)
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newWorld starts a provider with clients of both dialects and two users. change
// may adjust the configuration.
func newWorld(t testing.TB, change ...func(*provider.Config)) *world {
	t.Helper()
	w := &world{t: t, mails: &mailbox{}, log: &syncBuffer{}, path: t.TempDir() + "/identity.db"}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.Provider.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	store, err := sqlite.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := provider.Config{
		BaseURL: w.server.URL, Secret: testSecret(t), Store: store, Mailer: w.mails, Clock: w.now,
		Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnEvent: func(e provider.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	w.store = cfg.Store
	if w.Provider, err = provider.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Provider.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

const (
	callbackURI  = "https://rp.test/cb"
	clientSecret = "correct-horse-battery-staple-0123456789"
	alicePass    = "glacier-tulip-orbit-42"
	bobPass      = "marble-canyon-violin-77"
)

// withClients registers the clients that most tests need.
func (w *world) withClients() *world {
	w.t.Helper()
	for _, c := range []provider.Client{
		{ID: "v3", Name: "Veterans Shop", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Origins: []string{"https://rp.test"}},
		{ID: "std", Name: "Standard App", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI, "https://rp.test/other"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, PostLogoutRedirectURIs: []string{"https://rp.test/bye"}},
		{ID: "std2", Name: "Other App", Secret: clientSecret + "2", Dialect: provider.Standard, RedirectURIs: []string{"https://other.test/cb"},
			GrantTypes: []string{"authorization_code", "refresh_token"}},
		{ID: "pub", Name: "Public App", Dialect: provider.Standard, Public: true, RedirectURIs: []string{callbackURI, "http://127.0.0.1/cb"}},
		{ID: "q", Name: "Query App", Secret: clientSecret, RedirectURIs: []string{"https://rp.test/cb?x=1"}},
	} {
		if err := w.SaveClient(w.t.Context(), c); err != nil {
			w.t.Fatal(err)
		}
	}
	return w
}

// withUsers records alice, a verified veteran, and bob, of whom little is known.
func (w *world) withUsers() *world {
	w.t.Helper()
	ctx := w.t.Context()
	for _, a := range []provider.Account{
		{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: alicePass},
		{ID: "bob", Email: "bob@example.com", Password: bobPass},
	} {
		if _, err := w.SaveAccount(ctx, a); err != nil {
			w.t.Fatal(err)
		}
	}
	err := w.SetAttributes(ctx, "alice", map[string]any{
		"fname": "Alice", "lname": "Example", "zip": "22030", "birthdate": "1990-04-02",
		"previous_addresses": []map[string]string{{"street1": "1 Main St", "city": "Fairfax"}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return w
}

// browser is a user agent with cookies that does not follow redirects.
type browser struct {
	t    testing.TB
	w    *world
	http *http.Client
}

// page is an answer that a browser has read.
type page struct {
	*http.Response
	body string
}

func (w *world) newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w.t, w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	response, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{response, string(body)}
}

func (b *browser) absolute(address string) string {
	if strings.HasPrefix(address, "/") {
		return b.w.server.URL + address
	}
	return address
}

func (b *browser) get(address string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.absolute(address), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

func (b *browser) post(address string, form url.Values) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.absolute(address), strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// follow goes along redirects within the provider.
func (b *browser) follow(p page) page {
	b.t.Helper()
	for range 10 {
		location := p.Header.Get("Location")
		if !strings.HasPrefix(location, "/") {
			return p
		}
		p = b.get(location)
	}
	b.t.Fatal("redirects do not end")
	return p
}

func (b *browser) open(address string) page {
	b.t.Helper()
	return b.follow(b.get(address))
}

// form returns action and fields of the first POST form of a page.
func (p page) form(t testing.TB) (action string, fields url.Values) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	fields = url.Values{}
	var inside bool
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		attr := func(name string) string {
			for _, a := range n.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		entered := false
		if n.Type == html.ElementNode && n.Data == "form" && action == "" && strings.EqualFold(attr("method"), "post") {
			action, inside, entered = attr("action"), true, true
		}
		if inside && n.Type == html.ElementNode && n.Data == "input" && attr("name") != "" {
			fields.Set(attr("name"), attr("value"))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if entered {
			inside = false
		}
	}
	walk(root)
	if action == "" {
		t.Fatalf("no form on the page (%s):\n%s", p.Status, p.body)
	}
	return action, fields
}

// submit fills in the form of a page, posts it and follows.
func (b *browser) submit(p page, values ...string) page {
	b.t.Helper()
	return b.follow(b.submitOnce(p, values...))
}

func (b *browser) submitOnce(p page, values ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.post(action, fields)
}

// signIn signs the browser in.
func (b *browser) signIn(email, password string) *browser {
	b.t.Helper()
	p := b.submit(b.open("/signin"), "email", email, "password", password)
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, email) {
		b.t.Fatalf("sign-in of %s: %s\n%s", email, p.Status, p.body)
	}
	return b
}

// authorizeURL returns an authorization request; pairs override.
func authorizeURL(pairs ...string) string {
	q := url.Values{
		"client_id": {"v3"}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"military"}, "state": {"xyz"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
			continue
		}
		q.Set(pairs[i], pairs[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// allow answers an authorization request as a signed-in user who allows it, and
// returns the parameters of the response.
func (b *browser) allow(pairs ...string) url.Values {
	b.t.Helper()
	p := b.open(authorizeURL(pairs...))
	if p.StatusCode == http.StatusOK {
		p = b.submit(p, "action", "allow")
	}
	return response(b.t, p)
}

// response returns the parameters of an authorization response.
func response(t testing.TB, p page) url.Values {
	t.Helper()
	u, err := url.Parse(p.Header.Get("Location"))
	if err != nil || u.Host == "" {
		t.Fatalf("no response for the application: %s %q\n%s", p.Status, p.Header.Get("Location"), p.body)
	}
	values, err := url.ParseQuery(u.RawQuery + "&" + u.EscapedFragment())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// token posts to the token endpoint.
func (b *browser) token(pairs ...string) (page, map[string]any) {
	b.t.Helper()
	form := url.Values{"client_id": {"v3"}, "client_secret": {clientSecret}, "redirect_uri": {callbackURI}, "grant_type": {"authorization_code"}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			form.Del(pairs[i])
			continue
		}
		form.Set(pairs[i], pairs[i+1])
	}
	return b.json(b.post("/oauth/token", form))
}

func (b *browser) json(p page) (page, map[string]any) {
	b.t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(p.body), &body); err != nil {
		b.t.Fatalf("%s is not JSON: %v\n%s", p.Request.URL, err, p.body)
	}
	return p, body
}

// code returns a fresh code for alice at a client.
func (w *world) code(b *browser, pairs ...string) string {
	w.t.Helper()
	return b.allow(pairs...).Get("code")
}
