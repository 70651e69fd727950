package developer_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

const tokensPath = "/developer/o/river/production/tokens"

var shownToken = regexp.MustCompile(`id="new-token" dir="ltr">([^<]+)<`)

// makesToken has the owner of river make a registration token, for ten applications of
// app.test, below it and this machine unless values say otherwise.
func (w *fixture) makesToken(env string, values ...string) string {
	w.t.Helper()
	fields := append([]string{"name", "Robot", "hosts", "app.test\n*.app.test", "count", "10", "days", "7", "action", "make"}, values...)
	p := w.as(owner).submitForm("/developer/o/river/"+env+"/tokens", fields...)
	found := shownToken.FindStringSubmatch(p.body)
	if found == nil {
		w.t.Fatalf("no token: %s\n%s", p.Status, p.body)
	}
	return found[1]
}

// members are those of a JSON object.
type members map[string]any

// text is a member that is a text.
func (m members) text(name string) string {
	s, _ := m[name].(string)
	return s
}

// values is a member that is a list.
func (m members) values(name string) []string {
	var all []string
	list, _ := m[name].([]any)
	for _, v := range list {
		all = append(all, v.(string))
	}
	return all
}

// program sends JSON with a token, as programs do.
func (w *fixture) program(method, address, token string, body members) (page, members) {
	w.t.Helper()
	b := w.newBrowser()
	var text string
	if body != nil {
		raw, err := json.Marshal(body)
		w.ok(err)
		text = string(raw)
	}
	r := b.request(method, address, strings.NewReader(text))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	p := b.do(r)
	var said members
	if p.body != "" {
		if err := json.Unmarshal([]byte(p.body), &said); err != nil {
			w.t.Fatalf("%s %s: %s\n%s", method, address, p.Status, p.body)
		}
	}
	return p, said
}

