package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

// Revoke ends the sessions, grants, tokens and sign-ins in progress of one user, in every
// process within a second. Consents stay, so that the user is not asked again. A host's
// user, who has no account here, may still be signed in there and get new tokens at once.
// It returns nil if there is nothing to end.
func (p People) Revoke(ctx context.Context, id string) error {
	if err := p.store.EndIssued(ctx, id, p.cfg.Clock()); err != nil {
		return fmt.Errorf("provider: revoke user: %w", err)
	}
	p.audit.Record(ctx, storage.Event{Name: audit.Revoked, Subject: id, Detail: "everything of the user, by the host"})
	return nil
}

// EndSessions tells applications with a BackchannelLogoutURI that the host has signed a
// user out: of the session with this SignedIn.SessionID, or of all if it is empty. Tokens
// stay valid. A host with its own users calls it wherever they sign out. Sessions of an
// embedded account, which have no such ID, end here. It returns nil if there is nothing to
// end.
func (p People) EndSessions(ctx context.Context, userID, sessionID string) error {
	ended, err := p.store.EndClientSessions(ctx, userID, authflow.HostSession(userID, sessionID))
	if err == nil && p.cfg.hasAccounts() && sessionID == "" {
		ended, err = p.store.EndSessions(ctx, storage.SessionFilter{AccountID: userID})
	}
	if err != nil {
		return fmt.Errorf("provider: end sessions: %w", err)
	}
	if ended > 0 {
		p.audit.Record(ctx, storage.Event{Name: audit.SignedOut, Subject: userID, Detail: "by the host"})
	}
	return nil
}

// RevokeIssuedBefore ends every grant, token and session from before a moment, for use
// after a restored backup or a leaked secret. It also ends all mailed codes and pushed
// requests of any time, because any of them may have been used. Links with which a former
// address recovers an account stay. A million take some minutes, while other requests are
// served. If ctx ends before, some are still valid, and another call continues.
func (p People) RevokeIssuedBefore(ctx context.Context, moment time.Time) error {
	if moment.IsZero() {
		return errors.New("provider: revoke what was issued before: the moment is missing")
	}
	store := p.store
	// Sessions first: they can make grants.
	err := batch.Each(ctx, func(after storage.Digest) ([]storage.Digest, storage.Digest, error) {
		return store.FindSessions(ctx, moment, after, batch.Size)
	}, func(digests []storage.Digest) (int, error) { return store.RemoveSessions(ctx, digests) })
	if err == nil {
		err = batch.Each(ctx, func(after storage.GrantID) ([]storage.GrantID, storage.GrantID, error) {
			return store.FindGrants(ctx, storage.GrantFilter{CreatedBefore: moment}, after, batch.Size)
		}, func(ids []storage.GrantID) (int, error) { return store.EndGrants(ctx, ids, p.cfg.Clock()) })
	}
	for _, remove := range []func(context.Context, int) (int, error){store.RemoveOneTimeCodes, store.RemovePushedRequests} {
		if err == nil {
			err = removeAll(ctx, remove)
		}
	}
	if err != nil {
		return fmt.Errorf("provider: revoke what was issued before: %w", err)
	}
	p.audit.Record(ctx, storage.Event{Name: audit.Revoked, Detail: "everything issued before a moment"})
	return nil
}

// removeAll removes batch after batch until nothing is left, and pauses between them for as
// long as each took.
func removeAll(ctx context.Context, remove func(ctx context.Context, limit int) (int, error)) error {
	for {
		begin := time.Now()
		removed, err := remove(ctx, sweepBatch)
		if err != nil || removed == 0 {
			return err
		}
		if err := batch.Rest(ctx, time.Since(begin)); err != nil {
			return err
		}
	}
}
