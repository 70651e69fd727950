package tokens

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

const registerPath = "/oauth/register"

// newRegistering is a provider with users at which clients register themselves.
func newRegistering(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	return lab.New(t, append(change, func(c *provider.Config) {
		c.UnknownClients.Register, c.UnknownClients.Allow, c.UnknownClients.Trusted = "open", []string{"app.example"}, []string{"trusted.example"}
	})...).WithClients().WithUsers()
}

// registered registers a program on the user's device, with these members beside.
func registered(b *lab.Browser, pairs ...any) (lab.Page, map[string]any) {
	b.T.Helper()
	members := map[string]any{
		"client_name": "Code Helper", "redirect_uris": []string{program}, "grant_types": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": "none",
	}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i].(string)] = pairs[i+1]
	}
	text := testkit.Must(json.Marshal(members))(b.T)
	return b.JSON(b.Send(http.MethodPost, registerPath, string(text), "Content-Type", "application/json"))
}

// asks is an authorization request of a client that has registered itself.
func asks(id any, pairs ...string) string {
	return lab.AuthorizeURL(append([]string{"client_id", id.(string), "redirect_uri", "http://localhost:4711/callback", "scope", "openid offline_access",
		"nonce", "n", "code_challenge", s256, "code_challenge_method", "S256"}, pairs...)...)
}

// TestRegistration tests the whole way of a client that registers itself.
func TestRegistration(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	_, metadata := b.JSON(b.Get("/oidc/.well-known/openid-configuration"))
	if at, _ := metadata["registration_endpoint"].(string); !strings.HasSuffix(at, registerPath) {
		t.Errorf("discovery says %v", metadata["registration_endpoint"])
	}
	got, said := registered(b)
	if got.StatusCode != http.StatusCreated || said["client_secret"] != nil || said["token_endpoint_auth_method"] != "none" || said["client_name"] != "Code Helper" ||
		said["scope"] != "openid offline_access" || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s %s", got.Status, got.Text)
	}
	_, again := registered(b)
	if again["client_id"] == said["client_id"] {
		t.Error("two programs are one client")
	}
	id := said["client_id"].(string)
	for range 2 { // asked every time: any program on the device can pose as this one
		page := b.Open(asks(id))
		if page.StatusCode != http.StatusOK || !strings.Contains(page.Text, "Code Helper") || !strings.Contains(page.Text, "localhost") {
			t.Fatalf("%s\n%s", page.Status, page.Text)
		}
		code := lab.Response(t, b.Submit(page, "action", "allow")).Get("code")
		got, tokens := b.Token("client_id", id, "client_secret", "", "code", code, "redirect_uri", "http://localhost:4711/callback", "code_verifier", verifier)
		lab.Granted(t, got, tokens)
		got, tokens = b.Token("client_id", id, "client_secret", "", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", "")
		lab.Granted(t, got, tokens)
	}
	row, _ := stored(w, id)
	if row.Origin != storage.OriginRegistered || !row.Unreviewed || !row.RequirePKCE || row.ExpiresAt.Sub(w.Now()) < 90*24*time.Hour {
		t.Errorf("%+v", row)
	}
	if page := b.Open(asks(id, "prompt", "none")); !strings.Contains(page.Header.Get("Location"), "error=consent_required") {
		t.Errorf("without a screen: %s %s", page.Status, page.Header.Get("Location"))
	}
	if page := b.Open(asks(id, "code_challenge", "", "code_challenge_method", "")); !strings.Contains(page.Header.Get("Location"), "error=invalid_request") {
		t.Errorf("without PKCE: %s %s", page.Status, page.Header.Get("Location"))
	}
}

// TestRegistrationIsOff tests that nobody registers a client unless the host wants it.
func TestRegistrationIsOff(t *testing.T) {
	t.Parallel()
	w := lab.New(t, withDocuments())
	b := w.NewBrowser()
	if got := b.Send(http.MethodPost, registerPath, `{"redirect_uris":["http://localhost/"]}`, "Content-Type", "application/json"); got.StatusCode != http.StatusNotFound {
		t.Errorf("%s", got.Status)
	}
	if _, said := b.JSON(b.Get("/oidc/.well-known/openid-configuration")); said["registration_endpoint"] != nil {
		t.Error("discovery says that it is on")
	}
}

