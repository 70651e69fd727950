package memory

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Each write below says what it may change. rule_test.go fails when one says too little.

// ofAccount is what a change of an account may change beside its own data: it can end the
// sessions and grants of its user.
const ofAccount = sessions | tokens

// SaveClient implements storage.Clients.
func (s *Store) SaveClient(ctx context.Context, c storage.Client) error {
	defer s.forget(changed{client: c.ID})
	return s.Store.SaveClient(ctx, c)
}

// DeleteClient implements storage.Clients.
func (s *Store) DeleteClient(ctx context.Context, id string, version int64) error {
	defer s.forget(changed{client: id, every: tokens | consents})
	return s.Store.DeleteClient(ctx, id, version)
}

// DenyHost implements storage.ClientHosts. Who is admitted is decided when a client is read; that one
// is not, as after AllowHost, is not kept.
func (s *Store) DenyHost(ctx context.Context, d storage.HostDenial) error {
	defer s.forget(changed{every: clients})
	return s.Store.DenyHost(ctx, d)
}

// Exchange implements storage.Grants.
func (s *Store) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	defer s.forget(changed{token: spent})
	return s.Store.Exchange(ctx, spent, at, issued...)
}

// RevokeGrants implements storage.Grants.
func (s *Store) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	defer s.forget(changed{every: tokens})
	return s.Store.RevokeGrants(ctx, match, at)
}

// EndGrants implements storage.Grants.
func (s *Store) EndGrants(ctx context.Context, ids []storage.GrantID, at time.Time, events ...storage.EventsOf) (int, error) {
	defer s.forget(changed{every: tokens})
	return s.Store.EndGrants(ctx, ids, at, events...)
}

// RemoveGrants implements storage.Grants.
func (s *Store) RemoveGrants(ctx context.Context, ids []storage.GrantID) (int, error) {
	defer s.forget(changed{every: tokens})
	return s.Store.RemoveGrants(ctx, ids)
}

// CreateAccount implements storage.Accounts.
func (s *Store) CreateAccount(ctx context.Context, a storage.Account, first ...storage.FirstFactors) error {
	change := changed{person: a.ID}
	for _, f := range first {
		change.session = f.Replaced
	}
	defer s.forget(change)
	return s.Store.CreateAccount(ctx, a, first...)
}

// SetEmail implements storage.Accounts.
func (s *Store) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	defer s.forget(changed{person: id, every: sessions})
	return s.Store.SetEmail(ctx, id, oldKey, email, key, verified)
}

// VerifyEmail implements storage.Accounts.
func (s *Store) VerifyEmail(ctx context.Context, id string, on storage.Proof) error {
	defer s.forget(changed{person: id, every: sessions})
	return s.Store.VerifyEmail(ctx, id, on)
}

// ChangeEmail implements storage.Accounts.
func (s *Store) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	defer s.forget(changed{person: c.AccountID, every: ofAccount})
	return s.Store.ChangeEmail(ctx, c)
}

// ReturnEmail implements storage.EmailReturns.
func (s *Store) ReturnEmail(ctx context.Context, r storage.EmailReturn) (storage.Account, error) {
	defer s.forget(changed{person: r.AccountID, every: ofAccount})
	return s.Store.ReturnEmail(ctx, r)
}

// SetLanguage implements storage.Accounts.
func (s *Store) SetLanguage(ctx context.Context, id, language string) error {
	defer s.forget(changed{every: sessions})
	return s.Store.SetLanguage(ctx, id, language)
}

// SetPassword implements storage.Accounts.
func (s *Store) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	defer s.forget(changed{person: id, every: ofAccount})
	return s.Store.SetPassword(ctx, id, on, hash, at, begin...)
}

// Rehash implements storage.Accounts.
func (s *Store) Rehash(ctx context.Context, id, oldHash, hash string) error {
	defer s.forget(changed{every: sessions})
	return s.Store.Rehash(ctx, id, oldHash, hash)
}

// SetDisabled implements storage.Accounts.
func (s *Store) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	defer s.forget(changed{person: id, every: ofAccount})
	return s.Store.SetDisabled(ctx, id, disabled, at)
}

// EndIssued implements storage.Accounts.
func (s *Store) EndIssued(ctx context.Context, id string, at time.Time) error {
	defer s.forget(changed{every: ofAccount})
	return s.Store.EndIssued(ctx, id, at)
}

