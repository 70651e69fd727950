package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// maintain runs the background work until its first round is over.
func maintain(w *lab.Fixture) {
	w.T.Helper()
	w.Maintain(w.T.Context())
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Rotation = 48 * time.Hour }).WithClients().WithUsers()
	other := w.Twin(func(c *provider.Config) {
		c.Rotation = 48 * time.Hour
		c.Clock = func() time.Time { return w.Now().Add(30 * time.Second) }
	})
	signedBy := func(from *lab.Fixture) string {
		t.Helper()
		tokens := from.NewBrowser().SignIn("alice@example.com", lab.AlicePass).StandardTokens()
		header, _ := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		return header["kid"].(string)
	}
	first := signedBy(w)
	if signedBy(other) != first {
		t.Fatal("two processes sign with different keys")
	}
	w.Advance(25 * time.Hour)
	maintain(w)
	maintain(other) // learns of the key before it is used
	if got, want := lab.KeyIDs(other.PublishedKeys()), lab.KeyIDs(w.PublishedKeys()); !slices.Equal(got, want) {
		t.Fatalf("key sets differ: %v, %v", got, want)
	}
	if signedBy(w) != first {
		t.Error("the new key signs before clients can know it")
	}
	w.Advance(25 * time.Hour)
	second := signedBy(w)
	if second == first || signedBy(other) != second {
		t.Errorf("no rotation: %s, %s, %s", first, second, signedBy(other))
	}
	if !slices.Contains(lab.KeyIDs(w.PublishedKeys()), first) {
		t.Error("the old key is gone while its tokens are valid")
	}
	if !w.Saw(event.KeyRotated) {
		t.Error("no audit event")
	}
}

func TestManyProcessesOnAnEmptyDatabaseHaveOneKey(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/identity.db"
	open := func() *provider.Provider {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Error(err)
			return nil
		}
		p, err := provider.New(t.Context(), provider.Config{BaseURL: "https://id.example.com", Secret: lab.Secret(t), Store: store})
		if err != nil {
			t.Error(err)
			return nil
		}
		return p
	}
	ids := func(p *provider.Provider) string {
		w := &lab.Fixture{T: t, Provider: p}
		w.Server = lab.Serve(t, p)
		return fmt.Sprint(lab.KeyIDs(w.PublishedKeys()))
	}
	var want string
	for _, p := range lab.Race(8, func(int) *provider.Provider { return open() }) {
		if p == nil {
			t.FailNow()
		}
		if want == "" {
			want = ids(p)
		}
		if got := ids(p); got != want {
			t.Errorf("keys %s and %s", got, want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	again := open()
	if got := ids(again); got != want {
		t.Errorf("after a restart %s, before %s", got, want)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestSecretOfBeforeIsGoodUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	next := testkit.Must(base64.StdEncoding.DecodeString("Zr8kQ1vXe0yM5wPcT2nJ9uHsLq7aRbGdF4iVoYzCxKE="))(t)
	b := w.Alice()
	old := lab.Member(t, b.StandardTokens(), "access_token")
	rotated := w.Twin(func(c *provider.Config) { c.Secret, c.PreviousSecrets = next, [][]byte{lab.Secret(t)} })
	elsewhere := rotated.NewBrowser()
	lab.Works(t, elsewhere, old, true)
	fresh := lab.Member(t, rotated.Alice().StandardTokens(), "access_token")
	lab.Works(t, elsewhere, fresh, true)
	lab.Works(t, b, fresh, false) // a process that does not know the new secret yet
	if _, err := elsewhere.Token(lab.Std("code", "x")...); err["error"] != "invalid_grant" {
		t.Errorf("the client secret, sealed before: %v", err)
	}
}

// What a forged token may look like is in the tests of package keyring.
func TestForgedIDTokenHint(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	good := lab.Member(t, b.StandardTokens(), "id_token")
	parts := strings.Split(good, ".")
	encode := base64.RawURLEncoding.EncodeToString
	for name, hint := range map[string]string{
		"no algorithm":   encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
		"claims changed": parts[0] + "." + encode([]byte(`{"iss":"`+w.Issuer()+`","sub":"bob","aud":"std"}`)) + "." + parts[2],
		"dots":           strings.Repeat(".", 1900),
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", hint, "prompt", "none")...))
			if got := lab.Response(t, p); got.Get("error") != "invalid_request" || got.Get("code") != "" {
				t.Errorf("authorize: %v", got)
			}
			p = b.Get("/signout?id_token_hint=" + hint)
			if p.StatusCode < 400 && !strings.Contains(p.Text, "<form") {
				t.Errorf("sign-out: %s %s", p.Status, p.Header.Get("Location"))
			}
		})
	}
	if p := b.Get("/account"); p.StatusCode != http.StatusOK {
		t.Errorf("a forged hint has signed alice out: %s", p.Status)
	}
	if got := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", good, "prompt", "none")...))); got.Get("code") == "" {
		t.Errorf("the good hint: %v", got)
	}
}