// TestRegistrationForMore tests that what is beyond the policy is left out, and that the response
// says so.
func TestRegistrationForMore(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	b := w.NewBrowser()
	got, said := registered(b, "grant_types", []string{"implicit", "client_credentials", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code"},
		"response_types", []string{"token", "code"}, "scope", "military openid email openid", "skip_consent", true, "dialect", "v3", "origin", "", "client_id", "v3",
		"client_secret", "mine", "token_endpoint_auth_method", "client_secret_post", "client_name", "Veterans Shop\u202e", "jwks_uri", "https://app.example/jwks")
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", got.Status, got.Text)
	}
	for name, want := range map[string]string{
		"grant_types": "[authorization_code]", "response_types": "[code]", "scope": "openid", "token_endpoint_auth_method": "none",
	} {
		text := ""
		switch v := said[name].(type) {
		case string:
			text = v
		case []any:
			text = "[" + v[0].(string) + "]"
			if len(v) != 1 {
				t.Errorf("%s: %v", name, v)
			}
		}
		if text != want {
			t.Errorf("%s is %v", name, said[name])
		}
	}
	row, there := stored(w, said["client_id"].(string))
	if !there || said["client_id"] == "v3" || said["client_name"] != nil || said["client_secret"] != nil || row.SkipConsent || row.Dialect != "standard" || row.JWKSURI != "" {
		t.Errorf("%s\n%+v", got.Text, row)
	}
	_, said = registered(b, "scope", "military")
	if row, _ := stored(w, said["client_id"].(string)); !slices.Equal(row.Scopes, []string{"openid"}) {
		t.Errorf("nothing that it may ask for becomes %q", row.Scopes)
	}
	b.SignIn("alice@example.com", lab.AlicePass)
	if page := b.Open(asks(said["client_id"], "scope", "openid military")); !strings.Contains(page.Header.Get("Location"), "error=invalid_scope") {
		t.Errorf("%s %s", page.Status, page.Header.Get("Location"))
	}
}

// TestRegistrationWithSecret tests that a client of hosts that the operator names gets a secret,
// which is not in clear in the database, and that it must present.
func TestRegistrationWithSecret(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	const back = "https://app.example/cb"
	got, said := registered(b, "redirect_uris", []string{back, "https://trusted.example/cb"}, "token_endpoint_auth_method", "client_secret_post")
	secret, _ := said["client_secret"].(string)
	if got.StatusCode != http.StatusCreated || len(secret) < 43 || said["client_secret_expires_at"] != 0.0 || said["token_endpoint_auth_method"] != "client_secret_post" {
		t.Fatalf("%s %s", got.Status, got.Text)
	}
	row, _ := stored(w, said["client_id"].(string))
	if text, _ := json.Marshal(row); strings.Contains(string(text), secret) || strings.Contains(w.Log.String(), secret) {
		t.Error("the secret is in clear")
	}
	page := b.Open(asks(said["client_id"], "redirect_uri", back))
	if !strings.Contains(page.Text, "app.example, trusted.example") {
		t.Errorf("its hosts are not shown: %s\n%s", page.Status, page.Text)
	}
	code := lab.Response(t, b.Submit(page, "action", "allow")).Get("code")
	for _, c := range []struct {
		secret string
		status int
	}{{"", http.StatusUnauthorized}, {"guess", http.StatusUnauthorized}, {secret, http.StatusOK}} {
		got, tokens := b.Token("client_id", said["client_id"].(string), "client_secret", c.secret, "code", code, "redirect_uri", back, "code_verifier", verifier)
		if got.StatusCode != c.status {
			t.Errorf("with %q: %s %v", c.secret, got.Status, tokens)
		}
	}
	if _, said := registered(b, "redirect_uris", []string{back}, "token_endpoint_auth_method", nil); said["token_endpoint_auth_method"] != "client_secret_basic" {
		t.Errorf("the default is %v", said["token_endpoint_auth_method"])
	}
	if _, said := registered(b, "redirect_uris", []string{back, program}, "token_endpoint_auth_method", nil); said["token_endpoint_auth_method"] != "none" || said["client_secret"] != nil {
		t.Errorf("a program gets %v", said)
	}
}