// DeleteAccount implements storage.Accounts.
func (s *Store) DeleteAccount(ctx context.Context, id, pseudonym string, erase storage.Erase, due ...time.Time) (bool, error) {
	defer s.forget(changed{person: id, every: ofAccount | consents})
	return s.Store.DeleteAccount(ctx, id, pseudonym, erase, due...)
}

// SetDeletion implements storage.Deletions.
func (s *Store) SetDeletion(ctx context.Context, id string, on storage.Proof, deleteAt, at time.Time) error {
	defer s.forget(changed{person: id, every: ofAccount})
	return s.Store.SetDeletion(ctx, id, on, deleteAt, at)
}

// SetAttributes implements storage.People.
func (s *Store) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, find map[string]storage.Digest, on ...storage.PersonBasis) error {
	defer s.forget(changed{person: subject})
	return s.Store.SetAttributes(ctx, subject, values, find, on...)
}

// SetOwnAttributes implements storage.People.
func (s *Store) SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, find map[string]storage.Digest, at time.Time) error {
	defer s.forget(changed{person: accountID})
	return s.Store.SetOwnAttributes(ctx, accountID, epoch, values, find, at)
}

// ReplaceAttribute implements storage.People.
func (s *Store) ReplaceAttribute(ctx context.Context, subject, handle string, old, value json.RawMessage, find storage.Digest) error {
	defer s.forget(changed{person: subject})
	return s.Store.ReplaceAttribute(ctx, subject, handle, old, value, find)
}

// SetStatus implements storage.People.
func (s *Store) SetStatus(ctx context.Context, subject string, status storage.Status, replaced int64, on ...storage.PersonBasis) error {
	defer s.forget(changed{person: subject})
	return s.Store.SetStatus(ctx, subject, status, replaced, on...)
}

// RemoveStatus implements storage.People.
func (s *Store) RemoveStatus(ctx context.Context, subject, group string) error {
	defer s.forget(changed{person: subject})
	return s.Store.RemoveStatus(ctx, subject, group)
}

// CreateSession implements storage.Sessions.
func (s *Store) CreateSession(ctx context.Context, n storage.Session, on storage.Proof, replaced storage.Digest) error {
	defer s.forget(changed{session: replaced})
	return s.Store.CreateSession(ctx, n, on, replaced)
}

// TouchSession implements storage.Sessions.
func (s *Store) TouchSession(ctx context.Context, digest storage.Digest, seen, idleUntil time.Time) error {
	defer s.forget(changed{session: digest})
	return s.Store.TouchSession(ctx, digest, seen, idleUntil)
}

// EndSessions implements storage.Sessions.
func (s *Store) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	change := changed{every: sessions}
	if !match.Digest.IsZero() {
		change = changed{session: match.Digest}
	}
	defer s.forget(change)
	return s.Store.EndSessions(ctx, match)
}

// RemoveSessions implements storage.Sessions.
func (s *Store) RemoveSessions(ctx context.Context, digests []storage.Digest, events ...storage.EventsOf) (int, error) {
	defer s.forget(changed{every: sessions})
	return s.Store.RemoveSessions(ctx, digests, events...)
}

// SaveConsent implements storage.Consents. A decision may end grants.
func (s *Store) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	what := changed{consent: storage.ConsentID{Subject: c.Subject, ClientID: c.ClientID}}
	if !c.DecidedAt.IsZero() {
		what.every = tokens
	}
	defer s.forget(what)
	return s.Store.SaveConsent(ctx, c, on)
}

// RevokeConsent implements storage.Consents.
func (s *Store) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	defer s.forget(changed{consent: storage.ConsentID{Subject: subject, ClientID: clientID}, every: tokens})
	return s.Store.RevokeConsent(ctx, subject, clientID, at)
}

// RemoveConsents implements storage.Consents.
func (s *Store) RemoveConsents(ctx context.Context, ids []storage.ConsentID, at time.Time) (int, error) {
	defer s.forget(changed{every: consents})
	return s.Store.RemoveConsents(ctx, ids, at)
}

// Elapse implements storage.Store.
func (s *Store) Elapse(ctx context.Context, e storage.Elapsed) error {
	defer s.forget(changed{every: tokens | people | sessions | consents})
	return s.Store.Elapse(ctx, e)
}
