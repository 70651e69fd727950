package memory

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// Grants is the Store as the engine sees it.
type Grants struct{ *Store }

var _ engine.Grants = Grants{}

// Issued implements engine.Grants. No two kinds of token have one digest.
func (s Grants) Issued(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (*engine.Issued, error) {
	read := func() (*engine.Issued, error) {
		token, grant, err := s.Token(ctx, kind, digest)
		return &engine.Issued{Token: token, Grant: grant}, err
	}
	if kind == storage.RefreshToken {
		return read()
	}
	return s.tokens.Get(digest, read)
}

// Recent implements engine.Grants.
func (s Grants) Recent(digest storage.Digest, now time.Time) *engine.Issued {
	found, _ := s.tokens.Recent(digest, now)
	return found
}

// CreateGrant implements engine.Grants.
func (s Grants) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.remember(g, issued, func() error { return s.Store.CreateGrant(ctx, g, on, issued...) })
}

// Exchange implements engine.Grants.
func (s Grants) Exchange(ctx context.Context, spent *engine.Issued, at time.Time, issued ...storage.Token) error {
	return s.remember(spent.Grant, issued, func() error {
		return s.Store.Exchange(ctx, spent.Token.Digest, at, issued...)
	})
}

// Reissue implements engine.Grants.
func (s Grants) Reissue(ctx context.Context, spent *engine.Issued, within storage.Grace, issued ...storage.Token) error {
	return s.remember(spent.Grant, issued, func() error {
		return s.Store.Reissue(ctx, spent.Token.Digest, within, issued...)
	})
}

// Derive implements engine.Grants.
func (s Grants) Derive(ctx context.Context, from *engine.Issued, issued storage.Token) error {
	return s.remember(from.Grant, []storage.Token{issued}, func() error { return s.Store.Derive(ctx, issued) })
}

// Renew implements engine.Grants.
func (s Grants) Renew(ctx context.Context, kept *engine.Issued, until time.Time, issued ...storage.Token) error {
	return s.remember(kept.Grant, issued, func() error {
		return s.Store.Renew(ctx, kept.Token.Digest, until, issued...)
	})
}

// remember performs a change that issues tokens of a grant, and caches those that the next
// request is likely to bring.
func (s Grants) remember(g storage.Grant, issued []storage.Token, change func() error) error {
	var next []*engine.Issued
	var ends []func(next *engine.Issued, keep bool)
	for _, token := range issued {
		if token.Kind != storage.RefreshToken {
			next, ends = append(next, &engine.Issued{Token: token, Grant: g}), append(ends, s.tokens.Begin(token.Digest))
		}
	}
	made := false
	defer func() {
		for i, end := range ends {
			end(next[i], made)
		}
	}()
	err := change()
	made = err == nil
	return err
}
