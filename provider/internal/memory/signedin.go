package memory

import (
	"context"

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
