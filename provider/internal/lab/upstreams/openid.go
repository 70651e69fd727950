// Package upstreams has upstream providers for tests. They speak their protocols over HTTP, in
// full and as they should, until a [Fault] has one lie:
//
//	up := upstreams.NewOpenID(t, clock.Now)
//	up.Be(upstreams.Person{Subject: "1", Email: "ada@uni.example", Verified: true, Name: "Ada"})
//	connector := openid.New(openid.Options{Issuer: up.Issuer(), ClientID: up.ClientID, Secret: up.Secret})
//	…
//	for _, fault := range upstreams.Faults() {
//		fault.Apply(up) // no identity comes of what follows
//	}
//
// A browser that is sent to one comes back at once, as the person that it was told to be.
package upstreams

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Person is somebody at an upstream.
type Person struct {
	Subject, Email, Name string

	// Verified is email_verified: a boolean, or what else an upstream writes.
	Verified any

	// Claims are more claims of the ID token, Info those of userinfo alone.
	Claims, Info map[string]any

	// Unnamed is set if the responses of the authorization endpoint do not name the issuer,
	// NamedBy is how they do; empty for the issuer identifier.
	Unnamed bool
	NamedBy string
}

// OpenID is an upstream provider that speaks OpenID Connect. Its fields may be set before it
// is used; whatever changes afterwards goes through its methods.
type OpenID struct {
	*httptest.Server

	// ClientID and Secret are the registration there.
	ClientID, Secret string

	now func() time.Time

	mu       sync.Mutex
	describe func(map[string]any)
	alter    func(path string, answer map[string]any)
	secret   func(string) bool
	below    string // where the configuration is
	key      *ecdsa.PrivateKey
	keyID    string
	person   Person
	lies     lies
	codes    map[string]attempt
	tokens   map[string]Person
	calls    map[string]int
}

// lies are what an upstream says otherwise than it should. Each is nil for the truth.
type lies struct {
	discovery, idToken, userinfo func(map[string]any)
	response                     func(url.Values)
	sign                         func(*OpenID, map[string]any) string
	instead                      map[string]http.HandlerFunc
}

// attempt is what a code is good for.
type attempt struct {
	person                        Person
	nonce, challenge, redirectURI string
}

// NewOpenID returns an upstream with a clock, and stops it with the test.
func NewOpenID(t testing.TB, now func() time.Time) *OpenID {
	t.Helper()
	up := &OpenID{
		ClientID: "bonafide", Secret: "a secret of 32 bytes, or longer:+/%", now: now,
		codes: map[string]attempt{}, tokens: map[string]Person{}, calls: map[string]int{},
	}
	up.Rotate()
	up.Server = httptest.NewServer(up)
	t.Cleanup(up.Server.Close)
	return up
}

// Issuer is the issuer identifier.
func (up *OpenID) Issuer() string { return up.URL }

// Be has everybody who comes from now on be a person.
func (up *OpenID) Be(p Person) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.person = p
}

// Describe changes what the configuration says.
func (up *OpenID) Describe(change func(map[string]any)) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.describe = change
}

// Alter changes what the endpoints of keys and tokens answer.
func (up *OpenID) Alter(change func(path string, answer map[string]any)) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.alter = change
}

// altered writes an answer that may be changed.
func (up *OpenID) altered(w http.ResponseWriter, path string, answer map[string]any) {
	if up.alter != nil {
		up.alter(path, answer)
	}
	write(w, http.StatusOK, answer)
}

// Below has the configuration be below a path, beside the root.
func (up *OpenID) Below(path string) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.below = path
}

// TakesSecret replaces the comparison of the client's secret.
func (up *OpenID) TakesSecret(is func(secret string) bool) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.secret = is
}

// Rotate replaces the key that signs.
func (up *OpenID) Rotate() {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.key, up.keyID = newKey(), rand.Text()
}

// Calls returns how often a path was called, such as "/token".
func (up *OpenID) Calls(path string) int {
	up.mu.Lock()
	defer up.mu.Unlock()
	return up.calls[path]
}

// Return follows an address of a connector as a browser does, and returns the parameters with
// which it comes back.
func (up *OpenID) Return(t testing.TB, address string) url.Values {
	t.Helper()
	return follow(t, address)
}

// follow requests an address and returns the parameters of the redirect, or of the form.
func follow(t testing.TB, address string) url.Values {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody))(t)
	res, err := client.Do(r)
	testkit.OK(t, err)
	defer res.Body.Close()
	if values := res.Header.Get("X-Form"); values != "" {
		form := testkit.Must(url.ParseQuery(values))(t)
		return form
	}
	back, err := res.Location()
	if err != nil {
		t.Fatalf("%s: %v", res.Status, err)
	}
	return back.Query()
}

// configuration is where OpenID Connect Discovery 1.0 section 4 has it.
const configuration = "/.well-known/openid-configuration"

