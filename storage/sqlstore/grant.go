package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	tokenColumns = `t.digest, t.kind, t.grant_id, t.parent, t.scopes, t.resources, t.created_at, t.expires_at, t.spent_at`

	grantColumns = `g.id, g.flow, g.client_id, g.subject, g.scopes, g.attributes, g.group_names,
		g.redirect_uri, g.redirect_sent, g.response_type, g.nonce, g.eid, g.claims, g.resources, g.sid, g.code_challenge, g.auth_time, g.amr,
		g.created_at, g.expires_at, g.revoked_at`
)

// consentUseInterval is how old consents.last_used_at may get before a grant
// renews it: who signs in all day costs one write a minute.
const consentUseInterval = time.Minute

// CreateGrant implements storage.Grants.
func (s *Store) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.change(ctx, "create grant", func(tx *tx) error {
		if err := refuseDisabled(tx, g.Subject); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO main.grants (id, flow, client_id, subject, scopes, attributes, group_names,
				redirect_uri, redirect_sent, response_type, nonce, eid, claims, resources, sid, code_challenge,
				auth_time, amr, created_at, expires_at, revoked_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)`,
			g.ID[:], g.Flow[:], g.ClientID, g.Subject, listText(g.Scopes), listText(g.Attributes), listText(g.Groups),
			g.RedirectURI, flag(g.RedirectSent), g.ResponseType, g.Nonce, g.EID, g.Claims, listText(g.Resources), g.SID, g.Challenge,
			micros(g.AuthTime), listText(g.AMR), micros(g.CreatedAt), micros(g.ExpiresAt), micros(g.RevokedAt),
		); err != nil {
			return err
		}
		if err := insertTokens(tx, false, issued); err != nil {
			return err
		}
		if err := requireBasis(tx, g, on); err != nil {
			return err
		}
		return insertClientSession(tx, g, on)
	})
}

// requireBasis returns storage.ErrEnded unless what a grant rests on stands, and
// renews when the decision was last used. The account is locked by then, and the
// lock on the decision orders this step and the one that revokes it. A decision that
// is changed is never locked for reading first: two such steps would wait for each
// other.
func requireBasis(tx *tx, g storage.Grant, on storage.Basis) error {
	var filter where
	if decision := on.Consent.Decision; !decision.IsZero() {
		filter.and("subject = ?", g.Subject)
		filter.and("client_id = ?", g.ClientID)
		filter.and("decision = ?", decision[:])
	} else {
		return requireSession(tx, g.Subject, on.Session)
	}
	if !on.Session.IsZero() {
		filter.conditions = append(filter.conditions, `EXISTS (SELECT 1 FROM main.sessions
			WHERE digest = `+filter.param(on.Session[:])+` AND account_id = ?1)`)
	}
	standing, args := filter.String(), filter.args
	if stale := g.CreatedAt.Add(-consentUseInterval); on.Consent.LastUsedAt.Before(stale) {
		filter.and("(last_used_at IS NULL OR last_used_at < ?)", micros(stale))
		renewed, err := tx.exec(`UPDATE main.consents SET last_used_at = `+filter.param(micros(g.CreatedAt))+filter.String(), filter.args...)
		if err != nil || renewed > 0 {
			return err
		}
	}
	_, err := one(tx, scanInt, `SELECT 1 FROM main.consents`+standing+` `+tx.store.dialect.ForShare, args...)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrEnded
	}
	return err
}

// refuseDisabled returns storage.ErrEnded for a subject whose account is locked, or is to
// be removed. The row is locked so that this step and the one that disables the account
// happen one after the other: a grant that slipped in between would outlive it.
func refuseDisabled(tx *tx, subject string) error {
	disabled, err := one(tx, scanInt, `SELECT CASE WHEN delete_at IS NULL THEN disabled ELSE 1 END
		FROM main.accounts WHERE id = ?1 `+tx.store.dialect.ForShare, subject)
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
			FROM main.tokens t JOIN main.grants g ON g.id = t.grant_id WHERE t.digest = ?1`, digest[:])
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
	err := s.exchange(ctx, spent, at, issued, false)
	if errors.Is(err, errSiblings) {
		err = s.exchange(ctx, spent, at, issued, true)
	}
	return err
}

