package operations

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// Absolute figures hold for one machine only; compare those of one run.

// BenchmarkFlow is a sign-in that the user has allowed before: authorization, token
// with PKCE and an ID token, userinfo. Its ceiling is BenchmarkCeiling.
func BenchmarkFlow(b *testing.B) {
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	w := lab.New(b).WithClients().WithUsers()
	user := w.Alice()
	request := lab.Ask("code_challenge", challenge, "code_challenge_method", "S256")
	user.Allow(request...)
	b.ReportAllocs()
	for b.Loop() {
		code := lab.Response(b, user.Get(lab.AuthorizeURL(request...))).Get("code")
		_, tokens := user.Token(lab.Std("code", code, "code_verifier", verifier)...)
		if p := user.Bearer(lab.UserinfoPath, lab.Member(b, tokens, "access_token")); p.StatusCode != http.StatusOK {
			b.Fatalf("userinfo: %s", p.Status)
		}
	}
}

// BenchmarkAttributes reads the data of one token.
func BenchmarkAttributes(b *testing.B) {
	w := lab.New(b, func(c *provider.Config) { c.Lifetimes.AccessToken = time.Hour }).WithClients().WithUsers()
	user := w.Alice()
	token := lab.Member(b, user.StandardTokens(), "access_token")
	b.ReportAllocs()
	for b.Loop() {
		if p := user.Bearer(lab.AttributesPath, token); p.StatusCode != http.StatusOK {
			b.Fatalf("attributes: %s", p.Status)
		}
	}
}

// BenchmarkAttributesOfSomebodyNew reads them with a token and about a user that were not
// seen a moment ago.
func BenchmarkAttributesOfSomebodyNew(b *testing.B) {
	w := lab.New(b, func(c *provider.Config) {
		c.Lifetimes = provider.Lifetimes{AccessToken: 1e6 * time.Hour, RefreshToken: 1e6 * time.Hour, Grant: 1e6 * time.Hour}
	}).WithClients().WithUsers()
	user := w.Alice()
	token := lab.Member(b, user.StandardTokens(), "access_token")
	b.ReportAllocs()
	for b.Loop() {
		w.Advance(2 * time.Second)
		if p := user.Bearer(lab.AttributesPath, token); p.StatusCode != http.StatusOK {
			b.Fatalf("attributes: %s", p.Status)
		}
	}
}

// BenchmarkDiscovery reads the discovery document.
func BenchmarkDiscovery(b *testing.B) {
	w := lab.New(b)
	user := w.NewBrowser()
	b.ReportAllocs()
	for b.Loop() {
		if p := user.Get(lab.DiscoveryPath); p.StatusCode != http.StatusOK {
			b.Fatalf("discovery: %s", p.Status)
		}
	}
}

// BenchmarkCeiling is what no provider of this kind can be faster than: one request
// of bare net/http, one RSA-2048 signature and one durable commit.
func BenchmarkCeiling(b *testing.B) {
	w := lab.New(b).WithClients()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	w.Server = lab.Serve(b, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		digest := sha256.Sum256([]byte(r.URL.Path))
		signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
		if err == nil {
			err = w.Store.CreateGrant(r.Context(), randomGrant(), storage.Basis{})
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = rw.Write(signature)
	}))
	measureBare(b, w)
}

// BenchmarkBare is net/http with this file's client and an answer of fixed bytes.
func BenchmarkBare(b *testing.B) {
	w := lab.New(b)
	answer := make([]byte, 512)
	w.Server = lab.Serve(b, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(answer) }))
	measureBare(b, w)
}

func measureBare(b *testing.B, w *lab.Fixture) {
	user := w.NewBrowser()
	b.ReportAllocs()
	for b.Loop() {
		if p := user.Get("/"); p.StatusCode != http.StatusOK {
			b.Fatalf("%s %s", p.Status, p.Text)
		}
	}
}

func randomGrant() storage.Grant {
	now := time.Now()
	g := storage.Grant{
		ClientID: "std", Subject: "alice", Scopes: []string{"openid"}, RedirectURI: lab.CallbackURI, ResponseType: "code",
		AuthTime: now, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	_, _ = rand.Read(g.ID[:])
	_, _ = rand.Read(g.Flow[:])
	return g
}