// ServeHTTP implements http.Handler.
func (up *OpenID) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	up.mu.Lock()
	up.calls[r.URL.Path]++
	instead := up.lies.instead[r.URL.Path]
	up.mu.Unlock()
	if instead != nil {
		instead(w, r) // it may hang, so that nothing is locked
		return
	}
	up.mu.Lock()
	defer up.mu.Unlock()
	switch r.URL.Path {
	case configuration, up.below + configuration:
		up.discovery(w)
	case "/authorize":
		up.authorize(w, r)
	case "/token":
		up.token(w, r)
	case "/keys":
		up.altered(w, r.URL.Path, map[string]any{"keys": []any{jwk(&up.key.PublicKey, up.keyID)}})
	case "/userinfo":
		up.userinfo(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (up *OpenID) discovery(w http.ResponseWriter) {
	write(w, http.StatusOK, up.described())
}

// described is what the configuration says.
func (up *OpenID) described() map[string]any {
	d := map[string]any{
		"issuer": up.URL, "authorization_endpoint": up.URL + "/authorize", "token_endpoint": up.URL + "/token",
		"jwks_uri": up.URL + "/keys", "userinfo_endpoint": up.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"},
		"authorization_response_iss_parameter_supported": true,
	}
	if up.describe != nil {
		up.describe(d)
	}
	if up.lies.discovery != nil {
		up.lies.discovery(d)
	}
	return d
}

// authorize sends a browser back at once.
func (up *OpenID) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != up.ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		http.Error(w, "the request lacks something", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	up.codes[code] = attempt{up.person, q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	response := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {up.URL}}
	if up.person.Unnamed {
		response.Del("iss")
	}
	if up.person.NamedBy != "" {
		response.Set("iss", up.person.NamedBy)
	}
	if up.lies.response != nil {
		up.lies.response(response)
	}
	if q.Get("response_mode") == "form_post" {
		postForm(w, q.Get("redirect_uri"), response)
		return
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+response.Encode(), http.StatusFound) //nolint:gosec // it stands for an upstream, in tests
}

// postForm writes the page of a form that a browser posts (OAuth 2.0 Form Post Response Mode).
// The header X-Form has its values for those who read no HTML.
func postForm(w http.ResponseWriter, action string, values url.Values) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Form", values.Encode())
	var page strings.Builder
	fmt.Fprintf(&page, `<!doctype html><title>Return</title><form method="post" action="%s">`, html.EscapeString(action))
	for name := range values {
		fmt.Fprintf(&page, `<input type="hidden" name="%s" value="%s">`, html.EscapeString(name), html.EscapeString(values.Get(name)))
	}
	page.WriteString(`<button>Continue</button></form>`)
	_, _ = w.Write([]byte(page.String()))
}

// token redeems a code once, of the client that has begun the attempt.
func (up *OpenID) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if methods, named := up.described()["token_endpoint_auth_methods_supported"].([]string); named && basic != slices.Contains(methods, "client_secret_basic") {
		id = "" // it authenticates in another way than it may
	}
	a, known := up.codes[r.PostFormValue("code")]
	delete(up.codes, r.PostFormValue("code"))
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != up.ClientID || up.secret == nil && secret != up.Secret || up.secret != nil && !up.secret(secret):
		write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	case !known || r.PostFormValue("redirect_uri") != a.redirectURI || base64.RawURLEncoding.EncodeToString(proof[:]) != a.challenge:
		write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	now := up.now()
	claims := map[string]any{
		"iss": up.URL, "sub": a.person.Subject, "aud": up.ClientID, "nonce": a.nonce, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		"auth_time": now.Unix(),
	}
	maps.Copy(claims, a.person.about())
	maps.Copy(claims, a.person.Claims)
	if up.lies.idToken != nil {
		up.lies.idToken(claims)
	}
	sign := (*OpenID).signTruly
	if up.lies.sign != nil {
		sign = up.lies.sign
	}
	access := rand.Text()
	up.tokens[access] = a.person
	up.altered(w, r.URL.Path, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "id_token": sign(up, claims)})
}

func (up *OpenID) userinfo(w http.ResponseWriter, r *http.Request) {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p, known := up.tokens[bearer]
	if !known {
		write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
		return
	}
	info := map[string]any{"sub": p.Subject}
	maps.Copy(info, p.about())
	maps.Copy(info, p.Info)
	if up.lies.userinfo != nil {
		up.lies.userinfo(info)
	}
	write(w, http.StatusOK, info)
}

// about are the claims about a person that are known.
func (p Person) about() map[string]any {
	all := map[string]any{}
	if p.Email != "" {
		all["email"], all["email_verified"] = p.Email, p.Verified
	}
	if p.Name != "" {
		all["name"] = p.Name
	}
	return all
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
