package lab

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
)

// The endpoints for wallets, and the scope of the credential of veterans.
const (
	NoncePath        = "/vci/nonce"
	CredentialPath   = "/vci/credential"
	NotificationPath = "/vci/notification"
	OfVeterans       = "credential:military"
)

// Wallets is a provider whose users can have verified groups in wallets: alice is a veteran.
type Wallets struct {
	*Fixture
	Service *credential.Service
}

// NewWallets starts one with credentials of veterans and, with provenance, of students. change may
// adjust the configuration of the service.
func NewWallets(t testing.TB, change ...func(*credential.Config)) *Wallets {
	t.Helper()
	kinds := credential.Kinds{{Group: "military"}, {Group: "student", Provenance: true}}
	w := New(t, func(c *provider.Config) { c.Credentials = kinds }).WithClients().WithUsers()
	w.Verify("alice", "military", "document", "Veteran")
	store, ok := w.Store.(credential.Store)
	if !ok {
		t.Fatal("the store keeps no credentials")
	}
	cfg := credential.Config{Provider: w.Provider, Store: store, Kinds: kinds, Clock: w.Now, Logger: slog.New(slog.NewTextHandler(w.Log, nil))}
	for _, c := range change {
		c(&cfg)
	}
	service, err := credential.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", w.Provider)
	mux.Handle("/vci/", service)
	for _, path := range service.WellKnownPaths() {
		mux.Handle(path, service)
	}
	w.Server.Config.Handler = mux
	return &Wallets{w, service}
}

// Wallet is a program with a key, and an access token of its user.
type Wallet struct {
	*Browser
	Key   *ecdsa.PrivateKey
	Token string
}

// Of returns the wallet of the user of a browser, who has allowed it the credential of veterans.
func (w *Wallets) Of(b *Browser) *Wallet {
	w.T.Helper()
	code := b.Allow(Std("scope", OfVeterans, "resource", w.Issuer())...).Get("code")
	p, tokens := b.Token(Std("code", code, "resource", w.Issuer())...)
	return &Wallet{b, NewWalletKey(w.T), Granted(w.T, p, tokens)}
}

// NewWalletKey returns a key of a holder.
func NewWalletKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// PublicKey returns the members of the public key of the wallet.
func (k *Wallet) PublicKey() map[string]any {
	raw, err := k.Key.PublicKey.Bytes()
	if err != nil {
		k.T.Fatal(err)
	}
	return map[string]any{"kty": "EC", "crv": "P-256", "x": base64URL(raw[1:33]), "y": base64URL(raw[33:])}
}

func base64URL(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// Nonce returns one for a proof.
func (k *Wallet) Nonce() string {
	k.T.Helper()
	p, answer := k.JSON(k.Send(http.MethodPost, NoncePath, ""))
	if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" {
		k.T.Fatalf("nonce: %s %v", p.Status, p.Header)
	}
	return Member(k.T, answer, "c_nonce")
}

// KeyProof returns a proof of the key of the wallet; pairs take the place of its claims, and nil takes
// one away.
func (k *Wallet) KeyProof(nonce string, pairs ...any) string {
	k.T.Helper()
	return k.SignProof(map[string]any{}, With(map[string]any{"aud": k.Fixture.Issuer(), "iat": k.Fixture.Now().Unix(), "nonce": nonce}, pairs...))
}

// SignProof signs the claims of a proof, with these members of its header.
func (k *Wallet) SignProof(header, claims map[string]any) string {
	k.T.Helper()
	head := map[string]any{"typ": "openid4vci-proof+jwt", "alg": "ES256", "jwk": k.PublicKey()}
	maps.Copy(head, header)
	var parts []string
	for _, part := range []map[string]any{head, claims} {
		raw, err := json.Marshal(part)
		if err != nil {
			k.T.Fatal(err)
		}
		parts = append(parts, base64URL(raw))
	}
	text := strings.Join(parts, ".")
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, k.Key, digest[:])
	if err != nil {
		k.T.Fatal(err)
	}
	return text + "." + base64URL(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// CredentialRequest is a request for the credential of veterans with this proof; pairs take the place
// of its members, and nil takes one away.
func CredentialRequest(proof string, pairs ...any) map[string]any {
	return With(map[string]any{"credential_configuration_id": "military", "proofs": map[string]any{"jwt": []string{proof}}}, pairs...)
}

// Post sends a JSON object to an endpoint for wallets.
func (k *Wallet) Post(path string, body any) (Page, map[string]any) {
	k.T.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		k.T.Fatal(err)
	}
	p := k.Send(http.MethodPost, path, string(raw), "Content-Type", "application/json", "Authorization", "Bearer "+k.Token)
	if p.Text == "" {
		return p, nil
	}
	return k.JSON(p)
}

// Issued returns a credential, and the notification_id for it.
func (k *Wallet) Issued() (text, notification string) {
	k.T.Helper()
	p, answer := k.Post(CredentialPath, CredentialRequest(k.KeyProof(k.Nonce())))
	if p.StatusCode != http.StatusOK {
		k.T.Fatalf("credential: %s %s", p.Status, p.Text)
	}
	all, _ := answer["credentials"].([]any)
	if len(all) != 1 {
		k.T.Fatalf("credentials %v", answer)
	}
	first, _ := all[0].(map[string]any)
	return Member(k.T, first, "credential"), Member(k.T, answer, "notification_id")
}

// OpenCredential returns what everybody sees in a credential, and what its holder can disclose.
func OpenCredential(t testing.TB, text string) (header, seen, disclosable map[string]any) {
	t.Helper()
	parts := strings.Split(text, "~")
	if len(parts) < 2 || parts[len(parts)-1] != "" {
		t.Fatalf("%s is not in compact form", text)
	}
	header, seen = JWT(t, parts[0])
	disclosable = map[string]any{}
	for _, disclosure := range parts[1 : len(parts)-1] {
		raw, err := base64.RawURLEncoding.DecodeString(disclosure)
		var claim [3]any
		if err != nil || json.Unmarshal(raw, &claim) != nil {
			t.Fatalf("disclosure %s", disclosure)
		}
		name, _ := claim[1].(string)
		disclosable[name] = claim[2]
	}
	return header, seen, disclosable
}
