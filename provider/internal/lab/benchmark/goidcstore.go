package main

import (
	"context"
	"errors"
	"sync"

	"github.com/luikyv/go-oidc/pkg/goidc"
)

var errNotFound = errors.New("not found")

// index is a map that knows values by several keys, all of which are free again
// when the value is saved anew or deleted.
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

func (x *index[T]) delete(id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forget(id)
	return nil
}

func (x *index[T]) find(key string) (*T, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	value, ok := x.byKey[key]
	if !ok {
		return nil, errNotFound
	}
	return value, nil
}

// goidcSessions is a goidc.AuthnSessionManager.
type goidcSessions struct{ index[goidc.AuthnSession] }

func newGoidcSessions() *goidcSessions { return &goidcSessions{newIndex[goidc.AuthnSession]()} }

func (m *goidcSessions) Save(_ context.Context, s *goidc.AuthnSession) error {
	m.save(s.ID, s, "callback "+s.CallbackID, "code "+s.AuthCode)
	return nil
}

func (m *goidcSessions) SessionByCallbackID(_ context.Context, id string) (*goidc.AuthnSession, error) {
	return m.find("callback " + id)
}

func (m *goidcSessions) SessionByAuthCode(_ context.Context, code string) (*goidc.AuthnSession, error) {
	return m.find("code " + code)
}

func (m *goidcSessions) SessionByPushedAuthReqID(context.Context, string) (*goidc.AuthnSession, error) {
	return nil, errNotFound
}

func (m *goidcSessions) SessionByCIBAAuthID(context.Context, string) (*goidc.AuthnSession, error) {
	return nil, errNotFound
}

func (m *goidcSessions) Delete(_ context.Context, id string) error { return m.delete(id) }

// goidcGrants is a goidc.GrantSessionManager.
type goidcGrants struct{ index[goidc.GrantSession] }

func newGoidcGrants() *goidcGrants { return &goidcGrants{newIndex[goidc.GrantSession]()} }

func (m *goidcGrants) Save(_ context.Context, g *goidc.GrantSession) error {
	m.save(g.ID, g, "token "+g.TokenID, "refresh "+g.RefreshToken, "code "+g.AuthCode)
	return nil
}

func (m *goidcGrants) SessionByTokenID(_ context.Context, id string) (*goidc.GrantSession, error) {
	return m.find("token " + id)
}

func (m *goidcGrants) SessionByRefreshToken(_ context.Context, token string) (*goidc.GrantSession, error) {
	return m.find("refresh " + token)
}

func (m *goidcGrants) Delete(_ context.Context, id string) error { return m.delete(id) }

func (m *goidcGrants) DeleteByAuthCode(_ context.Context, code string) error {
	g, err := m.find("code " + code)
	if errors.Is(err, errNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.delete(g.ID)
}