// errSiblings says that an exchange has to spend other tokens as well.
var errSiblings = errors.New("sqlstore: the token has siblings")

// exchange spends a token, and its siblings where it is the whole family's turn. That
// begins with the lock of their parent: two steps that lock siblings in an order of
// their own would wait for each other.
func (s *Store) exchange(ctx context.Context, spent storage.Digest, at time.Time, issued []storage.Token, family bool) error {
	return s.change(ctx, "exchange token", func(tx *tx) error {
		if family {
			if _, err := all(tx, scanInt, `SELECT 1 FROM main.tokens WHERE digest = (
				SELECT parent FROM main.tokens WHERE digest = ?1) `+tx.store.dialect.ForUpdate, spent[:]); err != nil {
				return err
			}
		}
		won, err := one(tx, scanSpentToken, `UPDATE main.tokens SET spent_at = ?2
			WHERE digest = ?1 AND spent_at IS NULL AND EXISTS (
				SELECT 1 FROM main.grants WHERE id = tokens.grant_id AND revoked_at IS NULL)
			RETURNING grant_id, parent, siblings`, spent[:], micros(at))
		if errors.Is(err, storage.ErrNotFound) {
			return whyNotExchanged(tx, spent)
		}
		if err != nil {
			return err
		}
		if won.siblings && !family {
			return errSiblings
		}
		if won.siblings {
			if err := spendSiblings(tx, won, at); err != nil {
				return err
			}
		}
		return insertTokens(tx, false, inPlaceOf(spent, issued))
	})
}

// inPlaceOf notes in refresh tokens what they are issued in place of.
func inPlaceOf(parent storage.Digest, issued []storage.Token) []storage.Token {
	noted := slices.Clone(issued)
	for i := range noted {
		if noted[i].Kind == storage.RefreshToken {
			noted[i].Parent = parent
		}
	}
	return noted
}

// spentToken is what an exchange has to know of the token that it has spent.
type spentToken struct {
	grant    storage.GrantID
	parent   storage.Digest
	siblings bool
}

func scanSpentToken(row scanner) (s spentToken, err error) {
	err = row.Scan((*grantID)(&s.grant), (*optionalDigest)(&s.parent), &s.siblings)
	return s, err
}

// spendSiblings spends what else was issued in place of one token.
func spendSiblings(tx *tx, used spentToken, at time.Time) error {
	_, err := tx.exec(`UPDATE main.tokens SET spent_at = ?3
		WHERE grant_id = ?1 AND parent = ?2 AND spent_at IS NULL`, used.grant[:], used.parent[:], micros(at))
	return err
}

// whyNotExchanged says what stood in the way of an exchange: no token, an ended
// grant, or another exchange.
func whyNotExchanged(tx *tx, digest storage.Digest) error {
	state, err := tokenState(tx, digest, "")
	if err != nil {
		return err
	}
	if !state.revokedAt.IsZero() {
		return storage.ErrEnded
	}
	return storage.ErrSpent
}

// Reissue implements storage.Grants.
func (s *Store) Reissue(ctx context.Context, spent storage.Digest, within storage.Grace, issued ...storage.Token) error {
	return s.change(ctx, "reissue token", func(tx *tx) error {
		// The lock lets one step at a time count the successors and add one.
		state, err := tokenState(tx, spent, tx.store.dialect.forUpdateOf("t"))
		switch {
		case err != nil:
			return err
		case !state.revokedAt.IsZero():
			return storage.ErrEnded
		case state.spentAt.IsZero():
			return storage.ErrNotFound
		case state.spentAt.Before(within.NotBefore.Truncate(time.Microsecond)), state.spentAt.After(within.NotAfter):
			return storage.ErrSpent
		}
		// Whoever uses a successor changes its row, too: this step and that one
		// happen one after the other. Once one is used, none is unspent.
		unused, err := tx.exec(`UPDATE main.tokens SET siblings = 1
			WHERE grant_id = ?1 AND parent = ?2 AND spent_at IS NULL`, state.grant[:], spent[:])
		if err != nil {
			return err
		}
		switch {
		case unused == 0:
			return storage.ErrSpent
		case unused >= within.Successors:
			return storage.ErrLimit
		}
		return insertTokens(tx, true, inPlaceOf(spent, issued))
	})
}

