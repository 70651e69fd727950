package memory

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// A cached session and decision are only for a caller whose next step is a write with both
// as its conditions, and that reads the database before anything else. All others read the
// database.

// signedIn is a session and its account.
type signedIn struct {
	session storage.Session
	account storage.Account
}

// RecentSession is Session, and reports whether it is cached.
func (s *Store) RecentSession(ctx context.Context, digest storage.Digest) (_ storage.Session, _ storage.Account, remembered bool, _ error) {
	remembered = true
	known, err := s.sessions.Get(digest, func() (*signedIn, error) {
		remembered = false
		session, account, err := s.Store.Session(ctx, digest)
		return &signedIn{session, account}, err
	})
	if err != nil {
		return storage.Session{}, storage.Account{}, remembered, err
	}
	return known.session, known.account, remembered, nil
}

// RecentConsent is Consent, and reports whether it is cached.
func (s *Store) RecentConsent(ctx context.Context, subject, clientID string) (_ storage.Consent, remembered bool, _ error) {
	remembered = true
	known, err := s.consents.Get(storage.ConsentID{Subject: subject, ClientID: clientID}, func() (*storage.Consent, error) {
		remembered = false
		consent, err := s.Store.Consent(ctx, subject, clientID)
		return &consent, err
	})
	if err != nil {
		return storage.Consent{}, remembered, err
	}
	return *known, remembered, nil
}

// CreateSession implements storage.Sessions.
func (s *Store) CreateSession(ctx context.Context, n storage.Session, epoch int64, replaced storage.Digest) error {
	defer s.sessions.Forget(replaced)
	return s.Store.CreateSession(ctx, n, epoch, replaced)
}

// TouchSession implements storage.Sessions.
func (s *Store) TouchSession(ctx context.Context, digest storage.Digest, seen, idleUntil time.Time) error {
	defer s.sessions.Forget(digest)
	return s.Store.TouchSession(ctx, digest, seen, idleUntil)
}

// EndSession implements storage.Sessions.
func (s *Store) EndSession(ctx context.Context, digest storage.Digest) error {
	defer s.sessions.Forget(digest)
	return s.Store.EndSession(ctx, digest)
}

// EndSessions implements storage.Sessions.
func (s *Store) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	defer s.sessions.Clear()
	return s.Store.EndSessions(ctx, match)
}

// RemoveSessions implements storage.Sessions.
func (s *Store) RemoveSessions(ctx context.Context, digests []storage.Digest) (int, error) {
	defer s.sessions.Clear()
	return s.Store.RemoveSessions(ctx, digests)
}

// SaveConsent implements storage.Consents.
func (s *Store) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	defer s.consents.Forget(storage.ConsentID{Subject: c.Subject, ClientID: c.ClientID})
	if !c.DecidedAt.IsZero() { // it may end grants
		defer s.issued.Clear()
	}
	return s.Store.SaveConsent(ctx, c, on)
}

// RevokeConsent implements storage.Consents.
func (s *Store) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	defer s.consents.Forget(storage.ConsentID{Subject: subject, ClientID: clientID})
	defer s.issued.Clear()
	return s.Store.RevokeConsent(ctx, subject, clientID, at)
}

// RemoveConsents implements storage.Consents.
func (s *Store) RemoveConsents(ctx context.Context, ids []storage.ConsentID) (int, error) {
	defer s.consents.Clear()
	return s.Store.RemoveConsents(ctx, ids)
}