// TestRegistrationRefused tests what makes no client, with the errors of RFC 7591 section 3.2.2.
func TestRegistrationRefused(t *testing.T) {
	t.Parallel()
	w := newRegistering(t, func(c *provider.Config) {
		c.TrustedProxies, c.UnknownClients.Deny = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"denied.example"}
	})
	b := w.NewBrowser()
	before, tries := w.Count("clients"), 0
	send := func(body, kind string) (lab.Page, map[string]any) {
		tries++ // each from another address
		return b.JSON(b.Send(http.MethodPost, registerPath, body, "Content-Type", kind, "X-Forwarded-For", "192.0.2."+strconv.Itoa(tries)))
	}
	addresses := func(uris ...string) string {
		text, _ := json.Marshal(map[string]any{"redirect_uris": uris})
		return string(text)
	}
	for body, want := range map[string]string{
		`{}`: "invalid_redirect_uri", `{"redirect_uris":[]}`: "invalid_redirect_uri", ``: "invalid_client_metadata", `[]`: "invalid_client_metadata",
		`{"redirect_uris":"http://localhost/"}`: "invalid_client_metadata",
		addresses("https://evil.example/cb"):    "invalid_redirect_uri", addresses("https://a.app.example/cb"): "invalid_redirect_uri",
		addresses("https://app.example.evil.example/"): "invalid_redirect_uri", addresses("https://app.example@evil.example/"): "invalid_redirect_uri",
		addresses("http://localhost/", "https://evil.example/"): "invalid_redirect_uri", addresses("http://app.example/cb"): "invalid_redirect_uri",
		addresses("http://localhost.evil.example/"): "invalid_redirect_uri", addresses("javascript:alert(1)"): "invalid_redirect_uri",
		addresses("data:text/html,x"): "invalid_redirect_uri", addresses("example.denied:/cb"): "invalid_redirect_uri", addresses("http://localhost/#f"): "invalid_redirect_uri",
		addresses("http://localhost/?code=x"): "invalid_redirect_uri", addresses(slices.Repeat([]string{"http://localhost/"}, 21)...): "invalid_redirect_uri",
		`{"redirect_uris":["http://localhost/"],"post_logout_redirect_uris":["https://evil.example/"]}`: "invalid_client_metadata",
		`{"redirect_uris":["http://localhost/"],"grant_types":["client_credentials"]}`:                  "invalid_client_metadata",
		`{"redirect_uris":["http://localhost/"],"response_types":["token"]}`:                            "invalid_client_metadata",
		`{"redirect_uris":["http://localhost/"],"token_endpoint_auth_method":"private_key_jwt"}`:        "invalid_client_metadata",
		`{"redirect_uris":["http://localhost/"],"client_name":"` + strings.Repeat("a", 9000) + `"}`:     "invalid_client_metadata",
	} {
		if got, said := send(body, "application/json"); got.StatusCode != http.StatusBadRequest || said["error"] != want || strings.Contains(got.Text, "evil") {
			t.Errorf("%.100s: %s %s", body, got.Status, got.Text)
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", ""} {
		if got, _ := send(addresses("http://localhost/"), kind); got.StatusCode != http.StatusBadRequest {
			t.Errorf("a form of %q: %s", kind, got.Status)
		}
	}
	if after := w.Count("clients"); after != before {
		t.Errorf("%d rows", after-before)
	}
}

