package provider_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// publishedKeys returns the key set as anybody reads it.
func (w *fixture) publishedKeys() []map[string]any {
	w.t.Helper()
	var set struct{ Keys []map[string]any }
	if err := json.Unmarshal([]byte(w.newBrowser().get(keysPath).body), &set); err != nil {
		w.t.Fatal(err)
	}
	return set.Keys
}

func keyIDs(keys []map[string]any) (ids []string) {
	for _, k := range keys {
		ids = append(ids, k["kid"].(string))
	}
	return ids
}

func TestKeySetShowsPublicMembersOnly(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *provider.Config) { c.KeyRotation = 48 * time.Hour })
	w.advance(25 * time.Hour)
	w.maintain()
	keys := w.publishedKeys()
	if len(keys) != 2 {
		t.Fatalf("%d keys after the next was made", len(keys))
	}
	if ids := keyIDs(keys); ids[0] == ids[1] {
		t.Errorf("identifiers repeat: %v", ids)
	}
	for _, k := range keys {
		for name := range k {
			if !slices.Contains([]string{"kty", "use", "alg", "kid", "n", "e"}, name) {
				t.Errorf("the key set shows %q", name)
			}
		}
		modulus, err := base64.RawURLEncoding.DecodeString(k["n"].(string))
		if err != nil || len(modulus) < 256 || k["use"] != "sig" || k["alg"] != "RS256" || k["kty"] != "RSA" {
			t.Errorf("key %v: %v", k, err)
		}
	}
}

