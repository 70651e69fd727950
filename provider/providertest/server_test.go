package providertest_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func authorizeURL(s *providertest.Server, pairs ...string) string {
	q := url.Values{
		"client_id": {s.ClientID}, "redirect_uri": {s.RedirectURI}, "response_type": {"code"},
		"scope": {"openid military"}, "state": {"xyz"},
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return s.URL + "/oauth/authorize?" + q.Encode()
}

// token posts to the token endpoint.
func token(t *testing.T, s *providertest.Server, pairs ...string) (status int, answer map[string]any) {
	t.Helper()
	form := url.Values{"client_id": {s.ClientID}, "client_secret": {s.ClientSecret}, "redirect_uri": {s.RedirectURI}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/oauth/token", strings.NewReader(form.Encode())))(t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	body := do(t, s, r, &status)
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return status, answer
}

func do(t *testing.T, s *providertest.Server, r *http.Request, status *int) []byte {
	t.Helper()
	response, err := s.HTTPClient().Do(r)
	testkit.OK(t, err)
	defer func() { _ = response.Body.Close() }()
	body := testkit.Must(io.ReadAll(response.Body))(t)
	*status = response.StatusCode
	return body
}

// userinfo returns the status with which an access token is answered.
func userinfo(t *testing.T, s *providertest.Server, access any) (status int) {
	t.Helper()
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/public/v3/userinfo", nil))(t)
	r.Header.Set("Authorization", "Bearer "+access.(string))
	do(t, s, r, &status)
	return status
}

func TestEachPersonaGetsItsAnswerOnTheScreens(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	for _, persona := range sandbox.DefaultPersonas() {
		if persona.Locked {
			_, err := s.NewBrowser().SignIn(t.Context(), authorizeURL(s), persona.Name)
			if err == nil || !strings.Contains(err.Error(), "403") {
				t.Errorf("%s: error is %v", persona.Name, err)
			}
			continue
		}
		want := ""
		if persona.Consent == "deny" {
			want = "access_denied"
		}
		callback := s.SignIn(t, authorizeURL(s), persona.Name)
		answer := callback.Query()
		if answer.Get("error") != want || answer.Get("state") != "xyz" || (answer.Get("code") == "") != (want != "") {
			t.Errorf("%s: answered %s", persona.Name, callback)
		}
		if !strings.HasPrefix(callback.String(), s.RedirectURI+"?") {
			t.Errorf("%s: sent to %s", persona.Name, callback)
		}
	}
}

func TestWhatIsIssuedExpiresWhenTimeAdvances(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	status, tokens := token(t, s, "grant_type", "authorization_code", "code", s.SignIn(t, authorizeURL(s), "veteran").Query().Get("code"))
	if status != http.StatusOK {
		t.Fatalf("token: %d %v", status, tokens)
	}
	if got := userinfo(t, s, tokens["access_token"]); got != http.StatusOK {
		t.Errorf("userinfo: %d", got)
	}
	s.Advance(5 * time.Minute)
	if got := userinfo(t, s, tokens["access_token"]); got != http.StatusUnauthorized {
		t.Errorf("userinfo after five minutes: %d", got)
	}
	status, next := token(t, s, "grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string))
	if status != http.StatusOK {
		t.Fatalf("refresh: %d %v", status, next)
	}
	s.Advance(7 * 24 * time.Hour)
	if status, next = token(t, s, "grant_type", "refresh_token", "refresh_token", next["refresh_token"].(string)); next["error"] != "invalid_grant" {
		t.Errorf("refresh after a week: %d %v", status, next)
	}
}

func TestABrowserStaysSignedInUntilItIsAnothersTurn(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	b := s.NewBrowser()
	subject := func(persona string, pairs ...string) string {
		t.Helper()
		callback := testkit.Must(b.SignIn(t.Context(), authorizeURL(s, pairs...), persona))(t)
		if callback.Query().Get("error") != "" {
			return callback.Query().Get("error")
		}
		_, tokens := token(t, s, "grant_type", "authorization_code", "code", callback.Query().Get("code"))
		return payload(t, tokens["id_token"].(string))["sub"].(string)
	}
	var got []string
	got = append(got,
		subject("veteran", "prompt", "none"), subject("veteran"), subject("veteran", "prompt", "none"),
		subject("veteran", "prompt", "login"), subject("veteran", "prompt", "select_account consent"),
		subject("student"), subject("veteran", "prompt", "none"))
	want := []string{"login_required", "persona.veteran", "persona.veteran", "persona.veteran", "persona.veteran", "persona.student", "login_required"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// payload returns the claims of a token, unverified.
func payload(t *testing.T, token string) (claims map[string]any) {
	t.Helper()
	raw := testkit.Must(base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1]))(t)
	testkit.OK(t, json.Unmarshal(raw, &claims))
	return claims
}

func TestAResponseByFormPostIsReturnedAsAQuery(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{Client: provider.Client{RedirectURIs: []string{"https://rp.test/cb?x=1"}}})
	callback := s.SignIn(t, authorizeURL(s, "response_mode", "form_post"), "veteran")
	if q := callback.Query(); q.Get("code") == "" || q.Get("x") != "1" || callback.Host != "rp.test" {
		t.Errorf("answered %s", callback)
	}
}

func TestAnApplicationOfAPhoneIsAnswered(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{Client: provider.Client{Public: true, RedirectURIs: []string{"com.example.app:/cb"}}})
	callback := s.SignIn(t, authorizeURL(s, "code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method", "S256"), "veteran")
	if callback.Scheme != "com.example.app" || callback.Query().Get("code") == "" {
		t.Errorf("answered %s", callback)
	}
	if s.ClientSecret != "" {
		t.Error("a public client has a secret")
	}
}

func TestARequestThatGetsNoAnswerIsAnErrorThatNamesThePage(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	for name, c := range map[string]struct{ persona, redirectURI, says string }{
		"RedirectURI": {"veteran", "https://elsewhere.test/cb", "400"},
		"Persona":     {"nobody", s.RedirectURI, "nothing for nobody to press"},
	} {
		_, err := s.NewBrowser().SignIn(t.Context(), authorizeURL(s, "redirect_uri", c.redirectURI), c.persona)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v, want %q", name, err, c.says)
		}
	}
}

