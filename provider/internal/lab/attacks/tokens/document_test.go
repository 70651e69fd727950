package tokens

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// documents is a host of metadata documents, which its owner changes.
type documents struct {
	*httptest.Server
	mu      sync.Mutex
	members map[string]any
	answer  http.HandlerFunc
	calls   int
}

// callback is a redirect URI on the host of the documents, program one of a program on the
// user's device.
const (
	callback = "https://127.0.0.1/cb"
	program  = "http://localhost/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	s256     = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func newDocuments(t *testing.T) *documents {
	d := &documents{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		answer := d.answer
		d.calls++
		members := map[string]any{
			"client_id": d.URL + r.URL.Path, "client_name": "Code Helper", "redirect_uris": []string{callback, program},
			"grant_types": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": "none",
		}
		for name, value := range d.members {
			members[name] = value
		}
		d.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(members)
	}))
	t.Cleanup(d.Close)
	return d
}

// set changes members of the documents.
func (d *documents) set(pairs ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	members := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i].(string)] = pairs[i+1]
	}
	d.members = members
}

func (d *documents) id() string { return d.URL + "/client.json" }

// ask is an authorization request of a client with a document.
func (d *documents) ask(pairs ...string) string {
	return lab.AuthorizeURL(append([]string{"client_id", d.id(), "redirect_uri", callback, "scope", "openid offline_access",
		"nonce", "n", "code_challenge", s256, "code_challenge_method", "S256"}, pairs...)...)
}

// redeem exchanges a code.
func (d *documents) redeem(b *lab.Browser, code, redirectURI string) (lab.Page, map[string]any) {
	return b.Token("client_id", d.id(), "client_secret", "", "code", code, "redirect_uri", redirectURI, "code_verifier", verifier)
}

func (d *documents) refresh(b *lab.Browser, token any) (lab.Page, map[string]any) {
	text, _ := token.(string)
	return b.Token("client_id", d.id(), "client_secret", "", "grant_type", "refresh_token", "refresh_token", text, "redirect_uri", "")
}

func withDocuments(change ...func(*provider.UnknownClients)) func(*provider.Config) {
	return func(c *provider.Config) {
		c.AllowPrivateNetworks, c.UnknownClients.Documents = true, true
		for _, f := range change {
			f(&c.UnknownClients)
		}
	}
}

// newUnknown is a provider with users that lets in clients that nobody has registered, and a
// host of such a client.
func newUnknown(t *testing.T, change ...func(*provider.UnknownClients)) (*lab.Fixture, *documents) {
	t.Helper()
	return lab.New(t, withDocuments(change...)).WithClients().WithUsers(), newDocuments(t)
}

// stored returns the row of a client, if there is one.
func stored(w *lab.Fixture, id string) (storage.Client, bool) {
	w.T.Helper()
	c, err := w.Store.Client(w.T.Context(), id)
	return c, err == nil
}

// TestUnknownClient tests the whole way of a client that nobody has registered.
func TestUnknownClient(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	page := b.Open(d.ask())
	if page.StatusCode != http.StatusOK || !strings.Contains(page.Text, "Code Helper") || !strings.Contains(page.Text, strings.TrimPrefix(d.URL, "http://")) {
		t.Fatalf("%s\n%s", page.Status, page.Text)
	}
	if _, there := stored(w, d.id()); there {
		t.Error("a request has made a row")
	}
	code := lab.Response(t, b.Submit(page, "action", "allow")).Get("code")
	row, there := stored(w, d.id())
	if !there || row.Origin != storage.OriginDocument || !row.Unreviewed || row.SkipConsent {
		t.Fatalf("the row is %+v", row)
	}
	got, tokens := d.redeem(b, code, callback)
	lab.Granted(t, got, tokens)
	w.Advance(10 * time.Minute)
	d.mu.Lock()
	before := d.calls
	d.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	d.mu.Unlock()
	got, tokens = d.refresh(b, tokens["refresh_token"])
	lab.Granted(t, got, tokens)
	if d.mu.Lock(); d.calls != before {
		t.Error("the token endpoint has called the host of a stranger")
	}
	d.mu.Unlock()
	if code := lab.Response(t, b.Open(d.ask())).Get("code"); code == "" {
		t.Error("a host that is away for minutes has ended what was allowed")
	}
	end := func() lab.Page { return b.Open("/account/apps/remove?client_id=" + url.QueryEscape(d.id())) }
	if page := b.Submit(end()); page.StatusCode != http.StatusOK || end().StatusCode != http.StatusNotFound {
		t.Errorf("its user ends it: %s\n%s", page.Status, page.Text)
	}
	if strings.Contains(w.Log.String(), "level=ERROR") {
		t.Errorf("the log has errors:\n%s", w.Log)
	}
	w.Advance(25 * time.Hour)
	b.SignIn("alice@example.com", lab.AlicePass)
	if page := b.Open(d.ask()); page.StatusCode != http.StatusBadRequest {
		t.Errorf("a host that is away for a day: %s", page.Status)
	}
}

