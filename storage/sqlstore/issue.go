package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// consentUseInterval is how old consents.last_used_at may get before a grant renews it, so
// that a user who signs in all day costs one write a minute.
const consentUseInterval = time.Minute

const (
	standingDecision          = ` WHERE subject = ?1 AND client_id = ?2 AND decision = ?3`
	standingDecisionOfSession = standingDecision + ` AND EXISTS (SELECT 1 FROM main.sessions WHERE digest = ?4 AND account_id = ?1)`

	renewDecision = `UPDATE main.consents SET last_used_at = CASE WHEN last_used_at >= ?4 THEN last_used_at ELSE ?5 END` +
		standingDecision
	renewDecisionOfSession = `UPDATE main.consents SET last_used_at = CASE WHEN last_used_at >= ?5 THEN last_used_at ELSE ?6 END` +
		standingDecisionOfSession
)

// CreateGrant implements storage.Grants.
func (s *Store) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.change(ctx, "create grant", func(tx *tx) error {
		if s.dialect.ForShare == "" {
			if err := insertGrantAlone(tx, g, on, issued); err != nil {
				return err
			}
		} else if err := insertGrantAmongOthers(tx, g, on, issued); err != nil {
			return err
		}
		return insertClientSession(tx, g, on)
	})
}

// insertGrantAlone is for a database with one write at a time: the basis of the grant is a
// condition of the statement that records it.
func insertGrantAlone(tx *tx, g storage.Grant, on storage.Basis, issued []storage.Token) error {
	session, decision := on.Session, on.Consent.Decision
	form, args := grantArgs(g)
	form.alone, form.session, form.decision = true, !session.IsZero(), !decision.IsZero()
	if form.session {
		args = append(args, session[:])
	}
	if form.decision {
		args = append(args, decision[:])
	}
	recorded, err := tx.exec(grantTexts.of(form), args...)
	if err != nil {
		return err
	}
	if recorded == 0 {
		return whyNoGrant(tx, g, issued)
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	if !decision.IsZero() && isUseStale(g, on) {
		_, err = renewUse(tx, g, on)
	}
	return err
}

// whyNoGrant returns why a grant failed. As among others, an answered flow and a deleted
// client come before the basis of the grant, but not before its user.
func whyNoGrant(tx *tx, g storage.Grant, issued []storage.Token) error {
	if err := refuseDisabled(tx, g.Subject); err != nil {
		return err
	}
	form, args := grantArgs(g)
	if _, err := tx.exec(grantTexts.of(form), args...); err != nil {
		return err
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	return storage.ErrEnded // which undoes it
}

// insertGrantAmongOthers is for a database with concurrent writes: it locks the basis of the
// grant.
func insertGrantAmongOthers(tx *tx, g storage.Grant, on storage.Basis, issued []storage.Token) error {
	if err := refuseDisabled(tx, g.Subject); err != nil {
		return err
	}
	form, args := grantArgs(g)
	if _, err := tx.expect(grantTexts.of(form), args...); err != nil {
		return err
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	return requireBasis(tx, g, on)
}

// requireBasis returns storage.ErrEnded unless the basis of a grant holds, and renews the
// last use of the decision. The account is already locked, and the lock on the decision
// orders this step and the one that revokes it. A decision that is changed is never locked
// for reading first: two such steps would wait for each other.
func requireBasis(tx *tx, g storage.Grant, on storage.Basis) error {
	if on.Consent.Decision.IsZero() {
		return requireSession(tx, g.Subject, on.Session)
	}
	if isUseStale(g, on) {
		return orEnded(renewUse(tx, g, on))
	}
	standing, args := basisOf(g, on)
	return orEnded(tx.find(`SELECT 1 FROM main.consents`+standing+` `+tx.store.dialect.ForShare, args...))
}

// basisOf is the condition that a decision stands, and the session if there is one.
func basisOf(g storage.Grant, on storage.Basis) (condition string, args []any) {
	args = append(make([]any, 0, 6), g.Subject, g.ClientID, on.Consent.Decision[:])
	if on.Session.IsZero() {
		return standingDecision, args
	}
	return standingDecisionOfSession, append(args, on.Session[:])
}

func isUseStale(g storage.Grant, on storage.Basis) bool {
	return on.Consent.LastUsedAt.Before(g.CreatedAt.Add(-consentUseInterval))
}

// renewUse records the last use of a decision, unless another step has, and returns whether it
// stands.
func renewUse(tx *tx, g storage.Grant, on storage.Basis) (int, error) {
	_, args := basisOf(g, on)
	args = append(args, micros(g.CreatedAt.Add(-consentUseInterval)), micros(g.CreatedAt))
	if on.Session.IsZero() {
		return tx.expect(renewDecision, args...)
	}
	return tx.expect(renewDecisionOfSession, args...)
}

// refuseDisabled returns storage.ErrEnded for a subject whose account is locked, or is to
// be removed; a user of the host has none. The row is locked, whatever it holds, so that this
// step and the one that disables the account happen one after the other: a grant that slipped in
// between would outlive it. PostgreSQL carries out apart what locks.
func refuseDisabled(tx *tx, subject string) error {
	return orEnded(tx.find(`WITH account AS (SELECT disabled, delete_at FROM main.accounts WHERE id = ?1 `+tx.store.dialect.ForShare+`)
		SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM account WHERE disabled <> 0 OR delete_at IS NOT NULL)`, subject))
}

// insertTokens records tokens; siblings reports that other tokens have replaced the same one.
func insertTokens(tx *tx, siblings bool, tokens []storage.Token) error {
	for len(tokens) > 0 {
		first := tokens[0]
		n := slices.IndexFunc(tokens, func(t storage.Token) bool {
			return t.GrantID != first.GrantID || !t.CreatedAt.Equal(first.CreatedAt)
		})
		if n < 0 {
			n = len(tokens)
		}
		n = min(n, maxTokens)
		form, args := tokenArgs(siblings, tokens[:n])
		if _, err := tx.expect(tokenTexts.of(form), args...); err != nil {
			return err
		}
		tokens = tokens[n:]
	}
	return nil
}