// maintain runs the background work until its first round is over.
func (w *fixture) maintain() {
	w.t.Helper()
	w.Maintain(w.t.Context())
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *provider.Config) { c.KeyRotation = 48 * time.Hour }).withClients().withUsers()
	other := w.twin(func(c *provider.Config) {
		c.KeyRotation = 48 * time.Hour
		c.Clock = func() time.Time { return w.now().Add(30 * time.Second) }
	})
	signedBy := func(from *fixture) string {
		t.Helper()
		tokens := from.newBrowser().signIn("alice@example.com", alicePass).standardTokens()
		header, _ := jwt(t, text(t, tokens, "id_token"))
		return header["kid"].(string)
	}
	first := signedBy(w)
	if signedBy(other) != first {
		t.Fatal("two processes sign with different keys")
	}
	w.advance(25 * time.Hour)
	w.maintain()
	other.maintain() // learns of the key before it is used
	if got, want := keyIDs(other.publishedKeys()), keyIDs(w.publishedKeys()); !slices.Equal(got, want) {
		t.Fatalf("key sets differ: %v, %v", got, want)
	}
	if signedBy(w) != first {
		t.Error("the new key signs before clients can know it")
	}
	w.advance(25 * time.Hour)
	second := signedBy(w)
	if second == first || signedBy(other) != second {
		t.Errorf("no rotation: %s, %s, %s", first, second, signedBy(other))
	}
	if !slices.Contains(keyIDs(w.publishedKeys()), first) {
		t.Error("the old key is gone while its tokens are valid")
	}
	if !w.saw(provider.EventKeyRotated) {
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
		p, err := provider.New(t.Context(), provider.Config{BaseURL: "https://id.example.com", Secret: testSecret(t), Store: store})
		if err != nil {
			t.Error(err)
			return nil
		}
		return p
	}
	ids := func(p *provider.Provider) string {
		w := &fixture{t: t, Provider: p}
		w.server = newServer(t, p)
		return fmt.Sprint(keyIDs(w.publishedKeys()))
	}
	var want string
	for _, p := range race(8, func(int) *provider.Provider { return open() }) {
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

func TestSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	next, err := base64.StdEncoding.DecodeString("Zr8kQ1vXe0yM5wPcT2nJ9uHsLq7aRbGdF4iVoYzCxKE=")
	if err != nil {
		t.Fatal(err)
	}
	b := w.alice()
	old := text(t, b.standardTokens(), "access_token")

	t.Run("ThatIsWrongStopsTheStartAndChangesNothing", func(t *testing.T) {
		before := keyIDs(w.publishedKeys())
		store, err := sqlite.Open(t.Context(), w.path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		if _, err := provider.New(t.Context(), provider.Config{BaseURL: w.server.URL, Secret: next, Store: store}); err == nil {
			t.Error("it starts")
		}
		if after := keyIDs(w.twin().publishedKeys()); !slices.Equal(before, after) {
			t.Errorf("keys were %v and are %v", before, after)
		}
	})

	t.Run("ThatIsWeakStopsTheStart", func(t *testing.T) {
		for name, secret := range map[string][]byte{
			"missing": nil, "short": next[:31], "all zero": make([]byte, 32), "one letter": []byte(strings.Repeat("a", 64)),
		} {
			_, err := provider.New(t.Context(), provider.Config{BaseURL: w.server.URL, Secret: secret, Store: w.store})
			if err == nil || !strings.Contains(err.Error(), "Secret") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("OfBeforeIsGoodUntilItIsRemoved", func(t *testing.T) {
		rotated := w.twin(func(c *provider.Config) { c.Secret, c.PreviousSecrets = next, [][]byte{testSecret(t)} })
		elsewhere := rotated.newBrowser()
		works(t, elsewhere, old, true)
		fresh := text(t, rotated.alice().standardTokens(), "access_token")
		works(t, elsewhere, fresh, true)
		works(t, b, fresh, false) // a process that does not know the new secret yet
		if _, err := elsewhere.token(std("code", "x")...); err["error"] != "invalid_grant" {
			t.Errorf("the client secret, sealed before: %v", err)
		}
	})
}

func TestForgedIDTokenHint(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	good := text(t, b.standardTokens(), "id_token")
	parts := strings.Split(good, ".")
	header, _ := jwt(t, good)
	kid := header["kid"].(string)
	key := w.publishedKeys()[0]
	raw, err := base64.RawURLEncoding.DecodeString(key["n"].(string))
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: new(big.Int).SetBytes(raw), E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	withMAC := func(header string, secret []byte) string {
		signed := encode([]byte(header)) + "." + parts[1]
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		return signed + "." + encode(mac.Sum(nil))
	}
	mine, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	withMine := func(header string) string {
		signed := encode([]byte(header)) + "." + parts[1]
		digest := sha256.Sum256([]byte(signed))
		signature, err := rsa.SignPKCS1v15(rand.Reader, mine, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return signed + "." + encode(signature)
	}
	n := encode(mine.N.Bytes())
	hs256 := `{"alg":"HS256","kid":"` + kid + `","typ":"JWT"}`
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	forged := map[string]string{
		"no algorithm":            encode([]byte(`{"alg":"none","kid":"`+kid+`","typ":"JWT"}`)) + "." + parts[1] + ".",
		"None":                    encode([]byte(`{"alg":"None"}`)) + "." + parts[1] + ".",
		"nOnE with our signature": encode([]byte(`{"alg":"nOnE"}`)) + "." + parts[1] + "." + parts[2],
		"HMAC by the public key":  withMAC(hs256, pemKey),
		"HMAC by its bytes":       withMAC(hs256, public),
		"HMAC by its modulus":     withMAC(hs256, []byte(key["n"].(string))),
		"another key, our name":   withMine(`{"alg":"RS256","kid":"` + kid + `","typ":"JWT"}`),
		"key in the header":       withMine(`{"alg":"RS256","kid":"` + kid + `","typ":"JWT","jwk":{"kty":"RSA","n":"` + n + `","e":"AQAB"}}`),
		"address in the header":   withMine(`{"alg":"RS256","jku":"` + w.server.URL + `/oidc/.well-known/jwks","kid":"x"}`),
		"file as key":             withMAC(`{"alg":"HS256","kid":"../../dev/null"}`, nil),
		"quote as key":            withMine(`{"alg":"RS256","kid":"' OR 1=1--"}`),
		"critical extension":      encode([]byte(`{"alg":"RS256","kid":"`+kid+`","typ":"JWT","crit":["exp"]}`)) + "." + parts[1] + "." + parts[2],
		"blank signature":         parts[0] + "." + parts[1] + ".",
		"blank ES256 signature":   encode([]byte(`{"alg":"ES256","kid":"`+kid+`"}`)) + "." + parts[1] + "." + encode(make([]byte, 64)),
		"claims changed":          parts[0] + "." + encode([]byte(`{"iss":"`+w.Issuer()+`","sub":"bob","aud":"std"}`)) + "." + parts[2],
		"encrypted":               encode([]byte(`{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2147483648,"p2s":"AAAA"}`)) + ".a.b.c.d",
		"zipped":                  encode([]byte(`{"alg":"dir","enc":"A128GCM","zip":"DEF"}`)) + "..b.c.d",
		"dots":                    strings.Repeat(".", 1900),
		"padded":                  good + "=",
		"nothing":                 "x",
	}
	for name, hint := range forged {
		t.Run(name, func(t *testing.T) {
			p := b.get(authorizeURL(ask("id_token_hint", hint, "prompt", "none")...))
			if got := response(t, p); got.Get("error") != "invalid_request" || got.Get("code") != "" {
				t.Errorf("authorize: %v", got)
			}
			p = b.get("/signout?id_token_hint=" + hint)
			if p.StatusCode < 400 && !strings.Contains(p.body, "<form") {
				t.Errorf("sign-out: %s %s", p.Status, p.Header.Get("Location"))
			}
		})
	}
	if p := b.get("/account"); p.StatusCode != http.StatusOK {
		t.Errorf("a forged hint has signed alice out: %s", p.Status)
	}
	if got := response(t, b.get(authorizeURL(ask("id_token_hint", good, "prompt", "none")...))); got.Get("code") == "" {
		t.Errorf("the good hint: %v", got)
	}
}