// TestUnknownClientIsOff tests that no address is called unless the host wants it.
func TestUnknownClientIsOff(t *testing.T) {
	t.Parallel()
	w, d := lab.New(t, func(c *provider.Config) { c.AllowPrivateNetworks = true }), newDocuments(t)
	b := w.NewBrowser()
	if page := b.Get(d.ask()); page.StatusCode != http.StatusBadRequest || d.calls != 0 {
		t.Errorf("%s after %d calls", page.Status, d.calls)
	}
	_, said := b.JSON(b.Get("/oidc/.well-known/openid-configuration"))
	if said["client_id_metadata_document_supported"] != nil {
		t.Error("discovery says that it is on")
	}
	_, said = b.JSON(lab.New(t, withDocuments()).NewBrowser().Get("/oidc/.well-known/openid-configuration"))
	if said["client_id_metadata_document_supported"] != true {
		t.Error("discovery does not say that it is on")
	}
}

// TestHostOfDocumentTellsNothing tests that whatever an address answers, who asks gets one
// sentence, and nothing is stored.
func TestHostOfDocumentTellsNothing(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser()
	json := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text))
		}
	}
	sentence := ""
	for name, answer := range map[string]http.HandlerFunc{
		"Redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, d.URL+"/other.json", http.StatusFound)
		},
		"Missing":     http.NotFound,
		"Forbidden":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"Page":        func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"TooLarge":    json(`{"client_id":"` + strings.Repeat("a", 9<<10) + `"}`),
		"NoJSON":      json(`client_id`),
		"Secret":      json(`{"client_id":"` + d.URL + `/Secret","redirect_uris":["` + callback + `"],"client_secret":"s"}`),
		"OtherID":     json(`{"client_id":"` + d.URL + `/otherid","redirect_uris":["` + callback + `"]}`),
		"OtherCase":   json(`{"Client_ID":"` + d.URL + `/OtherCase","redirect_uris":["` + callback + `"]}`),
		"Twice":       json(`{"client_id":"` + d.URL + `/other","client_id":"` + d.URL + `/Twice","redirect_uris":["` + callback + `"]}`),
		"Foreign":     json(`{"client_id":"` + d.URL + `/Foreign","redirect_uris":["` + callback + `","https://bank.example/cb"]}`),
		"ForeignExit": json(`{"client_id":"` + d.URL + `/ForeignExit","redirect_uris":["` + callback + `"],"post_logout_redirect_uris":["https://bank.example/"]}`),
		"ForeignKeys": json(`{"client_id":"` + d.URL + `/ForeignKeys","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://bank.example/keys"}`),
		"Scheme":      json(`{"client_id":"` + d.URL + `/Scheme","redirect_uris":["com.bank.app:/cb"]}`),
		"SecretBasic": json(`{"client_id":"` + d.URL + `/SecretBasic","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_basic"}`),
		"Implicit":    json(`{"client_id":"` + d.URL + `/Implicit","redirect_uris":["` + callback + `"],"response_types":["token"]}`),
		"Compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			json("\x1f\x8b\x08")(w, nil)
		},
	} {
		d.mu.Lock()
		d.answer = answer
		d.mu.Unlock()
		page := b.Get(d.ask("client_id", d.URL+"/"+name))
		_, text, _ := strings.Cut(page.Text, "<h1>")
		text, _, _ = strings.Cut(text, "</main>")
		text, _, _ = strings.Cut(text, `<dl class="request"`) // which has a number
		if sentence == "" {
			sentence = text
		}
		if page.StatusCode != http.StatusBadRequest || text != sentence || strings.Contains(page.Text, "bank.example") {
			t.Errorf("%s: %s\n%s\nwant\n%s", name, page.Status, text, sentence)
		}
		if _, there := stored(w, d.URL+"/"+name); there {
			t.Errorf("%s has a row", name)
		}
	}
	if strings.Contains(w.Log.String(), "level=ERROR") {
		t.Errorf("the log has errors:\n%s", w.Log)
	}
	if !w.Saw(event.DocumentRefused) {
		t.Error("the operator is not told")
	}
}

