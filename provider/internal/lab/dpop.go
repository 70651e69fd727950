package lab

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Prover is a program with a key of its own that sends proofs of it (RFC 9449). Its proofs name
// the address that the metadata of Fixture has.
type Prover struct {
	*Browser
	Key ClientKey

	// Base is the base URL of the metadata.
	Base string
}

// Prover returns a program with the key of this name that uses the cookies of the browser.
func (b *Browser) Prover(key string) *Prover {
	return &Prover{Browser: b, Key: ClientKeys()[key], Base: b.Fixture.Server.URL}
}

// At returns the same program that asks another process of the provider.
func (p *Prover) At(w *Fixture) *Prover {
	return &Prover{Browser: w.NewBrowser(), Key: p.Key, Base: p.Base}
}

// JKT returns the thumbprint of the key.
func (p *Prover) JKT() string {
	p.T.Helper()
	sum := testkit.Must((&jose.JSONWebKey{Key: p.Key.Private.Public()}).Thumbprint(crypto.SHA256))(p.T)
	return base64.RawURLEncoding.EncodeToString(sum)
}

// Claims returns the claims of a proof; those of pairs take their place, and nil takes one away.
func (p *Prover) Claims(method, path string, pairs ...any) map[string]any {
	return With(map[string]any{
		"jti": rand.Text(), "htm": method, "htu": p.Base + path, "iat": p.Fixture.Now().Unix(),
	}, pairs...)
}

// Proof returns a proof for a request.
func (p *Prover) Proof(method, path string, pairs ...any) string {
	p.T.Helper()
	return p.SignProof(p.Claims(method, path, pairs...))
}

// SignProof signs the claims of a proof.
func (p *Prover) SignProof(claims map[string]any) string {
	p.T.Helper()
	signer := testkit.Must(jose.NewSigner(jose.SigningKey{Algorithm: p.Key.Alg, Key: p.Key.Private}, &jose.SignerOptions{
		EmbedJWK: true, ExtraHeaders: map[jose.HeaderKey]any{"typ": "dpop+jwt"},
	}))(p.T)
	return SignedBy(p.T, signer, claims)
}

// Ath is the claim ath of a proof for an access token.
func Ath(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// PostWith posts a form with proofs.
func (p *Prover) PostWith(path string, form url.Values, proofs ...string) Page {
	p.T.Helper()
	header := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for _, proof := range proofs {
		header = append(header, "DPoP", proof)
	}
	return p.Send(http.MethodPost, path, form.Encode(), header...)
}

// TokenWith asks the token endpoint as the standard client with these proofs.
func (p *Prover) TokenWith(proofs []string, pairs ...string) (Page, map[string]any) {
	p.T.Helper()
	form := url.Values{"client_id": {"std"}, "client_secret": {ClientSecret}, "redirect_uri": {CallbackURI}, "grant_type": {"authorization_code"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Del(pairs[i])
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return p.JSON(p.PostWith(TokenPath, form, proofs...))
}

// Proven asks the token endpoint as the standard client with a good proof.
func (p *Prover) Proven(pairs ...string) (Page, map[string]any) {
	p.T.Helper()
	return p.TokenWith([]string{p.Proof(http.MethodPost, TokenPath)}, pairs...)
}

// Data reads a data endpoint with a bound token and a proof for it.
func (p *Prover) Data(path, token string, pairs ...any) Page {
	p.T.Helper()
	return p.DataWith(path, token, p.Proof(http.MethodGet, path, append([]any{"ath", Ath(token)}, pairs...)...))
}

// DataWith reads a data endpoint with a bound token and this proof.
func (p *Prover) DataWith(path, token, proof string) Page {
	p.T.Helper()
	return p.Send(http.MethodGet, path, "", "Authorization", "DPoP "+token, "DPoP", proof)
}
