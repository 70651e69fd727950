package sampleclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// standard signs in by OpenID Connect as its standards have it, with the libraries
// that most Go programs use.
type standard struct {
	*discovery
	base, redirectURI string
	client            Credentials
}

func (p *standard) Key() string { return "standard" }

func (p *standard) Title() string { return "OpenID Connect" }

func (p *standard) About() string {
	return "What the sign-in library of every framework speaks; here it is coreos/go-oidc. Take this for a new application."
}

func (p *standard) ClientID() string { return p.client.ID }

// standardScopes are what nearly every OpenID Connect client asks for.
var standardScopes = []string{oidc.ScopeOpenID, "profile", "email"}

func (p *standard) oauth2(provider *oidc.Provider, scope string) *oauth2.Config {
	scopes := slices.Clone(standardScopes)
	if !slices.Contains(scopes, scope) {
		scopes = append(scopes, scope)
	}
	return &oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret,
		Endpoint: provider.Endpoint(), RedirectURL: p.redirectURI,
		Scopes: scopes,
	}
}

func (p *standard) authorizeURL(ctx context.Context, f *flow) (string, error) {
	provider, err := p.get(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(f.nonce), oauth2.S256ChallengeOption(f.verifier)}
	f.level.ask(f.extra, true)
	for name := range f.extra {
		options = append(options, oauth2.SetAuthURLParam(name, f.extra.Get(name)))
	}
	return p.oauth2(provider, f.scope).AuthCodeURL(f.state, options...), nil
}

func (p *standard) finish(ctx context.Context, f *flow, code string) (*outcome, error) {
	provider, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, httpClient)
	token, err := p.oauth2(provider, f.scope).Exchange(ctx, code, oauth2.VerifierOption(f.verifier))
	var failure *oauth2.RetrieveError
	if errors.As(err, &failure) && failure.ErrorCode != "" {
		return nil, refused(failure.ErrorCode, failure.ErrorDescription)
	}
	if err != nil {
		return nil, fmt.Errorf("redeem code: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("the token payload has no ID token")
	}
	id, err := p.verify(ctx, raw, p.client.ID)
	if err != nil {
		return nil, fmt.Errorf("verify ID token: %w", err)
	}
	if id.Nonce != f.nonce {
		return nil, problemNonce
	}
	if err := f.level.check(id); err != nil {
		return nil, err
	}
	o := &outcome{clientID: p.client.ID, rawIDToken: raw, Tokens: p.rows(token, raw)}
	if o.IDToken, err = newJWT(raw); err != nil {
		return nil, err
	}
	if err := p.readUserinfo(ctx, provider, token, id.Subject, o); err != nil {
		return nil, err
	}
	if err := p.readData(ctx, token.AccessToken, o); err != nil {
		return nil, err
	}
	return o, nil
}

// rows shows a token payload that the library has read.
func (p *standard) rows(t *oauth2.Token, idToken string) []row {
	rows := []row{
		{Name: "access_token", Value: shorten(t.AccessToken)},
		{Name: "token_type", Value: t.TokenType},
		{Name: "expires_in", Value: fmt.Sprint(t.ExpiresIn)},
	}
	if t.RefreshToken != "" {
		rows = append(rows, row{Name: "refresh_token", Value: shorten(t.RefreshToken)})
	}
	if scope, ok := t.Extra("scope").(string); ok {
		rows = append(rows, row{Name: "scope", Value: scope})
	}
	return append(rows, row{Name: "id_token", Value: shorten(idToken)})
}

func (p *standard) readUserinfo(ctx context.Context, provider *oidc.Provider, t *oauth2.Token, subject string, o *outcome) error {
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(t))
	if err != nil {
		return fmt.Errorf("ask userinfo: %w", err)
	}
	// An access token of another user, injected somewhere, must not bring in
	// that user's claims (OpenID Connect Core section 5.3.2).
	if info.Subject != subject {
		return errors.New("userinfo is about somebody else than the ID token")
	}
	var claims json.RawMessage
	if err := info.Claims(&claims); err != nil {
		return fmt.Errorf("read userinfo: %w", err)
	}
	o.Userinfo, err = newDocument(claims)
	return err
}

// readData asks for the attributes with the token in the header (RFC 6750).
func (p *standard) readData(ctx context.Context, accessToken string, o *outcome) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/api/public/v3/attributes.json", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+accessToken)
	body, err := fetch(r)
	if err != nil {
		return err
	}
	return o.readAttributes(body)
}
