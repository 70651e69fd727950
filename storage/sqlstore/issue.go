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

// CreateGrant implements storage.Grants.
func (s *Store) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.change(ctx, "create grant", func(tx *tx) error {
		if err := insertGrant(tx, g, on, issued); err != nil {
			return err
		}
		return insertClientSession(tx, g, on)
	})
}

// insertGrant records a grant, of whose statement its basis is a condition. The account is locked
// first, then the decision, and then the flow, which another answer to it may hold.
func insertGrant(tx *tx, g storage.Grant, on storage.Basis, issued []storage.Token) error {
	session, decision := on.Session, on.Consent.Decision
	stale := !decision.IsZero() && on.Consent.LastUsedAt.Before(g.CreatedAt.Add(-consentUseInterval))
	if stale {
		if stands, err := renewUse(tx, g, decision); err != nil {
			return err
		} else if !stands {
			return whyNoGrant(tx, g, issued)
		}
	}
	form, args := grantArgs(g)
	form.based, form.session, form.decision = true, !session.IsZero(), !decision.IsZero() && !stale
	form.lock = tx.store.dialect.ForShare
	if form.session {
		args = append(args, session[:])
	}
	if form.decision {
		args = append(args, decision[:])
	}
	recorded, err := tx.expect(grantTexts.of(form), args...)
	if err != nil {
		return err
	}
	if recorded == 0 {
		return whyNoGrant(tx, g, issued)
	}
	return insertTokens(tx, false, issued)
}

// whyNoGrant returns why a grant failed. An answered flow and a deleted client come before the
// basis of the grant, but not before its user.
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

// renewUse records the last use of a decision, unless another step has, and reports whether it
// stands. A row that is changed is never locked for reading first: two such steps would wait for
// each other.
func renewUse(tx *tx, g storage.Grant, decision storage.Digest) (bool, error) {
	if err := refuseDisabled(tx, g.Subject); err != nil {
		return false, err
	}
	n, err := tx.expect(`UPDATE main.consents SET last_used_at = CASE WHEN last_used_at >= ?4 THEN last_used_at ELSE ?5 END
		WHERE subject = ?1 AND client_id = ?2 AND decision = ?3`,
		g.Subject, g.ClientID, decision[:], micros(g.CreatedAt.Add(-consentUseInterval)), micros(g.CreatedAt))
	return n == 1, err
}

// refuseDisabled returns storage.ErrEnded for a subject whose account is locked, or is to
// be removed; a user of the host has none.
func refuseDisabled(tx *tx, subject string) error {
	return orEnded(tx.find(`SELECT 1 WHERE NOT EXISTS (`+disabledAccount("?1", tx.store.dialect.ForShare)+`)`, subject))
}

// disabledAccount is a query for the account with the identifier of a parameter, if it is locked or
// to be removed. The row is locked, whatever it holds, so that a step and the one that disables the
// account happen one after the other: a grant that slipped in between would outlive it. PostgreSQL
// carries out apart what locks.
func disabledAccount(id, lock string) string {
	return `WITH account AS (SELECT disabled, delete_at FROM main.accounts WHERE id = ` + id + ` ` + lock + `)
		SELECT 1 FROM account WHERE disabled <> 0 OR delete_at IS NOT NULL`
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
