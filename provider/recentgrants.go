package provider

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// recentGrants is the recentStore as the engine sees it.
type recentGrants struct{ *recentStore }

var _ engine.Grants = recentGrants{}

// Issued implements engine.Grants. No two kinds of token have one digest.
func (s recentGrants) Issued(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (*engine.Issued, error) {
	read := func() (*engine.Issued, error) {
		token, grant, err := s.Token(ctx, kind, digest)
		return &engine.Issued{Token: token, Grant: grant}, err
	}
	if kind == storage.RefreshToken {
		return read()
	}
	return s.issued.Get(digest, read)
}

// CreateGrant implements engine.Grants.
func (s recentGrants) CreateGrant(ctx context.Context, g storage.Grant, issued ...storage.Token) error {
	return s.remember(g, issued, func() error { return s.recentStore.CreateGrant(ctx, g, issued...) })
}

// Exchange implements engine.Grants.
func (s recentGrants) Exchange(ctx context.Context, spent *engine.Issued, at time.Time, issued ...storage.Token) error {
	return s.remember(spent.Grant, issued, func() error {
		return s.recentStore.Exchange(ctx, spent.Token.Digest, at, issued...)
	})
}

// Reissue implements engine.Grants.
func (s recentGrants) Reissue(ctx context.Context, spent *engine.Issued, notBefore time.Time, issued ...storage.Token) error {
	return s.remember(spent.Grant, issued, func() error {
		return s.recentStore.Reissue(ctx, spent.Token.Digest, notBefore, issued...)
	})
}

// remember makes a change that issues tokens of a grant in force, and keeps those
// that the next request is likely to bring.
func (s recentGrants) remember(g storage.Grant, issued []storage.Token, change func() error) error {
	var ends []func(keep bool)
	for _, token := range issued {
		if token.Kind != storage.RefreshToken {
			end := s.issued.Begin(token.Digest)
			ends = append(ends, func(keep bool) { end(&engine.Issued{Token: token, Grant: g}, keep) })
		}
	}
	made := false
	defer func() {
		for _, end := range ends {
			end(made)
		}
	}()
	err := change()
	made = err == nil
	return err
}
