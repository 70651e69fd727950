package developer_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// programKey is a key of a program.
type programKey struct {
	id      string
	private ed25519.PrivateKey
}

func newProgramKey(t *testing.T, id string) programKey {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return programKey{id, private}
}

// set is the key set with the public key alone (RFC 8037 section 2).
func (k programKey) set() map[string]any {
	public, _ := k.private.Public().(ed25519.PublicKey)
	return map[string]any{"keys": []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": k.id, "x": base64.RawURLEncoding.EncodeToString(public)}}}
}

// authenticates authenticates a program of the sandbox with its key (RFC 7523 section 2.2) and
// reports how a code is answered.
func (w *fixture) authenticates(k programKey, client, code, redirectURI string) page {
	w.t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	claims := testkit.Must(json.Marshal(map[string]any{
		"iss": client, "sub": client, "aud": w.sandbox.Issuer(), "jti": rand.Text(), "exp": w.now().Add(time.Minute).Unix(),
	}))(w.t)
	signed := encode(fmt.Appendf(nil, `{"alg":"EdDSA","kid":%q}`, k.id)) + "." + encode(claims)
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	return b.post("/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {signed + "." + encode(ed25519.Sign(k.private, []byte(signed)))},
	})
}

// returns sends a persona to an application of the sandbox and returns where the browser goes.
func (w *fixture) returns(client, redirectURI string) *url.URL {
	w.t.Helper()
	b := w.newBrowser()
	b.home = w.sandboxServer.URL
	p := b.get("/oauth/authorize?" + url.Values{
		"client_id": {client}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid"}, "state": {"s"}, "nonce": {"n"},
		"login_hint": {"persona:veteran"},
	}.Encode())
	at, err := url.Parse(p.Header.Get("Location"))
	if err != nil || at.Query().Get("code") == "" {
		w.t.Fatalf("no code: %s %q\n%s", p.Status, p.Header.Get("Location"), p.body)
	}
	return at
}

// inSandbox registers a website in the sandbox, which must be so.
func (w *fixture) inSandbox(pairs ...any) members {
	w.t.Helper()
	token := w.makesToken(storage.Sandbox, "hosts", "app.test\n127.0.0.1")
	p, said := w.program(http.MethodPost, w.sandboxServer.URL+"/oauth/register", token, website(pairs...))
	if p.StatusCode != http.StatusCreated {
		w.t.Fatalf("%s %s", p.Status, p.body)
	}
	return said
}

// A key within the metadata signs, and an address with a query keeps it.
func TestRegisteredProgramSignsInWithItsKeyAtAnAddressWithAQuery(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const back = "https://app.test/callback?tenant=a%20b&x="
	key := newProgramKey(t, "a")
	said := w.inSandbox("redirect_uris", []string{back}, "token_endpoint_auth_method", "private_key_jwt", "token_endpoint_auth_signing_alg", "EdDSA", "jwks", key.set())
	if set, _ := json.Marshal(said["jwks"]); said["client_secret"] != nil || !strings.Contains(string(set), `"kid":"a"`) {
		t.Errorf("the answer is %v", said)
	}
	at := w.returns(said.text("client_id"), back)
	if !strings.HasPrefix(at.String(), back+"&") || at.Query().Get("state") != "s" || at.Query().Get("iss") == "" {
		t.Errorf("the browser goes to %s", at)
	}
	says(t, w.authenticates(newProgramKey(t, "a"), said.text("client_id"), at.Query().Get("code"), back), http.StatusUnauthorized)
	says(t, w.authenticates(key, said.text("client_id"), at.Query().Get("code"), back), http.StatusOK)
}

// Keys at an address are exchanged there: the next one counts when it is met, the one before no
// longer.
func TestRegisteredProgramExchangesTheKeyAtItsAddress(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first, second := newProgramKey(t, "first"), newProgramKey(t, "second")
	var published atomic.Pointer[programKey]
	published.Store(&first)
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		set, _ := json.Marshal(published.Load().set())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(set)
	}))
	t.Cleanup(keys.Close)
	id := w.inSandbox("token_endpoint_auth_method", "private_key_jwt", "jwks_uri", keys.URL+"/keys").text("client_id")
	redeems := func(k programKey) page {
		t.Helper()
		return w.authenticates(k, id, w.returns(id, callbackURI).Query().Get("code"), callbackURI)
	}
	says(t, redeems(first), http.StatusOK)
	published.Store(&second)
	w.advance(2 * time.Minute)
	says(t, redeems(second), http.StatusOK)
	says(t, redeems(first), http.StatusUnauthorized)
}

// Users find the policy and the terms that a program has registered, and no logo.
func TestUsersSeeWhatAProgramHasRegistered(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	said := w.managed("policy_uri", "https://app.test/policy", "tos_uri", "https://app.test/terms", "logo_uri", "https://app.test/logo.png")
	p := w.as(nobody).open("/oauth/authorize?" + url.Values{
		"client_id": {said.text("client_id")}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid email"}, "nonce": {"n"},
	}.Encode())
	says(t, p, http.StatusOK, "Shop", `href="https://app.test/policy"`, `href="https://app.test/terms"`)
	if strings.Contains(p.body, "logo.png") {
		t.Error("the browser is sent for a logo")
	}
}

