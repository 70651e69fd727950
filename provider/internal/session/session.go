// Package session keeps browsers signed in. A session is a random token in a
// cookie and a row in the store under the token's digest; the row decides, so that
// ending it anywhere ends it everywhere, whatever the browser kept.
package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/opaque"
	"github.com/bonafide-id/bonafide/storage"
)

// Manager begins, finds and ends sessions.
type Manager struct {
	Store   storage.Sessions
	Tokens  *opaque.Codec
	Cookies Cookies

	// Idle ends a session that is not used, Life any session.
	Idle, Life time.Duration

	Clock func() time.Time
}

// Authentication tells how somebody signed in.
type Authentication struct {
	AccountID string
	AMR       []string
	UserAgent string
	// Address is a network prefix for the owner to recognize.
	Address string
}

// Begin signs the browser in. The session that it had ends in the same step: an
// identifier from before must be worth nothing afterwards (session fixation).
// storage.ErrNotFound when the account is gone or disabled.
func (m *Manager) Begin(ctx context.Context, w http.ResponseWriter, r *http.Request, a Authentication) error {
	token, digest := m.Tokens.New(opaque.Session)
	now := m.Clock()
	replaced, _ := m.Tokens.Parse(opaque.Session, m.Cookies.Get(r, Session))
	err := m.Store.CreateSession(ctx, storage.Session{
		Digest: digest, AccountID: a.AccountID, AuthTime: now, AMR: a.AMR,
		UserAgent: a.UserAgent, Address: a.Address,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(m.Life), IdleUntil: now.Add(m.Idle),
	}, replaced)
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	m.Cookies.Set(w, Session, token, m.Life)
	return nil
}

// touchEvery bounds how often the use of a session is written down.
const touchEvery = time.Minute

// Current returns the session of the browser and its account; false when it has
// none that is in force.
func (m *Manager) Current(ctx context.Context, r *http.Request) (storage.Session, storage.Account, bool, error) {
	digest, ok := m.Tokens.Parse(opaque.Session, m.Cookies.Get(r, Session))
	if !ok {
		return storage.Session{}, storage.Account{}, false, nil
	}
	s, account, err := m.Store.Session(ctx, digest)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	if err != nil {
		return storage.Session{}, storage.Account{}, false, fmt.Errorf("read session: %w", err)
	}
	now := m.Clock()
	if account.Disabled || !now.Before(s.ExpiresAt) || !now.Before(s.IdleUntil) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	if now.Sub(s.LastSeenAt) >= touchEvery {
		// A session that cannot be noted as used is still a session; it
		// ends when idle, as if it had not been used.
		_ = m.Store.TouchSession(ctx, digest, now, now.Add(m.Idle))
	}
	return s, account, true, nil
}

// End signs the browser out.
func (m *Manager) End(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if digest, ok := m.Tokens.Parse(opaque.Session, m.Cookies.Get(r, Session)); ok {
		if err := m.Store.EndSession(ctx, digest); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
	}
	m.Cookies.Clear(w, Session)
	return nil
}
