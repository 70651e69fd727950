package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/url"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
	"github.com/luikyv/go-oidc/pkg/provider"
)

// goOIDC is luikyv/go-oidc with maps for a store: the one that it brings looks through all
// that it has.
func goOIDC(_ context.Context, base, _ string) (http.Handler, func(*http.Client) (target, error), error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	keys := goidc.JSONWebKeySet{Keys: []goidc.JSONWebKey{{KeyID: "benchmark", Key: key, Algorithm: "RS256", Use: "sig"}}}
	client := &goidc.Client{ID: clientID, Secret: clientSecret, ClientMeta: goidc.ClientMeta{
		Name: "Benchmark", RedirectURIs: []string{redirectURI}, ScopeIDs: "openid profile offline_access",
		GrantTypes:    []goidc.GrantType{goidc.GrantAuthorizationCode, goidc.GrantRefreshToken},
		ResponseTypes: []goidc.ResponseType{goidc.ResponseTypeCode}, TokenAuthnMethod: goidc.AuthnMethodSecretBasic,
	}}
	store := newGoidcStore()
	p, err := provider.New(base, store,
		func(context.Context) (goidc.JSONWebKeySet, error) { return keys, nil },
		provider.WithScopes(goidc.ScopeOpenID, goidc.ScopeProfile, goidc.ScopeOfflineAccess),
		provider.WithIDTokenSignatureAlgs(goidc.RS256),
		provider.WithSecretBasicAuthn(),
		provider.WithAuthCodeGrant(store, goidc.ResponseTypeCode),
		provider.WithRefreshTokenGrant(store),
		provider.WithRefreshTokenShouldIssue(func(context.Context, *goidc.Client, *goidc.Grant) bool { return true }),
		provider.WithRefreshTokenLifetime(600),
		provider.WithRefreshTokenRotation(),
		provider.WithOpaqueTokens(store),
		provider.WithTokenOptions(func(context.Context, *goidc.Grant, *goidc.Client) goidc.TokenOptions {
			return goidc.NewOpaqueTokenOptions(600)
		}),
		provider.WithIDTokenClaims(func(context.Context, *goidc.Grant) map[string]any {
			return map[string]any{"auth_time": time.Now().Unix()}
		}),
		provider.WithUserInfoClaims(func(context.Context, *goidc.Grant) map[string]any {
			return map[string]any{"name": "Alice Example", "zip": "22030", "birthdate": "1990-04-02"}
		}),
		provider.WithPKCE(goidc.CodeChallengeMethodSHA256),
		provider.WithIssuerResponseParameter(),
		provider.WithStaticClients(client),
		provider.WithPolicies(goidc.NewPolicy("session", remembered, approve)),
	)
	if err != nil {
		return nil, nil, err
	}
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"},
		"scope": {"openid profile offline_access"}, "state": {"af0ifjsldkj"},
	}
	return p.Handler(), func(*http.Client) (target, error) {
		return target{
			Authorize: "/authorize?" + query.Encode(), Token: "/token", Refresh: true,
			Userinfo: "/userinfo", Discovery: "/.well-known/openid-configuration", Keys: "/jwks",
		}, nil
	}, nil
}

func remembered(*http.Request, *goidc.AuthnSession, *goidc.Client) bool { return true }

// approve is a user who is signed in and has allowed the application before.
func approve(_ http.ResponseWriter, _ *http.Request, s *goidc.AuthnSession, _ *goidc.Client) (goidc.Status, error) {
	s.Subject = "alice"
	s.GrantedScopes = s.Scopes
	return goidc.StatusSuccess, nil
}