// TestUnknownClientSpellings tests that no other spelling of an address is the client.
func TestUnknownClientSpellings(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser()
	host := strings.TrimPrefix(d.URL, "http://")
	for _, id := range []string{
		"HTTP://" + host + "/client.json", d.URL, d.URL + "/", d.URL + "/a/../client.json", d.URL + "/a/%2e%2e/client.json",
		d.URL + "/client.json#a", "http://user@" + host + "/client.json", d.URL + `\client.json`, d.URL + "/client.json ",
		d.URL + "/" + strings.Repeat("a", 512), "ftp://" + host + "/client.json", w.Server.URL + "/client.json",
		"http://169.254.169.254/latest", "https://[::ffff:169.254.169.254]/latest", "http://10.0.0.1/client.json",
	} {
		if page := b.Get(d.ask("client_id", id)); page.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %s", id, page.Status)
		}
	}
	if d.calls != 0 {
		t.Errorf("%d calls", d.calls)
	}
}

// TestRandomAddresses tests that strangers' requests store no client and are soon throttled.
func TestRandomAddresses(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser()
	before := w.Count("clients")
	for i := range 300 {
		b.Get(d.ask("client_id", d.URL+"/"+strconv.Itoa(i)))
		b.Get(d.ask("client_id", d.URL+"/"+strconv.Itoa(i), "prompt", "none"))
	}
	if after := w.Count("clients"); after != before {
		t.Errorf("%d rows", after-before)
	}
	if d.calls > 70 {
		t.Errorf("%d calls from one address", d.calls)
	}
	page, said := b.Push("client_id", d.id(), "client_secret", "", "redirect_uri", callback, "scope", "openid", "nonce", "n",
		"code_challenge", s256, "code_challenge_method", "S256")
	if page.StatusCode != http.StatusUnauthorized || w.Count("pushed_requests") != 0 {
		t.Errorf("a stranger pushes: %s %v", page.Status, said)
	}
}

// TestRedirectURIWithdrawn tests that an open flow does not lead where the document no longer
// does, nor does a code come from there.
func TestRedirectURIWithdrawn(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
	page := b.Open(d.ask("prompt", "consent"))
	d.set("redirect_uris", []string{"https://127.0.0.1/new"})
	w.Advance(6 * time.Minute)
	page = b.Submit(page, "action", "allow")
	if page.StatusCode != http.StatusBadRequest || page.Header.Get("Location") != "" {
		t.Errorf("%s to %q", page.Status, page.Header.Get("Location"))
	}
	w.Advance(2 * time.Second)
	if got, tokens := d.redeem(b, code, callback); tokens["error"] != "invalid_grant" {
		t.Errorf("%s %v", got.Status, tokens)
	}
}