func TestClientsBesideTheFirst(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	second := testkit.Must(s.Register(t.Context(), provider.Client{Name: "Second"}))(t)
	if second.ID == s.ClientID || second.Secret == s.ClientSecret || second.RedirectURIs[0] != providertest.RedirectURI {
		t.Errorf("registered %+v beside %s", second, s.ClientID)
	}
	if _, err := s.Register(t.Context(), provider.Client{RedirectURIs: []string{"http://elsewhere.test/"}}); err == nil {
		t.Error("registered a redirect URI that is not safe")
	}
}

func TestAServerIsMadeOfWhatItsConfigSays(t *testing.T) {
	t.Parallel()
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/own.db"))(t)
	s := providertest.New(t, providertest.Config{
		Store:    store,
		Personas: []sandbox.Persona{{Name: "pilot", Statuses: []sandbox.Status{{Group: "pilots", Verified: true}}}},
		Change: func(c *provider.Config) {
			c.Groups = []catalogue.Group{{Name: "pilots"}}
			c.Scopes = []catalogue.Scope{{Name: "flying", Groups: []string{"pilots"}}}
		},
	})
	callback := s.SignIn(t, authorizeURL(s, "scope", "openid flying"), "pilot")
	_, tokens := token(t, s, "grant_type", "authorization_code", "code", callback.Query().Get("code"))
	want := []any{map[string]any{"group": "pilots", "subgroups": []any{}, "verified": true}}
	if diff := cmp.Diff(want, payload(t, tokens["id_token"].(string))["status"]); diff != "" {
		t.Error(diff)
	}
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := providertest.Start(t.Context(), providertest.Config{Change: func(c *provider.Config) { c.Secret = nil }})
	if err == nil || !strings.Contains(err.Error(), "Secret") {
		t.Errorf("error is %v", err)
	}
	if _, err = providertest.Start(t.Context(), providertest.Config{Client: provider.Client{ID: "not an ID"}}); err == nil {
		t.Error("started with a client that cannot be registered")
	}
}

const essentialPasskey = `{"id_token": {"acr": {"essential": true, "value": "phr"}}}`

func TestPersonasSignInAtEveryLevel(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{Personas: []sandbox.Persona{{Name: "ada", AMR: []string{"kba"}}}})
	idToken := func(b *providertest.Browser, pairs ...string) map[string]any {
		t.Helper()
		callback := testkit.Must(b.SignIn(t.Context(), authorizeURL(s, pairs...), "ada"))(t)
		_, tokens := token(t, s, "grant_type", "authorization_code", "code", callback.Query().Get("code"))
		return payload(t, tokens["id_token"].(string))
	}
	for _, c := range []struct {
		level provider.Assurance
		acr   string
		amr   []any
	}{
		{provider.OneFactor, "https://refeds.org/profile/sfa", []any{"pwd"}},
		{provider.TwoFactors, "https://refeds.org/profile/mfa", []any{"pwd", "otp", "mfa"}},
		{provider.PhishingResistant, "phr", []any{"pop", "user", "mfa"}},
		{provider.AnyAssurance, "https://refeds.org/profile/sfa", []any{"kba"}},
	} {
		s.SetAssurance(c.level)
		for name, pairs := range map[string][]string{"screens": nil, "hint": {"login_hint", "persona:ada"}} {
			id := idToken(s.NewBrowser(), pairs...)
			if id["acr"] != c.acr || !cmp.Equal(c.amr, id["amr"]) {
				t.Errorf("%v by the %s: acr %v, amr %v, want %s, %v", c.level, name, id["acr"], id["amr"], c.acr, c.amr)
			}
		}
	}

	b := s.NewBrowser()
	idToken(b)
	s.SetAssurance(provider.PhishingResistant)
	if id := idToken(b); id["acr"] == "phr" {
		t.Error("a session has become better by itself")
	}
	if id := idToken(b, "claims", essentialPasskey); id["acr"] != "phr" {
		t.Errorf("asked for a passkey: acr %v", id["acr"])
	}
}

func TestARequestForMoreThanAPersonaReachesIsRefused(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, providertest.Config{})
	s.SetAssurance(provider.TwoFactors)
	callback, err := s.NewBrowser().SignIn(t.Context(), authorizeURL(s, "claims", essentialPasskey), "veteran")
	if err != nil || callback.Query().Get("error") != "unmet_authentication_requirements" {
		t.Errorf("answered %s, %v", callback, err)
	}
}
