package clients

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// TestAdminAPI locks an account with a client that others' program has made of the document of
// the Admin API.
func TestAdminAPI(t *testing.T) {
	once(t)
	folder := madeClients(t)
	w := newDesk(t)
	document := filepath.Join(t.TempDir(), "openapi.json")
	testkit.OK(t, os.WriteFile(document, w.get(t, "/desk/api/v1/openapi.json"), 0o600))
	run := func(program string, args ...string) string {
		c := exec.CommandContext(t.Context(), filepath.Join(folder, program), args...)
		c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
		return string(out)
	}
	run("openapi-spec-validator", document)
	made := t.TempDir()
	run("openapi-python-client", "generate", "--fail-on-warning", "--meta", "none", "--path", document, "--output-path", filepath.Join(made, "adminapi"))
	out := run("python3", "testdata/adminapi/lock.py", made, w.base+"/desk/api/v1", w.token(t), email)
	if !strings.Contains(out, "locked "+userID) {
		t.Errorf("the program says: %s", out)
	}
	a, err := w.Accounts().Get(t.Context(), userID)
	if err != nil || !a.Disabled {
		t.Errorf("the account is not locked: %v", err)
	}
}

// madeClients returns the folder of the programs that make clients.
func madeClients(t *testing.T) string {
	t.Helper()
	installed := testkit.Must(filepath.Abs("../../../../.cache/python/bin"))(t)
	if _, err := os.Stat(filepath.Join(installed, "openapi-python-client")); err == nil {
		return installed
	}
	found, err := exec.LookPath("openapi-python-client")
	if err != nil {
		need(t, "openapi-python-client is missing: python3 -m venv .cache/python && .cache/python/bin/pip install openapi-python-client openapi-spec-validator")
	}
	return filepath.Dir(found)
}

// deskPlace is a provider with a desk, on a path of its host, and a client of its Admin API.
type deskPlace struct {
	*provider.Provider
	base string
	key  *ecdsa.PrivateKey
}

const robot = "robot"

func newDesk(t *testing.T) *deskPlace {
	t.Helper()
	w := &deskPlace{}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.base = server.URL + "/id"
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "identity.db"))
	testkit.OK(t, err)
	w.Provider = testkit.Must(provider.New(t.Context(), provider.Config{
		BaseURL: w.base, Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"), Store: store, Logger: slog.New(slog.DiscardHandler),
		Resources: []provider.Resource{desk.Resource(w.base, robot)},
	}))(t)
	t.Cleanup(func() { testkit.OK(t, w.Close()) })
	d := testkit.Must(desk.New(desk.Config{
		Provider: w.Provider, Store: store, Staff: func(context.Context, string) (desk.Staff, error) { return desk.Staff{}, nil },
	}))(t)
	mux.Handle("/id/desk/", d)
	mux.Handle("/id/", w.Provider)
	_, err = w.Accounts().Save(t.Context(), provider.Account{ID: userID, Email: email, EmailVerified: true, Password: password})
	testkit.OK(t, err)
	w.key = testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	testkit.OK(t, w.Clients().Save(t.Context(), provider.Client{
		ID: robot, Dialect: provider.Standard, TokenEndpointAuthMethod: "private_key_jwt", JWKS: w.keySet(t),
		GrantTypes: []string{"client_credentials"}, Scopes: []string{"desk.people.read", "desk.people.act", "desk.events.read"},
	}))
	return w
}

// keySet is the public key of the client.
func (w *deskPlace) keySet(t *testing.T) json.RawMessage {
	t.Helper()
	point := testkit.Must(w.key.PublicKey.Bytes())(t)
	encoding := base64.RawURLEncoding
	return fmt.Appendf(nil, `{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":%q,"y":%q}]}`,
		encoding.EncodeToString(point[1:33]), encoding.EncodeToString(point[33:]))
}

// token returns one for the API.
func (w *deskPlace) token(t *testing.T) string {
	t.Helper()
	encoding := base64.RawURLEncoding
	now := time.Now()
	claims := fmt.Sprintf(`{"iss":%q,"sub":%q,"aud":%q,"jti":%q,"iat":%d,"exp":%d}`, robot, robot, w.Issuer(), rand.Text(), now.Unix(), now.Add(time.Minute).Unix())
	text := encoding.EncodeToString([]byte(`{"alg":"ES256","kid":"1"}`)) + "." + encoding.EncodeToString([]byte(claims))
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, w.key, digest[:])
	testkit.OK(t, err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	p := testkit.Must(http.PostForm(w.base+"/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "resource": {w.base + "/desk/api/v1"},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {text + "." + encoding.EncodeToString(signature)},
	}))(t)
	defer p.Body.Close()
	var body struct {
		AccessToken string `json:"access_token"`
	}
	testkit.OK(t, json.NewDecoder(p.Body).Decode(&body))
	if body.AccessToken == "" {
		t.Fatalf("no token: %s", p.Status)
	}
	return body.AccessToken
}

// get returns a document of the provider.
func (w *deskPlace) get(t *testing.T, path string) []byte {
	t.Helper()
	p, err := http.Get(w.base + path)
	testkit.OK(t, err)
	defer p.Body.Close()
	body := testkit.Must(io.ReadAll(p.Body))(t)
	return body
}