// website is the metadata of a website, with others in their place.
func website(pairs ...any) members {
	m := members{
		"client_name": "Shop", "redirect_uris": []string{callbackURI}, "grant_types": []string{"authorization_code", "refresh_token"},
		"response_types": []string{"code"}, "token_endpoint_auth_method": "client_secret_basic",
	}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// registers registers a website in production.
func (w *fixture) registers(token string, pairs ...any) (page, members) {
	w.t.Helper()
	return w.program(http.MethodPost, w.server.URL+"/oauth/register", token, website(pairs...))
}

// managed registers a website in production, which must be so.
func (w *fixture) managed(pairs ...any) members {
	w.t.Helper()
	p, said := w.registers(w.makesToken(storage.Production), pairs...)
	if p.StatusCode != http.StatusCreated {
		w.t.Fatalf("%s %s", p.Status, p.body)
	}
	return said
}

// again is what is registered, as a program sends it back.
func again(said members, pairs ...any) members {
	m := members{}
	for name, value := range said {
		if name != "registration_access_token" && name != "registration_client_uri" && name != "client_secret_expires_at" && name != "client_id_issued_at" {
			m[name] = value
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func TestProgramRegistersAnApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token := w.makesToken(storage.Production)
	p, said := w.registers(token, "logo_uri", "https://app.test/logo.png", "policy_uri", "https://app.test/policy", "tos_uri", "https://app.test/terms", "initiate_login_uri", "https://app.test/start",
		"contacts", []string{"a@app.test"}, "skip_consent", true, "application_type", "web")
	app, client := w.registered(river, storage.Production)
	if p.StatusCode != http.StatusCreated || p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	if said.text("client_id") != app.ClientID || said.text("registration_client_uri") != w.server.URL+"/oauth/register/"+app.ClientID ||
		len(said.text("registration_access_token")) < 43 || len(said.text("client_secret")) < 43 || said["client_secret_expires_at"] != 0.0 ||
		said.text("policy_uri") == "" || said.text("tos_uri") == "" || said.text("initiate_login_uri") != "https://app.test/start" || said["logo_uri"] != nil || said["contacts"] != nil ||
		said.text("id_token_signed_response_alg") != "RS256" || said.text("subject_type") != "public" || said.text("application_type") != "web" ||
		said.text("scope") != "openid offline_access profile email" {
		t.Errorf("the answer is %s", p.body)
	}
	if app.Kind != "web" || app.CreatedBy != owner || app.Name != "Shop" || !client.Unreviewed || client.SkipConsent || client.Dialect != provider.Standard ||
		!client.SelfManaged || client.PolicyURL != "https://app.test/policy" || len(client.Logo) > 0 {
		t.Errorf("%+v %+v", app, client)
	}
	if secret, err := w.id.Clients().Secret(t.Context(), client.ID); err != nil || secret != said.text("client_secret") {
		t.Errorf("the secret is another: %v", err)
	}
	if c := w.changes(river)[0]; c.What != "application.register" || c.ClientID != client.ID || c.UserID != "program:"+client.ID || c.Fields[0].After != "Robot" {
		t.Errorf("the log has %+v", c)
	}
	for _, secret := range []string{token, said.text("registration_access_token"), said.text("client_secret")} {
		if strings.Contains(w.log.String(), secret) || w.onDisk(secret) {
			t.Error("a secret is in clear in the log or on the disk")
		}
	}
	says(t, w.as(viewer).open("/developer/o/river/activity"), http.StatusOK, "Application registered by a program", "a program")
	says(t, w.as(dev).open("/developer/o/river/production/"+client.ID), http.StatusOK, "Shop")
}

// onDisk reports whether a text is in one of the databases.
func (w *fixture) onDisk(text string) bool {
	w.t.Helper()
	for _, path := range w.paths {
		for _, file := range []string{path, path + "-wal"} {
			raw, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.t.Fatal(err)
			}
			if strings.Contains(string(raw), text) {
				return true
			}
		}
	}
	return false
}

func TestProgramRegistersEverythingThatAnApplicationHas(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token := w.makesToken(storage.Production)
	want := members{
		"client_name": "Bank", "redirect_uris": []string{callbackURI, "https://b.app.test/cb?x=1"}, "post_logout_redirect_uris": []string{"https://app.test/"},
		"grant_types": []string{"authorization_code", "refresh_token", "client_credentials", "implicit"}, "response_types": []string{"code", "code id_token"},
		"scope": "openid military", "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "PS256",
		"jwks_uri": "https://app.test/keys", "require_pushed_authorization_requests": true, "require_signed_request_object": true,
		"request_object_signing_alg": "ES256", "dpop_bound_access_tokens": true, "id_token_signed_response_alg": "RS256",
		"userinfo_signed_response_alg": "RS256", "authorization_signed_response_alg": "RS256",
		"backchannel_logout_uri": "https://app.test/ended", "backchannel_logout_session_required": true, "subject_type": "public",
	}
	p, said := w.program(http.MethodPost, w.server.URL+"/oauth/register", token, want)
	if p.StatusCode != http.StatusCreated || said["client_secret"] != nil {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	for name, value := range want {
		got, _ := json.Marshal(said[name])
		asked, _ := json.Marshal(value)
		if string(got) != string(asked) {
			t.Errorf("%s is %s and not %s", name, got, asked)
		}
	}
	for kind, body := range map[string]members{
		"native":  website("token_endpoint_auth_method", "none", "redirect_uris", []string{"http://127.0.0.1/cb", "test.app:/cb"}),
		"spa":     website("token_endpoint_auth_method", "none"),
		"machine": {"client_name": "Robot", "grant_types": []string{"client_credentials"}},
	} {
		p, said := w.program(http.MethodPost, w.server.URL+"/oauth/register", token, body)
		if p.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s %s", kind, p.Status, p.body)
		}
		if a := w.application(storage.Production, said.text("client_id")); a.Kind != kind {
			t.Errorf("%s is %s", kind, a.Kind)
		}
		c := w.client(storage.Production, said.text("client_id"))
		if kind == "spa" && !slices.Equal(c.Origins, []string{"https://app.test"}) || kind == "machine" && c.Scopes[0] != "openid" {
			t.Errorf("%s: %+v", kind, c)
		}
		if (said.text("application_type") == "native") != (kind == "native") {
			t.Errorf("%s has the type %s", kind, said.text("application_type"))
		}
	}
}

// A token is for as many applications as it says, where it says, as long as its maker is an owner.
func TestAttackRegistrationToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	refused := func(what, env, token string) {
		t.Helper()
		at := map[string]string{storage.Production: w.server.URL, storage.Sandbox: w.sandboxServer.URL}[env] + "/oauth/register"
		p, said := w.program(http.MethodPost, at, token, website())
		if p.StatusCode != http.StatusUnauthorized || said.text("error") != "invalid_token" || strings.Contains(p.Header.Get("WWW-Authenticate"), "DPoP") {
			t.Errorf("%s: %s %s", what, p.Status, p.body)
		}
	}
	token := w.makesToken(storage.Production, "count", "1")
	refused("of another environment", storage.Sandbox, token)
	refused("guessed", storage.Production, "XK3W7QZP2M5RTV4NB6JY8HCD9F")
	if p, _ := w.registers(""); p.StatusCode != http.StatusUnauthorized || p.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without one: %s %s", p.Status, p.body)
	}
	if p, _ := w.registers(token); p.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", p.Status, p.body)
	}
	refused("one time too many", storage.Production, token)

	token = w.makesToken(storage.Production)
	b := w.as(owner)
	says(t, b.submitForm(tokensPath, "action", "end"), http.StatusOK, "Token revoked.")
	refused("revoked", storage.Production, token)

	token = w.makesToken(storage.Production, "days", "1")
	w.advance(24 * time.Hour)
	refused("expired", storage.Production, token)

	w.setRole(dev, storage.RoleOwner)
	token = w.makesToken(storage.Production)
	w.as(dev).submitForm("/developer/o/river/members", "user", owner, "role", "developer", "action", "role")
	refused("of who is no owner any more", storage.Production, token)
}