// TestRegistrationFlood tests that one address soon waits, that others do not, and that what
// nobody has allowed is gone within a day.
func TestRegistrationFlood(t *testing.T) {
	t.Parallel()
	w := newRegistering(t, func(c *provider.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	from := func(address string) (lab.Page, map[string]any) {
		return b.JSON(b.Send(http.MethodPost, registerPath, `{"redirect_uris":["http://localhost/callback"]}`, "Content-Type", "application/json", "X-Forwarded-For", address))
	}
	before, ids := w.Count("clients"), []string{}
	for i := range 100 {
		got, said := from("192.0.2.1")
		switch {
		case i < 20 && got.StatusCode == http.StatusCreated:
			ids = append(ids, said["client_id"].(string))
		case i >= 20 && got.StatusCode == http.StatusTooManyRequests && got.Header.Get("Retry-After") != "" && said["error"] != nil:
		default:
			t.Fatalf("number %d: %s %s", i, got.Status, got.Text)
		}
	}
	if after := w.Count("clients"); after != before+20 {
		t.Errorf("%d rows", after-before)
	}
	got, said := from("198.51.100.1")
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("another address: %s %s", got.Status, got.Text)
	}
	lab.Response(t, b.Submit(b.Open(asks(said["client_id"], "scope", "openid")), "action", "allow"))
	over := func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool {
			row, there := stored(w, id)
			return there && !row.Deleted
		})
	}
	if over() {
		t.Error("they are gone at once")
	}
	w.Advance(30 * time.Hour)
	w.AgreeOnTime()
	work(w, over)
	if row, there := stored(w, said["client_id"].(string)); !there || row.Deleted {
		t.Error("a client in use is gone")
	}
}

// TestDeniedHostRegisters tests that no client registers itself with a way back to a denied host,
// beside one that is allowed, and that those that have lose what they got.
func TestDeniedHostRegisters(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.UnknownClients.Register, c.UnknownClients.Allow = "open", []string{"app.example", "*.bad.example"}
	}).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	both := []string{program, "https://app.example/cb", "https://a.bad.example/cb"}
	got, said := registered(b, "redirect_uris", both)
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", got.Status, got.Text)
	}
	code := lab.Response(t, b.Submit(b.Open(asks(said["client_id"])), "action", "allow")).Get("code")
	page := b.Open(asks(said["client_id"]))
	w.OK(w.Twin().Rooms().Hosts.Deny(t.Context(), "BAD.example", "It sends people elsewhere.")) // another process
	w.Advance(time.Second)
	if got, tokens := b.Token("client_id", said["client_id"].(string), "client_secret", "", "code", code, "redirect_uri", "http://localhost:4711/callback", "code_verifier", verifier); tokens["error"] != "invalid_client" {
		t.Errorf("a code from before: %s %v", got.Status, tokens)
	}
	if got := b.SubmitOnce(page, "action", "allow"); strings.Contains(got.Header.Get("Location"), "code=") {
		t.Errorf("a consent screen from before: %s %s", got.Status, got.Header.Get("Location"))
	}
	for name, uris := range map[string][]string{
		"both": both, "spelling": {"https://A.Bad.Example/cb"}, "dot": {"https://a.bad.example./cb"}, "port": {"https://a.bad.example:8443/cb"}, "scheme": {"example.bad.app:/cb"},
	} {
		if got, said := registered(b, "redirect_uris", uris); got.StatusCode != http.StatusBadRequest || said["error"] != "invalid_redirect_uri" {
			t.Errorf("%s: %s %v", name, got.Status, said)
		}
	}
	if got, _ := registered(b, "redirect_uris", []string{"https://app.example/cb"}); got.StatusCode != http.StatusCreated {
		t.Errorf("an allowed one: %s", got.Status)
	}
}

// TestErrorForAStranger tests that nobody is sent to the address of an application that nobody has
// registered before having seen a page of ours (RFC 9700 section 4.11.2): the page names the host,
// and leads there.
func TestErrorForAStranger(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	_, said := registered(w.NewBrowser(), "redirect_uris", []string{"https://app.example/callback"})
	for name, wrong := range map[string][]string{
		"ResponseType": {"response_type", "INVALID"}, "NoScreen": {"prompt", "none"}, "Scope": {"scope", "nobody-knows"}, "NoChallenge": {"code_challenge", ""},
	} {
		ask := asks(said["client_id"], append([]string{"redirect_uri", "https://app.example/callback"}, wrong...)...)
		page := w.NewBrowser().Get(ask)
		if page.StatusCode != http.StatusBadRequest || page.Header.Get("Location")+page.Next() != "" ||
			!strings.Contains(page.Text, "https://app.example/callback?error=") || !strings.Contains(page.Text, "app.example</bdi>") {
			t.Errorf("%s: %s %v\n%s", name, page.Status, page.Header, page.Text)
		}
		known := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		if page = known.Get(ask); !strings.Contains(page.Header.Get("Location"), "https://app.example/callback?error=") {
			t.Errorf("%s, of who is signed in: %s %v", name, page.Status, page.Header)
		}
	}
	page := w.NewBrowser().Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...))
	if !strings.Contains(page.Header.Get("Location"), "error=login_required") {
		t.Errorf("of a registered application: %s %v", page.Status, page.Header)
	}
}

