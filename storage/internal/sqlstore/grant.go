package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	tokenColumns = `t.digest, t.kind, t.grant_id, t.scopes, t.created_at, t.expires_at, t.spent_at`

	grantColumns = `g.id, g.flow, g.client_id, g.subject, g.scopes, g.redirect_uri, g.redirect_sent,
		g.response_type, g.nonce, g.eid, g.challenge, g.auth_time, g.amr,
		g.created_at, g.expires_at, g.revoked_at`
)

// consentUseInterval is how old consents.last_used_at may get before a grant
// renews it: who signs in all day costs one write a minute.
const consentUseInterval = time.Minute

// CreateGrant implements storage.Grants.
func (s *Store) CreateGrant(ctx context.Context, g storage.Grant, issued ...storage.Token) error {
	return s.change(ctx, "create grant", func(tx *tx) error {
		if err := refuseDisabled(tx, g.Subject); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO grants (id, flow, client_id, subject, scopes,
				redirect_uri, redirect_sent, response_type, nonce, eid, challenge,
				auth_time, amr, created_at, expires_at, revoked_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
			g.ID[:], g.Flow[:], g.ClientID, g.Subject, listText(g.Scopes),
			g.RedirectURI, flag(g.RedirectSent), g.ResponseType, g.Nonce, g.EID, g.Challenge,
			micros(g.AuthTime), listText(g.AMR), micros(g.CreatedAt), micros(g.ExpiresAt), micros(g.RevokedAt),
		); err != nil {
			return err
		}
		if err := insertTokens(tx, issued); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE consents SET last_used_at = ?3
			WHERE subject = ?1 AND client_id = ?2 AND (last_used_at IS NULL OR last_used_at < ?4)`,
			g.Subject, g.ClientID, micros(g.CreatedAt), micros(g.CreatedAt.Add(-consentUseInterval)))
		return err
	})
}

// refuseDisabled returns storage.ErrEnded for a subject whose account is locked.
// The row is locked so that this step and the one that disables the account happen
// one after the other: a grant that slipped in between would outlive it.
func refuseDisabled(tx *tx, subject string) error {
	disabled, err := one(tx, scanInt, `SELECT disabled FROM accounts WHERE id = ?1 /* FOR SHARE */`, subject)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil // a user of the host
	case err != nil:
		return err
	case disabled != 0:
		return storage.ErrEnded
	}
	return nil
}

// Token implements storage.Grants.
func (s *Store) Token(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (storage.Token, storage.Grant, error) {
	found, err := read(ctx, s, "read token", func(tx *tx) (tokenAndGrant, error) {
		found, err := one(tx, scanTokenAndGrant, `SELECT `+tokenColumns+`, `+grantColumns+`
			FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = ?1`, digest[:])
		// Not a condition of the query: a parameter that is compared with the
		// column of a partial index makes SQLite plan anew each time.
		if err == nil && found.token.Kind != kind {
			return tokenAndGrant{}, storage.ErrNotFound
		}
		return found, err
	})
	return found.token, found.grant, err
}

// Exchange implements storage.Grants.
func (s *Store) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	return s.change(ctx, "exchange token", func(tx *tx) error {
		won, err := tx.exec(`UPDATE tokens SET spent_at = ?2
			WHERE digest = ?1 AND spent_at IS NULL AND EXISTS (
				SELECT 1 FROM grants WHERE id = tokens.grant_id AND revoked_at IS NULL)`,
			spent[:], micros(at))
		if err != nil {
			return err
		}
		if won == 0 {
			return whyNotExchanged(tx, spent)
		}
		return insertTokens(tx, issued)
	})
}

// whyNotExchanged tells what stood in the way of an exchange: no token, an ended
// grant, or another exchange.
func whyNotExchanged(tx *tx, digest storage.Digest) error {
	state, err := tokenState(tx, digest)
	if err != nil {
		return err
	}
	if !state.revokedAt.IsZero() {
		return storage.ErrEnded
	}
	return storage.ErrSpent
}

// Reissue implements storage.Grants.
func (s *Store) Reissue(ctx context.Context, spent storage.Digest, notBefore time.Time, issued ...storage.Token) error {
	return s.change(ctx, "reissue token", func(tx *tx) error {
		state, err := tokenState(tx, spent)
		switch {
		case err != nil:
			return err
		case !state.revokedAt.IsZero():
			return storage.ErrEnded
		case state.spentAt.IsZero():
			return storage.ErrNotFound
		case state.spentAt.Before(notBefore.Truncate(time.Microsecond)):
			return storage.ErrSpent
		}
		return insertTokens(tx, issued)
	})
}

// RevokeGrants implements storage.Grants.
func (s *Store) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	if match == (storage.GrantFilter{}) {
		return 0, nil
	}
	var filter where
	now := filter.param(micros(at))
	filter.conditions = append(filter.conditions, "revoked_at IS NULL")
	if match.ID != (storage.GrantID{}) {
		filter.and("id = ?", match.ID[:])
	}
	if match.Subject != "" {
		filter.and("subject = ?", match.Subject)
	}
	if match.ClientID != "" {
		filter.and("client_id = ?", match.ClientID)
	}
	if !match.CreatedBefore.IsZero() {
		filter.and("created_at < ?", micros(match.CreatedBefore))
	}
	return write(ctx, s, "revoke grants", func(tx *tx) (int, error) {
		return tx.exec(`UPDATE grants SET revoked_at = `+now+filter.String(), filter.args...)
	})
}

// revokeSubject ends the grants of a subject as part of a larger step.
func revokeSubject(tx *tx, subject string, at time.Time) error {
	_, err := tx.exec(`UPDATE grants SET revoked_at = ?2 WHERE subject = ?1 AND revoked_at IS NULL`,
		subject, micros(at))
	return err
}

func insertTokens(tx *tx, tokens []storage.Token) error {
	for _, t := range tokens {
		if _, err := tx.exec(`INSERT INTO tokens (digest, kind, grant_id, scopes, created_at, expires_at, spent_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
			t.Digest[:], int64(t.Kind), t.GrantID[:], listText(t.Scopes),
			micros(t.CreatedAt), micros(t.ExpiresAt), micros(t.SpentAt),
		); err != nil {
			return err
		}
	}
	return nil
}

type spentAndRevoked struct{ spentAt, revokedAt time.Time }

func tokenState(tx *tx, digest storage.Digest) (spentAndRevoked, error) {
	return one(tx, func(row scanner) (s spentAndRevoked, err error) {
		err = row.Scan((*instant)(&s.spentAt), (*instant)(&s.revokedAt))
		return s, err
	}, `SELECT t.spent_at, g.revoked_at FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE t.digest = ?1`, digest[:])
}

type tokenAndGrant struct {
	token storage.Token
	grant storage.Grant
}

func scanTokenAndGrant(row scanner) (r tokenAndGrant, err error) {
	t, g := &r.token, &r.grant
	err = row.Scan(
		(*digest)(&t.Digest), &t.Kind, (*grantID)(&t.GrantID), (*list)(&t.Scopes),
		(*instant)(&t.CreatedAt), (*instant)(&t.ExpiresAt), (*instant)(&t.SpentAt),

		(*grantID)(&g.ID), (*digest)(&g.Flow), &g.ClientID, &g.Subject, (*list)(&g.Scopes),
		&g.RedirectURI, &g.RedirectSent, &g.ResponseType, &g.Nonce, &g.EID, &g.Challenge,
		(*instant)(&g.AuthTime), (*list)(&g.AMR),
		(*instant)(&g.CreatedAt), (*instant)(&g.ExpiresAt), (*instant)(&g.RevokedAt),
	)
	return r, err
}
