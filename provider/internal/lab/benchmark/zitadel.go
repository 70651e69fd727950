package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// zitadelStorage is the in-memory store that zitadel/oidc brings as its example,
// with a user who is signed in already.
type zitadelStorage struct{ *storage.Storage }

// The first of the users that its example knows without a host name.
const zitadelUser, zitadelPassword = "test-user2", "verysecure"

func (s zitadelStorage) CreateAuthRequest(ctx context.Context, r *oidc.AuthRequest, userID string) (op.AuthRequest, error) {
	request, err := s.Storage.CreateAuthRequest(ctx, r, userID)
	if err != nil {
		return nil, err
	}
	return request, s.CheckUsernamePassword(zitadelUser, zitadelPassword, request.GetID())
}

func (s zitadelStorage) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := s.Storage.GetClientByClientID(ctx, id)
	return zitadelClient{client}, err
}

// zitadelClient leads from the authorization endpoint straight to its second half:
// what is left of the sign-in page when there is a session.
type zitadelClient struct{ op.Client }

func (zitadelClient) LoginURL(id string) string { return "/authorize/callback?id=" + id }

func zitadel(_ context.Context, base, _ string) (http.Handler, func(*http.Client) (target, error), error) {
	storage.RegisterClients(storage.WebClient(clientID, clientSecret, redirectURI))
	config := &op.Config{CodeMethodS256: true, GrantTypeRefreshToken: true}
	if _, err := rand.Read(config.CryptoKey[:]); err != nil {
		return nil, nil, err
	}
	store := zitadelStorage{storage.NewStorage(storage.NewUserStore(base))}
	p, err := op.NewProvider(config, store, op.StaticIssuer(base), op.WithAllowInsecure(),
		op.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, nil, err
	}
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"},
		"scope": {"openid profile email offline_access"}, "state": {"af0ifjsldkj"},
	}
	return p, func(*http.Client) (target, error) {
		return target{
			Authorize: "/authorize?" + query.Encode(), Token: "/oauth/token", Refresh: true,
			Userinfo: "/userinfo", Discovery: "/.well-known/openid-configuration", Keys: "/keys",
		}, nil
	}, nil
}
