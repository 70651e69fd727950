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

// Revoke ends the sessions, grants and tokens of one user, and whatever sign-in is
// under way, in every process within a second; what the user allowed stays, so that
// nobody is asked again. A user of the host, who has no account here, may be signed in
// there and get new ones at once. It returns nil when there is nothing to end.
func (p People) Revoke(ctx context.Context, id string) error {
	if err := p.store.EndIssued(ctx, id, p.cfg.Clock()); err != nil {
		return fmt.Errorf("provider: revoke user: %w", err)
	}
	p.audit.Record(ctx, storage.Event{Name: audit.Revoked, Subject: id, Detail: "everything of the user, by the host"})
	return nil
}

// EndSessions says that the host has signed a user out: of the session that it names as
// SignedIn.SessionID, or, when that is empty, of all. Applications with a
// BackchannelLogoutURI are told; their tokens stay as they are. A host with users of its
// own calls it wherever they sign out there. Sessions of an embedded account, which have no
// such name, it ends itself. It returns nil when there is nothing to end.
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

// RevokeIssuedBefore ends every grant, token and session that was made before a
// moment, and all codes that were mailed and requests that were pushed, whenever that
// was, for nobody knows which of them were used; the links by which a former address takes an
// account back stay: what to do after a backup was restored or a secret has leaked. A million
// take some minutes, in which other requests are served; when ctx ends before, some are
// still in force, and another call goes on.
func (p People) RevokeIssuedBefore(ctx context.Context, moment time.Time) error {
	if moment.IsZero() {
		return errors.New("provider: revoke what was issued before: the moment is missing")
	}
	defer p.store.ForgetIssued()
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

// removeAll removes one batch after another until there is nothing left, and gives others
// as much time between them.
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
