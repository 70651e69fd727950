// Package session keeps browsers signed in. A session is a random token in a cookie and a
// row in the store under the token's digest. The row decides, so that ending it anywhere
// ends it everywhere, whatever the browser kept.
package session

import (
	"cmp"
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

	// FedCM has a second cookie beside that of each session; nil has none.
	FedCM *SecondCookie

	// Idle is how long an unused session lasts, Life how long any session does.
	Idle, Life time.Duration

	Clock func() time.Time
}

// Store stores the sessions.
type Store interface {
	storage.Sessions

	// RecentSession is Session from a cache of less than a second.
	RecentSession(ctx context.Context, digest storage.Digest) (s storage.Session, a storage.Account, remembered bool, err error)
}

// Authentication describes how a user signed in.
type Authentication struct {
	AccountID string

	// On is what the session rests on: at least the account as it was read.
	On storage.Proof

	// Create records the session, in place of the one with the digest replaced, if that is set, in a
	// larger step; nil for a step of its own.
	Create func(ctx context.Context, s storage.Session, replaced storage.Digest) error

	// At is the time of the authentication; zero for now.
	At time.Time

	AMR       []string
	Factors   []storage.Factor
	UserAgent string
	// Address is a network prefix for the owner to recognize.
	Address string
}

// Begin signs the browser in, for the rest of this request as well, and returns the
// session. The browser's former session ends in the same step: an identifier from before
// must be useless afterwards (session fixation). storage.ErrNotFound if the account is gone
// or disabled, storage.ErrChanged or storage.ErrProof if the owner's authentication is no longer
// valid.
func (m *Manager) Begin(ctx context.Context, w http.ResponseWriter, r *http.Request, a Authentication) (storage.Digest, error) {
	session, secret := m.issue(a)
	replaced, _ := m.Tokens.Parse(token.Session, m.Cookies.Get(r, Session))
	if a.Create == nil {
		a.Create = func(ctx context.Context, s storage.Session, replaced storage.Digest) error {
			return m.Store.CreateSession(ctx, s, a.On, replaced)
		}
	}
	if err := a.Create(ctx, session, replaced); err != nil {
		return storage.Digest{}, fmt.Errorf("create session: %w", err)
	}
	m.send(w, session, secret)
	m.Cookies.Assume(r, Session, secret)
	return session.Digest, nil
}

// New makes a session for an operation of the store that records it, and returns a function
// that sends its cookie afterwards.
func (m *Manager) New(a Authentication) (session storage.Session, send func(http.ResponseWriter)) {
	session, secret := m.issue(a)
	return session, func(w http.ResponseWriter) { m.send(w, session, secret) }
}

// send signs the browser in to a session that is recorded.
func (m *Manager) send(w http.ResponseWriter, s storage.Session, secret string) {
	m.Cookies.Set(w, Session, secret, m.Life)
	m.SendSecond(w, s.Digest)
}

// issue makes a session and its cookie value.
func (m *Manager) issue(a Authentication) (storage.Session, string) {
	secret, digest := m.Tokens.New(token.Session)
	now := m.Clock()
	return storage.Session{
		Digest: digest, AccountID: a.AccountID, AuthTime: cmp.Or(a.At, now), AMR: a.AMR, Factors: a.Factors,
		UserAgent: a.UserAgent, Address: a.Address,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(m.Life), IdleUntil: now.Add(m.Idle),
	}, secret
}

// touchEvery limits how often the use of a session is recorded.
const touchEvery = time.Minute

// Current returns the browser's valid session and its account; false if there is none.
func (m *Manager) Current(ctx context.Context, r *http.Request) (storage.Session, storage.Account, bool, error) {
	return m.current(ctx, r, m.Store.Session)
}

// Recent is Current from a cache of less than a second: only for a write that has the
// session as a condition.
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
	s, account, ok, err := m.find(ctx, digest, read)
	if ok {
		m.Use(ctx, s)
	}
	return s, account, ok, err
}

// find returns the session with a digest and its account; false unless it is valid.
func (m *Manager) find(
	ctx context.Context, digest storage.Digest, read func(context.Context, storage.Digest) (storage.Session, storage.Account, error),
) (storage.Session, storage.Account, bool, error) {
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
	return s, account, true, nil
}

// Use records that a valid session is in use, which keeps it from ending as idle.
func (m *Manager) Use(ctx context.Context, s storage.Session) {
	now := m.Clock()
	// A use that a wrong clock recorded in the future would otherwise keep the session idle
	// until then.
	if clock.Elapsed(now, s.LastSeenAt) >= touchEvery || clock.Ahead(now, s.LastSeenAt) {
		// A session whose use cannot be recorded stays valid; it ends when idle, as if it
		// had not been used.
		_ = m.Store.TouchSession(ctx, s.Digest, now, now.Add(m.Idle))
	}
}

// End signs the browser out.
func (m *Manager) End(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if digest, ok := m.Tokens.Parse(token.Session, m.Cookies.Get(r, Session)); ok {
		if _, err := m.Store.EndSessions(ctx, storage.SessionFilter{Digest: digest}); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
	}
	m.Forget(w)
	return nil
}

// Forget has the browser forget a session that has ended.
func (m *Manager) Forget(w http.ResponseWriter) {
	m.Cookies.Clear(w, Session)
	if m.FedCM != nil {
		m.Cookies.Clear(w, FedCM)
		SayLoggedOut(w)
	}
}