// What developers cannot choose, a program cannot register.
func TestAttackRegistrationForMore(t *testing.T) {
	t.Parallel()
	w := newFixture(t, withOperatorScope)
	token := w.makesToken(storage.Production, "count", "100")
	for name, c := range map[string]struct {
		member string
		value  any
		error  string
	}{
		"a foreign host":       {"redirect_uris", []string{callbackURI, "https://evil.test/cb"}, "invalid_redirect_uri"},
		"a host that looks so": {"redirect_uris", []string{"https://app.test.evil.test/cb"}, "invalid_redirect_uri"},
		"a user name":          {"redirect_uris", []string{"https://app.test@evil.test/cb"}, "invalid_redirect_uri"},
		"a fragment":           {"redirect_uris", []string{callbackURI + "#x"}, "invalid_redirect_uri"},
		"plain http":           {"redirect_uris", []string{"http://app.test/cb"}, "invalid_redirect_uri"},
		"a foreign scheme":     {"redirect_uris", []string{"test.evil:/cb"}, "invalid_redirect_uri"},
		"a script":             {"redirect_uris", []string{"javascript:alert(1)"}, "invalid_redirect_uri"},
		"none":                 {"redirect_uris", []string{}, "invalid_redirect_uri"},
		"a foreign way back":   {"post_logout_redirect_uris", []string{"https://evil.test/"}, "invalid_client_metadata"},
		"a foreign start":      {"initiate_login_uri", "https://evil.test/start", "invalid_client_metadata"},
		"a start over http":    {"initiate_login_uri", "http://app.test/start", "invalid_client_metadata"},
		"a start in an app":    {"initiate_login_uri", "test.app:/start", "invalid_client_metadata"},
		"a foreign request":    {"request_uris", []string{"https://evil.test/request"}, "invalid_client_metadata"},
		"a foreign key set":    {"jwks_uri", "https://evil.test/keys", "invalid_client_metadata"},
		"foreign terms":        {"tos_uri", "https://evil.test/terms", "invalid_client_metadata"},
		"a foreign policy":     {"policy_uri", "https://evil.test/policy", "invalid_client_metadata"},
		"foreign notices":      {"backchannel_logout_uri", "https://evil.test/ended", "invalid_client_metadata"},
		"a device":             {"grant_types", []string{"authorization_code", "urn:ietf:params:oauth:grant-type:device_code"}, "invalid_client_metadata"},
		"absent users":         {"grant_types", []string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "invalid_client_metadata"},
		"no signature":         {"id_token_signed_response_alg", "none", "invalid_client_metadata"},
		"an unknown signature": {"userinfo_signed_response_alg", "HS256", "invalid_client_metadata"},
		"encryption":           {"id_token_encrypted_response_alg", "RSA-OAEP", "invalid_client_metadata"},
		"pairwise subjects":    {"subject_type", "pairwise", "invalid_client_metadata"},
		"a sector":             {"sector_identifier_uri", "https://app.test/sector", "invalid_client_metadata"},
		"certificates":         {"token_endpoint_auth_method", "tls_client_auth", "invalid_client_metadata"},
		"two key sets":         {"jwks", map[string]any{"keys": []any{}}, "invalid_client_metadata"},
		"a name that is none":  {"client_name", strings.Repeat("a", 121), "invalid_client_metadata"},
		"a hidden name":        {"client_name", "Shop\u202e", "invalid_client_metadata"},
		"a large body":         {"client_name", strings.Repeat("a", 9000), "invalid_client_metadata"},
		"operators' scope":     {"scope", "teacher", "invalid_client_metadata"},
	} {
		w.advance(time.Hour) // so that nobody waits
		pairs := []any{c.member, c.value}
		if name == "two key sets" {
			pairs = append(pairs, "jwks_uri", "https://app.test/keys", "token_endpoint_auth_method", "private_key_jwt")
		}
		p, said := w.registers(token, pairs...)
		if p.StatusCode != http.StatusBadRequest || said.text("error") != c.error || strings.Contains(p.body, "evil") ||
			!strings.Contains(said.text("error_description"), c.member) && name != "encryption" && name != "a large body" {
			t.Errorf("%s: %s %s", name, p.Status, p.body)
		}
	}
	if len(w.live()) != 0 {
		t.Errorf("%d applications", len(w.live()))
	}
	w.advance(time.Hour)
	p, said := w.registers(token, "scope", "openid military teacher nothing", "require_verified", true, "unreviewed", false, "profile", "fapi2")
	if p.StatusCode != http.StatusCreated || said.text("scope") != "openid military" {
		t.Errorf("what is left: %s %s", p.Status, p.body)
	}
	w.advance(time.Hour)
	if p, _ := w.registers(token, "client_name", "Bonafide"); p.StatusCode != http.StatusBadRequest {
		t.Errorf("the name of the service: %s %s", p.Status, p.body)
	}
}