// TestSchemeOfAnEditor tests that a program may come back by a scheme of one word that the operator
// knows, and that none of a browser's is one.
func TestSchemeOfAnEditor(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	const back = "cursor://anysphere.cursor-mcp/oauth/callback"
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	got, said := registered(b, "redirect_uris", []string{back})
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", got.Status, got.Text)
	}
	page := b.Open(asks(said["client_id"], "redirect_uri", back))
	if !strings.Contains(page.Text, "program on this device") {
		t.Errorf("nothing says that it is a program\n%s", page.Text)
	}
	page = b.Submit(page, "action", "allow")
	if at := page.Next(); !strings.HasPrefix(at, back+"?code=") {
		t.Errorf("%s %q\n%s", page.Status, at, page.Text)
	}
	if page = b.Get(asks(said["client_id"], "redirect_uri", back, "code_challenge", "", "code_challenge_method", "")); !strings.Contains(page.Header.Get("Location"), "error=invalid_request") {
		t.Errorf("without PKCE: %s %v", page.Status, page.Header)
	}
	for _, uri := range []string{"other://callback", "javascript:alert(1)", "data:text/html,x", "CURSOR://callback", "vscode-other://x"} {
		if got, _ := registered(b, "redirect_uris", []string{uri}); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", uri, got.Status)
		}
	}
	none := newRegistering(t, func(c *provider.Config) { c.UnknownClients.Schemes = []string{} })
	if got, _ := registered(none.NewBrowser(), "redirect_uris", []string{back}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("where the operator has none: %s", got.Status)
	}
	for _, scheme := range []string{"http", "javascript", "data", "Cursor", "a.b", "ms-settings", ""} {
		_, err := provider.New(t.Context(), provider.Config{
			BaseURL: "https://id.test", Secret: lab.Secret(t), Store: w.Store, UnknownClients: provider.UnknownClients{Schemes: []string{scheme}},
		})
		if err == nil || !strings.Contains(err.Error(), "UnknownClients.Schemes") {
			t.Errorf("%q: %v", scheme, err)
		}
	}
}

// TestForgottenRegistration tests that who meets a program whose registration is gone is told what
// helps.
func TestForgottenRegistration(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	page := w.NewBrowser().Get(asks("dyn-NOBODYKNOWSTHIS0"))
	if page.StatusCode != http.StatusBadRequest || !strings.Contains(page.Text, "remove the connection and add it again") {
		t.Errorf("%s\n%s", page.Status, page.Text)
	}
	if page = w.NewBrowser().Get(asks("nobody")); !strings.Contains(page.Text, "contact the app’s owner") {
		t.Errorf("another: %s\n%s", page.Status, page.Text)
	}
}

// TestDamagedRegistrationIsForgotten tests that one which nobody can read goes with its time, as others do.
func TestDamagedRegistrationIsForgotten(t *testing.T) {
	t.Parallel()
	w := newRegistering(t)
	_, said := registered(w.NewBrowser())
	w.MustExec(`UPDATE clients SET registration = '{"name": 7}' WHERE id LIKE 'dyn-%'`)
	w.Advance(48 * time.Hour)
	w.AgreeOnTime()
	w.Until(func() bool {
		_, err := w.Store.Client(t.Context(), said["client_id"].(string))
		return errors.Is(err, storage.ErrNotFound)
	})
}
