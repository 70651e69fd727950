package provider_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestKeySetShowsPublicMembersOnly(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.Rotation = 48 * time.Hour })
	w.Advance(25 * time.Hour)
	maintain(w)
	keys := w.PublishedKeys()
	if len(keys) != 2 {
		t.Fatalf("%d keys after the next was made", len(keys))
	}
	if ids := lab.KeyIDs(keys); ids[0] == ids[1] {
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

func TestSecret(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	next, err := base64.StdEncoding.DecodeString("Zr8kQ1vXe0yM5wPcT2nJ9uHsLq7aRbGdF4iVoYzCxKE=")
	if err != nil {
		t.Fatal(err)
	}
	b := w.Alice()
	old := lab.Member(t, b.StandardTokens(), "access_token")

	t.Run("ThatIsWrongStopsTheStartAndChangesNothing", func(t *testing.T) {
		before := lab.KeyIDs(w.PublishedKeys())
		store, err := sqlite.Open(t.Context(), w.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		if _, err := provider.New(t.Context(), provider.Config{BaseURL: w.Server.URL, Secret: next, Store: store}); err == nil {
			t.Error("it starts")
		}
		if after := lab.KeyIDs(w.Twin().PublishedKeys()); !slices.Equal(before, after) {
			t.Errorf("keys were %v and are %v", before, after)
		}
	})

	t.Run("ThatIsWeakStopsTheStart", func(t *testing.T) {
		for name, secret := range map[string][]byte{
			"missing": nil, "short": next[:31], "all zero": make([]byte, 32), "one letter": []byte(strings.Repeat("a", 64)),
		} {
			_, err := provider.New(t.Context(), provider.Config{BaseURL: w.Server.URL, Secret: secret, Store: w.Store})
			if err == nil || !strings.Contains(err.Error(), "Secret") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("OfBeforeIsGoodUntilItIsRemoved", func(t *testing.T) {
		rotated := w.Twin(func(c *provider.Config) { c.Secret, c.PreviousSecrets = next, [][]byte{lab.Secret(t)} })
		elsewhere := rotated.NewBrowser()
		lab.Works(t, elsewhere, old, true)
		fresh := lab.Member(t, rotated.Alice().StandardTokens(), "access_token")
		lab.Works(t, elsewhere, fresh, true)
		lab.Works(t, b, fresh, false) // a process that does not know the new secret yet
		if _, err := elsewhere.Token(lab.Std("code", "x")...); err["error"] != "invalid_grant" {
			t.Errorf("the client secret, sealed before: %v", err)
		}
	})
}

func TestForgedIDTokenHint(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.Alice()
	good := lab.Member(t, b.StandardTokens(), "id_token")
	parts := strings.Split(good, ".")
	header, _ := lab.JWT(t, good)
	kid := header["kid"].(string)
	key := w.PublishedKeys()[0]
	number := func(member string) *big.Int {
		raw, err := base64.RawURLEncoding.DecodeString(key[member].(string))
		if err != nil {
			t.Fatal(err)
		}
		return new(big.Int).SetBytes(raw)
	}
	public, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: number("n"), E: int(number("e").Int64())})
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
		"address in the header":   withMine(`{"alg":"RS256","jku":"` + w.Server.URL + `/oidc/.well-known/jwks","kid":"x"}`),
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