// withOperatorScope keeps a scope from developers.
func withOperatorScope(c *developer.Config) { c.OperatorScopes = []string{"teacher"} }

// A registration counts against the organization, which may be stopped.
func TestAttackRegistrationBeyondTheOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Operator, c.Quotas.Applications = isOperator, 1 })
	token := w.makesToken(storage.Production)
	p, said := w.registers(token)
	says(t, p, http.StatusCreated)
	uri, own := said.text("registration_client_uri"), said.text("registration_access_token")
	if p, said := w.registers(token); p.StatusCode != http.StatusForbidden || said.text("error") != "access_denied" {
		t.Errorf("one application too many: %s %s", p.Status, p.body)
	}
	w.suspends(w.as(operator))
	if p, said := w.registers(token); p.StatusCode != http.StatusForbidden || !strings.Contains(said.text("error_description"), "suspended") {
		t.Errorf("of a suspended organization: %s %s", p.Status, p.body)
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		if p, _ := w.program(method, uri, own, again(said)); p.StatusCode != http.StatusForbidden {
			t.Errorf("%s of a suspended organization: %s %s", method, p.Status, p.body)
		}
	}
	if len(w.live()) != 1 {
		t.Errorf("%d applications", len(w.live()))
	}
}

// A stranger who floods, by guesses or without a token, waits, and has no program wait that comes
// from the same address with a token, however many it is for; and such a program waits once it has
// used its own limit.
func TestAttackRegistrationFloodAtTheAddressOfAProgram(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token := w.makesToken(storage.Production, "count", "100")
	post := func(want int, token string) {
		t.Helper()
		if p, _ := w.registers(token, "redirect_uris", []string{}); p.StatusCode != want {
			t.Fatalf("%s %s, want %d", p.Status, p.body, want)
		}
	}
	for i := range 30 {
		post(map[bool]int{true: http.StatusUnauthorized, false: http.StatusTooManyRequests}[i < 20], []string{"", "GUESS"}[i%2])
	}
	p, said := w.registers(token)
	says(t, p, http.StatusCreated)
	uri, own := said.text("registration_client_uri"), said.text("registration_access_token")
	read := func(want int, token string) {
		t.Helper()
		if p, _ := w.program(http.MethodGet, uri, token, nil); p.StatusCode != want {
			t.Fatalf("%s %s, want %d", p.Status, p.body, want)
		}
	}
	for range 60 {
		read(http.StatusUnauthorized, "GUESS")
	}
	read(http.StatusTooManyRequests, "GUESS")
	for range 60 {
		read(http.StatusOK, own)
	}
	read(http.StatusTooManyRequests, own)
	for range 119 {
		post(http.StatusBadRequest, token)
	}
	post(http.StatusTooManyRequests, token)
	post(http.StatusBadRequest, w.makesToken(storage.Production))
}

// TestDeviceProgramNamesAResponseType tests that a response type and redirect URIs which no grant of a
// program uses are left out of its registration (RFC 7591 section 2).
func TestDeviceProgramNamesAResponseType(t *testing.T) {
	t.Parallel()
	w := newFixture(t, letDevices)
	p, said := w.registers(w.makesToken(storage.Production), "grant_types", []string{deviceGrant, "refresh_token"}, "response_types", []string{"token"},
		"redirect_uris", []string{"http://localhost:4242", "edu.kit.data.oidc-agent:/redirect"})
	if types, is := said["response_types"].([]any); p.StatusCode != http.StatusCreated || !is || len(types) != 0 || said["redirect_uris"] != nil {
		t.Errorf("%s %s", p.Status, p.body)
	}
}
