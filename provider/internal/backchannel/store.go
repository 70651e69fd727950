package backchannel

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Store is a store that reports possible ends of sessions, so that applications are told at
// once. Run finds all other ends a second later.
type Store struct {
	storage.Store
	Ended func()
}

// EndSessions implements storage.Sessions.
func (s Store) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	defer s.Ended()
	return s.Store.EndSessions(ctx, match)
}

// EndClientSessions implements storage.ClientSessions.
func (s Store) EndClientSessions(ctx context.Context, subject string, hostSession storage.Digest) (int, error) {
	defer s.Ended()
	return s.Store.EndClientSessions(ctx, subject, hostSession)
}

// SetPassword implements storage.Accounts.
func (s Store) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	defer s.Ended()
	return s.Store.SetPassword(ctx, id, on, hash, at, begin...)
}

// SetDisabled implements storage.Accounts.
func (s Store) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	defer s.Ended()
	return s.Store.SetDisabled(ctx, id, disabled, at)
}

// DeleteAccount implements storage.Accounts.
func (s Store) DeleteAccount(ctx context.Context, id, pseudonym string, erase storage.Erase, due ...time.Time) (bool, error) {
	defer s.Ended()
	return s.Store.DeleteAccount(ctx, id, pseudonym, erase, due...)
}

// SetDeletion implements storage.Deletions.
func (s Store) SetDeletion(ctx context.Context, id string, on storage.Proof, deleteAt, at time.Time) error {
	defer s.Ended()
	return s.Store.SetDeletion(ctx, id, on, deleteAt, at)
}

// EndIssued implements storage.Accounts.
func (s Store) EndIssued(ctx context.Context, id string, at time.Time) error {
	defer s.Ended()
	return s.Store.EndIssued(ctx, id, at)
}

// RemovePasskey implements storage.Authenticators.
func (s Store) RemovePasskey(ctx context.Context, accountID string, id []byte, on storage.Proof) error {
	defer s.Ended()
	return s.Store.RemovePasskey(ctx, accountID, id, on)
}

// RemoveLink implements storage.Links.
func (s Store) RemoveLink(ctx context.Context, accountID string, digest storage.Digest, on storage.Proof, at time.Time) error {
	defer s.Ended()
	return s.Store.RemoveLink(ctx, accountID, digest, on, at)
}

// RemovePassword implements storage.Authenticators.
func (s Store) RemovePassword(ctx context.Context, accountID string, on storage.Proof) error {
	defer s.Ended()
	return s.Store.RemovePassword(ctx, accountID, on)
}

// ResetAuthenticators implements storage.Authenticators.
func (s Store) ResetAuthenticators(ctx context.Context, accountID string, at time.Time) error {
	defer s.Ended()
	return s.Store.ResetAuthenticators(ctx, accountID, at)
}

// FinishRecovery implements storage.Recoveries.
func (s Store) FinishRecovery(ctx context.Context, f storage.RecoveryFinish) error {
	defer s.Ended()
	return s.Store.FinishRecovery(ctx, f)
}