// TestKeyGivenUp tests that what was allowed a client with a key ends when its document has
// none: whoever has stolen a refresh token would need nothing else.
func TestKeyGivenUp(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	key := lab.ClientKeys()["ES256"]
	d.set("token_endpoint_auth_method", "private_key_jwt", "jwks", lab.PublicKeys(t, "ES256"))
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	signed := func(pairs ...string) (lab.Page, map[string]any) {
		return b.Token(append([]string{"client_id", d.id(), "client_secret", "",
			"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
			"client_assertion", key.Sign(t, w.Assertion(d.id()))}, pairs...)...)
	}
	code := lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow")).Get("code")
	if got, tokens := d.redeem(b, code, callback); tokens["error"] != "invalid_client" {
		t.Fatalf("without a signature: %s %v", got.Status, tokens)
	}
	got, tokens := signed("code", code, "redirect_uri", callback, "code_verifier", verifier)
	lab.Granted(t, got, tokens)
	w.Advance(6 * time.Minute)
	d.set()
	code = lab.Response(t, b.Open(d.ask())).Get("code") // somebody comes, and the document is read
	w.Advance(2 * time.Second)
	if got, refused := d.refresh(b, tokens["refresh_token"]); refused["error"] != "invalid_grant" {
		t.Errorf("the old refresh token: %s %v", got.Status, refused)
	}
	got, tokens = d.redeem(b, code, callback)
	lab.Granted(t, got, tokens)
}

// TestProgramOnDevice tests that a program on the user's device gets no code silently, at
// whichever port it listens: any other can say the same of itself.
func TestProgramOnDevice(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	there := "http://localhost:49152/callback"
	page := b.Open(d.ask("redirect_uri", there))
	code := lab.Response(t, b.Submit(page, "action", "allow")).Get("code")
	got, tokens := d.redeem(b, code, there)
	lab.Granted(t, got, tokens)
	elsewhere := "http://localhost:49153/callback"
	if page := b.Open(d.ask("redirect_uri", elsewhere)); page.StatusCode != http.StatusOK {
		t.Errorf("silent: %s", page.Status)
	}
	if got := lab.Response(t, b.Open(d.ask("redirect_uri", elsewhere, "prompt", "none"))); got.Get("error") != "consent_required" {
		t.Errorf("prompt=none: %v", got)
	}
	for _, uri := range []string{"http://localhost:49152/other", "https://localhost:49152/callback", "http://127.0.0.1:49152/callback", "http://evil.localhost:1/callback"} {
		if page := b.Get(d.ask("redirect_uri", uri)); page.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", uri, page.Status)
		}
	}
	code = lab.Response(t, b.Submit(b.Open(d.ask("redirect_uri", there)), "action", "allow")).Get("code")
	if _, tokens := d.redeem(b, code, elsewhere); tokens["error"] != "invalid_grant" {
		t.Errorf("the code at another port: %v", tokens)
	}
}

// TestDeceivingNames tests that a client cannot call itself what people trust.
func TestDeceivingNames(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	for i, name := range []string{
		"Veterans Shop", "Vetеrans Shop", "The Standard App for you", "Bonafide", "B0nafide login", "\u202eppA", "Code\u200bHelper",
		"Cоde Helper", "Line\nbreak\u0007", strings.Repeat("Long ", 20),
	} {
		d.set("client_name", name)
		id := d.URL + "/" + strconv.Itoa(i)
		page := b.Open(d.ask("client_id", id))
		if page.StatusCode != http.StatusOK || strings.Contains(page.Text, "It calls itself") || !strings.Contains(page.Text, "Nobody has registered") {
			t.Errorf("%q: %s", name, page.Status)
		}
	}
}

// TestNameChanges tests that a client with another name is asked about again.
func TestNameChanges(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Response(t, b.Submit(b.Open(d.ask()), "action", "allow"))
	if code := lab.Response(t, b.Open(d.ask())).Get("code"); code == "" {
		t.Error("a client at its own host is asked about twice")
	}
	d.set("client_name", "Tax Helper")
	w.Advance(6 * time.Minute)
	if page := b.Open(d.ask()); page.StatusCode != http.StatusOK || !strings.Contains(page.Text, "Tax Helper") {
		t.Errorf("%s", page.Status)
	}
}