// RevokeGrants implements storage.Grants.
func (s *Store) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	if match == (storage.GrantFilter{}) {
		return 0, nil
	}
	if match.ID == (storage.GrantID{}) && match.Subject == "" {
		return 0, errors.New("revoke grants: the filter reads the whole table; it is for FindGrants")
	}
	var filter where
	now := filter.param(micros(at))
	filter.conditions = append(filter.conditions, "revoked_at IS NULL")
	filter.andGrants(match)
	return write(ctx, s, "revoke grants", func(tx *tx) (int, error) {
		return tx.exec(`UPDATE main.grants SET revoked_at = `+now+filter.String(), filter.args...)
	})
}

// andGrants adds the conditions of a filter of grants.
func (w *where) andGrants(match storage.GrantFilter) {
	if match.ID != (storage.GrantID{}) {
		w.and("id = ?", match.ID[:])
	}
	if match.Subject != "" {
		w.and("subject = ?", match.Subject)
	}
	if match.ClientID != "" {
		w.and("client_id = ?", match.ClientID)
	}
	if !match.CreatedBefore.IsZero() {
		w.and("created_at < ?", micros(match.CreatedBefore))
	}
}

// revokeSubject ends the grants of a subject as part of a larger step.
func revokeSubject(tx *tx, subject string, at time.Time) error {
	_, err := tx.exec(`UPDATE main.grants SET revoked_at = ?2 WHERE subject = ?1 AND revoked_at IS NULL`,
		subject, micros(at))
	return err
}

// insertTokens records tokens; siblings says that there are others in place of what
// they are issued in place of.
func insertTokens(tx *tx, siblings bool, tokens []storage.Token) error {
	for _, t := range tokens {
		if _, err := tx.exec(`INSERT INTO main.tokens (digest, kind, grant_id, parent, siblings, scopes, resources, created_at, expires_at, spent_at)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
			t.Digest[:], int64(t.Kind), t.GrantID[:], digestOrNull(t.Parent), flag(siblings), listText(t.Scopes), listText(t.Resources),
			micros(t.CreatedAt), micros(t.ExpiresAt), micros(t.SpentAt),
		); err != nil {
			return err
		}
	}
	return nil
}

type spentAndRevoked struct {
	grant              storage.GrantID
	spentAt, revokedAt time.Time
}

func tokenState(tx *tx, digest storage.Digest, lock string) (spentAndRevoked, error) {
	return one(tx, func(row scanner) (s spentAndRevoked, err error) {
		err = row.Scan((*grantID)(&s.grant), (*instant)(&s.spentAt), (*instant)(&s.revokedAt))
		return s, err
	}, `SELECT t.grant_id, t.spent_at, g.revoked_at FROM main.tokens t JOIN main.grants g ON g.id = t.grant_id WHERE t.digest = ?1 `+lock, digest[:])
}

type tokenAndGrant struct {
	token storage.Token
	grant storage.Grant
}

func scanTokenAndGrant(row scanner) (r tokenAndGrant, err error) {
	t, g := &r.token, &r.grant
	err = row.Scan(
		(*digest)(&t.Digest), &t.Kind, (*grantID)(&t.GrantID), (*optionalDigest)(&t.Parent), (*list)(&t.Scopes), (*list)(&t.Resources),
		(*instant)(&t.CreatedAt), (*instant)(&t.ExpiresAt), (*instant)(&t.SpentAt),

		(*grantID)(&g.ID), (*digest)(&g.Flow), &g.ClientID, &g.Subject, (*list)(&g.Scopes), (*list)(&g.Attributes), (*list)(&g.Groups),
		&g.RedirectURI, &g.RedirectSent, &g.ResponseType, &g.Nonce, &g.EID, &g.Claims, (*list)(&g.Resources), &g.SID, &g.Challenge,
		(*instant)(&g.AuthTime), (*list)(&g.AMR),
		(*instant)(&g.CreatedAt), (*instant)(&g.ExpiresAt), (*instant)(&g.RevokedAt),
	)
	return r, err
}
