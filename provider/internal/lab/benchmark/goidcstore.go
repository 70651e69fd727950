package main

import (
	"context"
	"sync"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

// index is a map that knows values by several keys, all of which are free again
// when the value is saved anew.
type index[T any] struct {
	mu    sync.Mutex
	byID  map[string]*T
	byKey map[string]*T
	keys  map[string][]string
}

func newIndex[T any]() index[T] {
	return index[T]{byID: map[string]*T{}, byKey: map[string]*T{}, keys: map[string][]string{}}
}

func (x *index[T]) save(id string, value *T, keys ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forget(id)
	x.byID[id], x.keys[id] = value, keys
	for _, k := range keys {
		x.byKey[k] = value
	}
}

func (x *index[T]) forget(id string) {
	for _, k := range x.keys[id] {
		delete(x.byKey, k)
	}
	delete(x.byID, id)
	delete(x.keys, id)
}

func (x *index[T]) find(key string) (*T, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	value, ok := x.byKey[key]
	if !ok {
		return nil, goidc.ErrNotFound
	}
	return value, nil
}

// goidcStore keeps sessions, grants and tokens, and is all of its managers.
type goidcStore struct {
	sessions index[goidc.AuthnSession]
	grants   index[goidc.Grant]
	tokens   index[goidc.Token]
}

func newGoidcStore() *goidcStore {
	return &goidcStore{newIndex[goidc.AuthnSession](), newIndex[goidc.Grant](), newIndex[goidc.Token]()}
}

// SaveSession implements goidc.AuthManager.
func (s *goidcStore) SaveSession(_ context.Context, a *goidc.AuthnSession) error {
	s.sessions.save(a.ID, a, a.ID)
	return nil
}

// Session implements goidc.AuthManager.
func (s *goidcStore) Session(_ context.Context, id string) (*goidc.AuthnSession, error) {
	return s.sessions.find(id)
}

// SaveGrant implements goidc.GrantManager.
func (s *goidcStore) SaveGrant(_ context.Context, g *goidc.Grant) error {
	s.grants.save(g.ID, g, "id "+g.ID, "code "+g.AuthCode, "refresh "+g.RefreshToken)
	return nil
}

// Grant implements goidc.GrantManager.
func (s *goidcStore) Grant(_ context.Context, id string) (*goidc.Grant, error) {
	return s.grants.find("id " + id)
}

// GrantByAuthCode implements goidc.AuthManager.
func (s *goidcStore) GrantByAuthCode(_ context.Context, code string) (*goidc.Grant, error) {
	return s.grants.find("code " + code)
}

// GrantByRefreshToken implements goidc.RefreshTokenManager.
func (s *goidcStore) GrantByRefreshToken(_ context.Context, token string) (*goidc.Grant, error) {
	return s.grants.find("refresh " + token)
}

// SaveToken implements goidc.OpaqueTokenManager.
func (s *goidcStore) SaveToken(_ context.Context, t *goidc.Token) error {
	s.tokens.save(t.ID, t, t.ID)
	return nil
}

// Token implements goidc.OpaqueTokenManager.
func (s *goidcStore) Token(_ context.Context, id string) (*goidc.Token, error) {
	return s.tokens.find(id)
}
