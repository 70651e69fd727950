package sampleclient

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
)

// httpClient asks providers. It follows no redirects: an answer of the token or data
// endpoints is never one, and a secret must not travel along.
var httpClient = &http.Client{
	Timeout:       patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// defaultScope is asked for when the visitor has chosen none.
const defaultScope = "military"

// discovery is what a provider says about itself. It is asked for once, when the
// first visitor needs it.
type discovery struct {
	issuer string

	mu       sync.Mutex
	provider *oidc.Provider
	scopes   []string
}

// get returns the provider's metadata and keys. A failure is not remembered: the next
// visitor may be luckier.
func (d *discovery) get(ctx context.Context) (*oidc.Provider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.provider != nil {
		return d.provider, nil
	}
	// The provider keeps the client to read keys with, long after this request.
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, httpClient), d.issuer)
	if err != nil {
		return nil, fmt.Errorf("read discovery document: %w", err)
	}
	var more struct {
		Scopes []string `json:"scopes_supported"`
	}
	if err := p.Claims(&more); err != nil {
		return nil, fmt.Errorf("read discovery document: %w", err)
	}
	d.provider, d.scopes = p, slices.DeleteFunc(more.Scopes, func(s string) bool {
		return s == oidc.ScopeOpenID || s == oidc.ScopeOfflineAccess
	})
	return p, nil
}

// scopeValues returns what can be asked for beside openid, or the scope that every
// provider of this kind has when this one cannot be asked.
func (d *discovery) scopeValues(ctx context.Context) []string {
	if _, err := d.get(ctx); err != nil || len(d.scopes) == 0 {
		return []string{defaultScope}
	}
	return d.scopes
}

// verify checks the signature, issuer, audience and lifetime of an ID token.
func (d *discovery) verify(ctx context.Context, raw, clientID string) (*oidc.IDToken, error) {
	p, err := d.get(ctx)
	if err != nil {
		return nil, err
	}
	return p.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, raw)
}
