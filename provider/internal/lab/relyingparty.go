package lab

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Machine registers an application that asks for itself only; change may adjust it.
func (w *Fixture) Machine(id string, change ...func(*provider.Client)) {
	w.T.Helper()
	c := provider.Client{
		ID: id, Secret: ClientSecret, Dialect: provider.Standard,
		GrantTypes: []string{"client_credentials"}, Scopes: []string{"openid", "military", "student"},
	}
	for _, f := range change {
		f(&c)
	}
	w.OK(w.Clients().Save(w.T.Context(), c))
}

// OwnToken asks for an access token as the application itself, as a library does.
func (w *Fixture) OwnToken(id, secret string, style oauth2.AuthStyle, scopes ...string) (*oauth2.Token, error) {
	ctx := context.WithValue(w.T.Context(), oauth2.HTTPClient, &http.Client{Transport: testkit.OwnConnections(w.T)})
	return (&clientcredentials.Config{
		ClientID: id, ClientSecret: secret, TokenURL: w.Server.URL + TokenPath, AuthStyle: style, Scopes: scopes,
	}).Token(ctx)
}

// MachineToken gets a token for a client of its own.
func (w *Fixture) MachineToken(id string, scopes ...string) *oauth2.Token {
	w.T.Helper()
	token := testkit.Must(w.OwnToken(id, ClientSecret, oauth2.AuthStyleInHeader, scopes...))(w.T)
	return token
}

// RelyingParty is an application that signs users in with golang.org/x/oauth2 and
// coreos/go-oidc. All it is told is its registration and the issuer.
type RelyingParty struct {
	*oauth2.Config
	t        testing.TB
	Ctx      context.Context
	Provider *oidc.Provider
	Now      func() time.Time // nil for the clock of the machine
}

// NewRelyingParty discovers an issuer as a client of it.
func NewRelyingParty(t testing.TB, issuer, clientID string, scopes ...string) *RelyingParty {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: testkit.OwnConnections(t)})
	discovered := testkit.Must(oidc.NewProvider(ctx, issuer))(t)
	return &RelyingParty{
		&oauth2.Config{ClientID: clientID, ClientSecret: ClientSecret, RedirectURL: CallbackURI, Endpoint: discovered.Endpoint(), Scopes: scopes},
		t, ctx, discovered, nil,
	}
}

// Authorize sends alice through an authorization request and returns the code.
func (rp *RelyingParty) Authorize(b *Browser, options ...oauth2.AuthCodeOption) string {
	rp.t.Helper()
	p := b.Open(rp.AuthCodeURL("st ate", options...))
	if strings.Contains(p.Text, `name="password"`) {
		p = b.Submit(p, "email", "alice@example.com", "password", AlicePass)
	}
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	answer := Response(rp.t, p)
	if answer.Get("state") != "st ate" || answer.Get("error") != "" {
		rp.t.Fatalf("response %v", answer)
	}
	return answer.Get("code")
}

// SignIn goes from the request to verified claims.
func (rp *RelyingParty) SignIn(b *Browser) (*oauth2.Token, *oidc.IDToken) {
	rp.t.Helper()
	verifier := oauth2.GenerateVerifier()
	code := rp.Authorize(b, oauth2.S256ChallengeOption(verifier), oidc.Nonce("n-0S6_WzA2Mj"))
	token := testkit.Must(rp.Exchange(rp.Ctx, code, oauth2.VerifierOption(verifier)))(rp.t)
	return token, rp.Verify(token)
}

// Verify checks the ID token among tokens, and returns it.
func (rp *RelyingParty) Verify(token *oauth2.Token) *oidc.IDToken {
	rp.t.Helper()
	raw, _ := token.Extra("id_token").(string)
	id := testkit.Must(rp.Provider.Verifier(&oidc.Config{ClientID: rp.ClientID}).Verify(rp.Ctx, raw))(rp.t)
	if err := id.VerifyAccessToken(token.AccessToken); err != nil {
		rp.t.Error(err)
	}
	return id
}

// Tokens goes from a request with a nonce to the tokens, as a client in order does.
func (rp *RelyingParty) Tokens(b *Browser) (*oauth2.Token, error) {
	rp.t.Helper()
	p := b.Get(rp.AuthCodeURL("xyz", oidc.Nonce("n-1"), oauth2.SetAuthURLParam("login_hint", "persona:veteran")))
	return rp.Exchange(rp.Ctx, Response(rp.t, p).Get("code"))
}

// Check is what a client in order makes of an ID token.
func (rp *RelyingParty) Check(token *oauth2.Token) error {
	raw, _ := token.Extra("id_token").(string)
	id, err := rp.Provider.Verifier(&oidc.Config{ClientID: rp.ClientID, Now: rp.Now}).Verify(rp.Ctx, raw)
	if err == nil && id.Nonce != "n-1" {
		err = errors.New("another nonce")
	}
	return err
}
