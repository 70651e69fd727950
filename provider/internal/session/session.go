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

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/token"
	"github.com/bonafide-id/bonafide/storage"
)

// Manager begins, finds and ends sessions.
type Manager struct {
	Store   Store
	Tokens  *token.Codec
	Cookies Cookies

	// Idle ends a session that is not used, Life any session.
	Idle, Life time.Duration

	Clock func() time.Time
}

// Store is where the sessions are.
type Store interface {
	storage.Sessions

	// RecentSession is Session, which may be remembered from less than a second ago.
	RecentSession(ctx context.Context, digest storage.Digest) (s storage.Session, a storage.Account, remembered bool, err error)
}

// Authentication says how a user signed in.
type Authentication struct {
	AccountID string

	// Epoch is that of the account when its owner was authenticated.
	Epoch int64

	AMR       []string
	UserAgent string
	// Address is a network prefix that the owner may recognize.
	Address string
}

// Begin signs the browser in, for the rest of this request as well, and returns the
// session. The one that it had ends in the same step: an identifier from before must be
// worth nothing afterwards (session fixation).
// storage.ErrNotFound when the account is gone or disabled, storage.ErrChanged when
// its epoch is over: what authenticated its owner is no longer valid.
func (m *Manager) Begin(ctx context.Context, w http.ResponseWriter, r *http.Request, a Authentication) (storage.Digest, error) {
	session, secret := m.issue(a)
	replaced, _ := m.Tokens.Parse(token.Session, m.Cookies.Get(r, Session))
	if err := m.Store.CreateSession(ctx, session, a.Epoch, replaced); err != nil {
		return storage.Digest{}, fmt.Errorf("create session: %w", err)
	}
	m.Cookies.Set(w, Session, secret, m.Life)
	m.Cookies.Assume(r, Session, secret)
	return session.Digest, nil
}

// New makes a session for a step of the store that records it, and returns what sends
// its cookie afterwards.
func (m *Manager) New(a Authentication) (session storage.Session, send func(http.ResponseWriter)) {
	session, secret := m.issue(a)
	return session, func(w http.ResponseWriter) { m.Cookies.Set(w, Session, secret, m.Life) }
}

// issue makes a session and the value of its cookie.
func (m *Manager) issue(a Authentication) (storage.Session, string) {
	secret, digest := m.Tokens.New(token.Session)
	now := m.Clock()
	return storage.Session{
		Digest: digest, AccountID: a.AccountID, AuthTime: now, AMR: a.AMR,
		UserAgent: a.UserAgent, Address: a.Address,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(m.Life), IdleUntil: now.Add(m.Idle),
	}, secret
}

// touchEvery bounds how often the use of a session is recorded.
const touchEvery = time.Minute

// Current returns the session of the browser and its account; false when it has
// none that is in force.
func (m *Manager) Current(ctx context.Context, r *http.Request) (storage.Session, storage.Account, bool, error) {
	return m.current(ctx, r, m.Store.Session)
}

// Recent is Current, which may be remembered from less than a second ago: only for a write
// that has the session as a condition.
func (m *Manager) Recent(ctx context.Context, r *http.Request) (s storage.Session, a storage.Account, ok, remembered bool, err error) {
	s, a, ok, err = m.current(ctx, r, func(ctx context.Context, digest storage.Digest) (s storage.Session, a storage.Account, err error) {
		s, a, remembered, err = m.Store.RecentSession(ctx, digest)
		return s, a, err
	})
	return s, a, ok, remembered, err
}

func (m *Manager) current(
	ctx context.Context, r *http.Request, read func(context.Context, storage.Digest) (storage.Session, storage.Account, error),
) (storage.Session, storage.Account, bool, error) {
	digest, ok := m.Tokens.Parse(token.Session, m.Cookies.Get(r, Session))
	if !ok {
		return storage.Session{}, storage.Account{}, false, nil
	}
	s, account, err := read(ctx, digest)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	if err != nil {
		return storage.Session{}, storage.Account{}, false, fmt.Errorf("read session: %w", err)
	}
	now := m.Clock()
	if account.Disabled || !clock.InForce(now, s.AuthTime, s.ExpiresAt) || !now.Before(s.IdleUntil) {
		return storage.Session{}, storage.Account{}, false, nil
	}
	// One that was last seen by a clock that was wrong would stay idle for as long
	// as that was ahead.
	if clock.Elapsed(now, s.LastSeenAt) >= touchEvery || clock.Ahead(now, s.LastSeenAt) {
		// A session that cannot be noted as used is still a session; it
		// ends when idle, as if it had not been used.
		_ = m.Store.TouchSession(ctx, digest, now, now.Add(m.Idle))
	}
	return s, account, true, nil
}

// End signs the browser out.
func (m *Manager) End(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if digest, ok := m.Tokens.Parse(token.Session, m.Cookies.Get(r, Session)); ok {
		if err := m.Store.EndSession(ctx, digest); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
	}
	m.Cookies.Clear(w, Session)
	return nil
}