// A script of another origin never reads an answer to a token, where it may register a client
// without one: what a preflight allows it to send is of no use to it.
func TestAttackRegistrationByAScript(t *testing.T) {
	t.Parallel()
	w := newFixtureOf(t, "127.0.0.1", func(c *provider.Config) { c.UnknownClients.Register = "open" })
	said := w.managed()
	token := w.makesToken(storage.Production)
	asks := func(method, address, token string) page {
		t.Helper()
		b := w.newBrowser()
		var body io.Reader
		if method == http.MethodPost {
			text := testkit.Must(json.Marshal(website()))(w.t)
			body = strings.NewReader(string(text))
		}
		r := b.request(method, address, body)
		r.Header.Set("Origin", "https://evil.test")
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if method == http.MethodOptions {
			r.Header.Set("Access-Control-Request-Method", http.MethodPut)
			r.Header.Set("Access-Control-Request-Headers", "authorization, content-type")
		}
		return b.do(r)
	}
	endpoint, uri := w.server.URL+"/oauth/register", said.text("registration_client_uri")
	for name, c := range map[string]struct {
		method, address, token string
		status                 int
	}{
		"a good token":                {http.MethodPost, endpoint, token, http.StatusCreated},
		"a guess":                     {http.MethodPost, endpoint, "GUESS", http.StatusUnauthorized},
		"a preflight of a management": {http.MethodOptions, uri, "", http.StatusMethodNotAllowed},
		"a management":                {http.MethodGet, uri, said.text("registration_access_token"), http.StatusOK},
		"a guessed management":        {http.MethodGet, uri, "GUESS", http.StatusUnauthorized},
	} {
		if p := asks(c.method, c.address, c.token); p.StatusCode != c.status || p.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s, readable by %q", name, p.Status, p.Header.Get("Access-Control-Allow-Origin"))
		}
	}
	if p := asks(http.MethodPost, endpoint, ""); p.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("without a token: %s, readable by %q", p.Status, p.Header.Get("Access-Control-Allow-Origin"))
	}
	if p := asks(http.MethodOptions, endpoint, ""); p.StatusCode != http.StatusNoContent || p.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("a preflight: %s %v", p.Status, p.Header)
	}
}

// Tokens and secrets of a registration are told once or to their program: no log, page, error or
// table has them.
func TestAttackSecretsOfARegistration(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	initial := w.makesToken(storage.Production)
	_, said := w.registers(initial)
	uri, token, id := said.text("registration_client_uri"), said.text("registration_access_token"), said.text("client_id")
	secrets := []string{initial, token, said.text("client_secret"), "a-secret-that-is-none-of-the-registration"}
	var told []page
	tells := func(p page, _ members) page {
		told = append(told, p)
		return p
	}
	tells(w.registers(initial, "redirect_uris", []string{"https://evil.test/"}))
	tells(w.registers(initial[:len(initial)-1]))
	tells(w.program(http.MethodPut, uri, token, again(said, "client_secret", secrets[3])))
	tells(w.program(http.MethodPut, uri, initial, again(said)))
	if p, _ := w.program(http.MethodPut, uri, token, again(said, "client_name", "Store")); p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	here := "/developer/o/river/production/" + id
	for _, address := range []string{"/developer/o/river/activity", tokensPath, here, here + "/secrets", here + "/settings"} {
		told = append(told, w.as(owner).open(address))
	}
	tells(w.program(http.MethodDelete, uri, token, nil))
	tells(w.program(http.MethodDelete, uri, token, nil))
	for _, secret := range secrets {
		for _, p := range told {
			if strings.Contains(p.body, secret) {
				t.Errorf("%s %s tells a secret:\n%s", p.Request.Method, p.Request.URL, p.body)
			}
		}
		if w.onDisk(secret) {
			t.Error("a secret is on the disk")
		}
		for line := range strings.Lines(w.log.String()) {
			if strings.Contains(line, secret) {
				t.Errorf("a secret is in the log: %s", line)
			}
		}
	}
}

// Who is stopped, or is given away, is so for its program from the first write on, before the
// registration follows.
func TestAttackManagementOfWhatIsStoppedOrMoved(t *testing.T) {
	t.Parallel()
	t.Run("Stopped", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		said := w.managed()
		w.ok(w.store.StopOrganization(t.Context(), river, storage.Stop{At: w.now(), Reason: "x", By: operator}))
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			p, answer := w.program(method, said.text("registration_client_uri"), said.text("registration_access_token"), again(said, "client_name", "Evil"))
			if p.StatusCode != http.StatusForbidden || !strings.Contains(answer.text("error_description"), "suspended") {
				t.Errorf("%s: %s %s", method, p.Status, p.body)
			}
		}
		if a := w.application(storage.Production, said.text("client_id")); a.Deleting || a.Name != "Shop" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("MovedToAFullOrganization", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t, func(c *developer.Config) { c.Quotas.Applications = 1 })
		said := w.managed()
		full := storage.Application{Environment: storage.Production, ClientID: "full", OrganizationID: lake, Name: "Full", Kind: "web", CreatedBy: lakeOwner, CreatedAt: w.now(), UpdatedAt: w.now()}
		w.ok(w.store.CreateApplication(t.Context(), full, 1))
		app := w.application(storage.Production, said.text("client_id"))
		if err := w.MoveApplication(t.Context(), developer.Operator{Name: "Staff"}, app, lake); !errors.Is(err, developer.ErrFull) {
			t.Fatal(err)
		}
		if p, _ := w.program(http.MethodGet, said.text("registration_client_uri"), said.text("registration_access_token"), nil); p.StatusCode != http.StatusOK {
			t.Errorf("the program of an application that was not moved: %s %s", p.Status, p.body)
		}
	})
	t.Run("Moved", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t)
		said := w.managed()
		app := w.application(storage.Production, said.text("client_id"))
		testkit.OK(t, w.store.MoveApplication(t.Context(), app.Environment, app.ClientID, app.Version, lake, 9)) // and nothing after
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			if p, _ := w.program(method, said.text("registration_client_uri"), said.text("registration_access_token"), again(said)); p.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s by the program of the organization before: %s %s", method, p.Status, p.body)
			}
		}
	})
}
