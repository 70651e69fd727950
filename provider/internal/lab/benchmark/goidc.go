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
	"golang.org/x/crypto/bcrypt"
)

// goOIDC is luikyv/go-oidc with maps for a store: the one that it brings keeps a
// hundred grants and would lose those under way.
func goOIDC(_ context.Context, base, _ string) (http.Handler, func(*http.Client) (target, error), error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	keys := goidc.JSONWebKeySet{Keys: []goidc.JSONWebKey{{KeyID: "benchmark", Key: key, Algorithm: "RS256", Use: "sig"}}}
	// It takes secrets as bcrypt only; at the usual cost of 12 nothing else would
	// be measured.
	hash, err := bcrypt.GenerateFromPassword([]byte(clientSecret), bcrypt.MinCost)
	if err != nil {
		return nil, nil, err
	}
	client := &goidc.Client{ID: clientID, HashedSecret: string(hash), ClientMeta: goidc.ClientMeta{
		Name: "Benchmark", RedirectURIs: []string{redirectURI}, ScopeIDs: "openid profile offline_access",
		GrantTypes:    []goidc.GrantType{goidc.GrantAuthorizationCode, goidc.GrantRefreshToken},
		ResponseTypes: []goidc.ResponseType{goidc.ResponseTypeCode}, TokenAuthnMethod: goidc.ClientAuthnSecretBasic,
	}}
	p, err := provider.New(goidc.ProfileOpenID, base,
		func(context.Context) (goidc.JSONWebKeySet, error) { return keys, nil },
		provider.WithScopes(goidc.ScopeOpenID, goidc.ScopeProfile, goidc.ScopeOfflineAccess),
		provider.WithIDTokenSignatureAlgs(goidc.RS256),
		provider.WithTokenAuthnMethods(goidc.ClientAuthnSecretBasic),
		provider.WithAuthorizationCodeGrant(),
		provider.WithRefreshTokenGrant(func(*goidc.Client, goidc.GrantInfo) bool { return true }, 600),
		provider.WithRefreshTokenRotation(),
		provider.WithPKCE(goidc.CodeChallengeMethodSHA256),
		provider.WithIssuerResponseParameter(),
		provider.WithStaticClient(client),
		provider.WithAuthnSessionStorage(newGoidcSessions()),
		provider.WithGrantSessionStorage(newGoidcGrants()),
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

func remembered(*http.Request, *goidc.Client, *goidc.AuthnSession) bool { return true }

// approve is a user who is signed in and has allowed the application before.
func approve(_ http.ResponseWriter, _ *http.Request, s *goidc.AuthnSession) (goidc.AuthnStatus, error) {
	s.SetUserID("alice")
	s.GrantScopes(s.Scopes)
	s.SetIDTokenClaimAuthTime(int(time.Now().Unix()))
	s.SetUserInfoClaim("name", "Alice Example")
	s.SetUserInfoClaim("zip", "22030")
	s.SetUserInfoClaim("birthdate", "1990-04-02")
	return goidc.StatusSuccess, nil
}
