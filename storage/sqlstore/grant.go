package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// Columns that a query selects or joins by are not read again: each column read costs
	// some allocations.
	tokenColumns = `t.kind, t.grant_id, t.parent, t.scopes, t.resources, t.created_at, t.expires_at, t.spent_at, t.jkt, t.actors`

	grantColumns = `g.flow, g.client_id, g.subject, g.scopes, g.attributes, g.group_names,
		g.redirect_uri, g.redirect_sent, g.response_type, g.nonce, g.eid, g.claims, g.resources, g.sid, g.code_challenge, g.auth_time, g.amr, g.assurance, g.enrolled_at,
		g.created_at, g.expires_at, g.revoked_at`
)

// itsGrantStands is a condition on a token. With EXISTS, PostgreSQL joins the two tables, and reads
// all of grants for each token until it has counted them once, a minute after the first.
const itsGrantStands = `(SELECT revoked_at IS NULL FROM main.grants WHERE id = tokens.grant_id)`

// Token implements storage.Grants.
func (s *Store) Token(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (storage.Token, storage.Grant, error) {
	found, err := read(ctx, s, "read token", func(tx *tx) (tokenAndGrant, error) {
		found, err := one(tx, scanTokenAndGrant, `SELECT `+tokenColumns+`, `+grantColumns+`
			FROM main.tokens t JOIN main.grants g ON g.id = t.grant_id WHERE t.digest = ?1`, digest[:])
		// Not a condition of the query: a parameter that is compared with the column of a
		// partial index makes SQLite plan each time.
		if err == nil && found.token.Kind != kind {
			return tokenAndGrant{}, storage.ErrNotFound
		}
		found.token.Digest, found.grant.ID = digest, found.token.GrantID
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

// errSiblings means that an exchange must spend other tokens as well.
var errSiblings = errors.New("sqlstore: the token has siblings")

// exchange spends a token, and its siblings where it is the whole family's turn. That
// begins with the lock of their parent: two steps that lock siblings in an order of
// their own would wait for each other.
func (s *Store) exchange(ctx context.Context, spent storage.Digest, at time.Time, issued []storage.Token, family bool) error {
	return s.change(ctx, "exchange token", func(tx *tx) error {
		if !family {
			if done, err := spendAlone(tx, spent, at); err != nil {
				return err
			} else if done {
				return insertTokens(tx, false, inPlaceOf(spent, issued))
			}
		}
		if family {
			if _, err := all(tx, scanInt, `SELECT 1 FROM main.tokens WHERE digest = (
				SELECT parent FROM main.tokens WHERE digest = ?1) `+tx.store.dialect.ForUpdate, spent[:]); err != nil {
				return err
			}
		}
		won, err := one(tx, scanSpentToken, `UPDATE main.tokens SET spent_at = ?2
			WHERE digest = ?1 AND spent_at IS NULL AND `+itsGrantStands+`
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

// spendAlone spends a token that has no siblings, as nearly all, and reports whether it has:
// nothing of it has to be read.
func spendAlone(tx *tx, digest storage.Digest, at time.Time) (bool, error) {
	n, err := tx.expect(`UPDATE main.tokens SET spent_at = ?2
		WHERE digest = ?1 AND spent_at IS NULL AND siblings = 0 AND `+itsGrantStands, digest[:], micros(at))
	return n == 1, err
}

// inPlaceOf records in refresh tokens the token that they replace.
func inPlaceOf(parent storage.Digest, issued []storage.Token) []storage.Token {
	noted := slices.Clone(issued)
	for i := range noted {
		if noted[i].Kind == storage.RefreshToken {
			noted[i].Parent = parent
		}
	}
	return noted
}

// spentToken is the data that an exchange needs of the token that it has spent.
type spentToken struct {
	grant    storage.GrantID
	parent   storage.Digest
	siblings bool
}

func scanSpentToken(row scanner) (s spentToken, err error) {
	err = row.Scan((*grantID)(&s.grant), (*optionalDigest)(&s.parent), &s.siblings)
	return s, err
}

// spendSiblings spends the other tokens that replaced the same one.
func spendSiblings(tx *tx, used spentToken, at time.Time) error {
	_, err := tx.exec(`UPDATE main.tokens SET spent_at = ?3
		WHERE grant_id = ?1 AND parent = ?2 AND spent_at IS NULL`, used.grant[:], used.parent[:], micros(at))
	return err
}

// whyNotExchanged returns why an exchange failed: no token, an ended grant, or another
// exchange.
func whyNotExchanged(tx *tx, digest storage.Digest) error {
	state, err := stateOf(tx, digest, "")
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
		state, err := stateOf(tx, spent, tx.store.dialect.forUpdateOf("t"))
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
		// A step that uses a successor changes its row, too, so that the two happen one
		// after the other. Once one is used, none is unspent.
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

// Derive implements storage.Grants.
func (s *Store) Derive(ctx context.Context, issued storage.Token) error {
	return s.change(ctx, "derive token", func(tx *tx) error {
		// The lock orders this step and the one that spends the parent or revokes the grant.
		parent, err := stateOf(tx, issued.Parent, tx.store.dialect.ForShare)
		switch {
		case err != nil:
			return err
		case parent.grant != issued.GrantID:
			return storage.ErrNotFound
		case !parent.revokedAt.IsZero():
			return storage.ErrEnded
		case !parent.spentAt.IsZero(), !issued.CreatedAt.Before(parent.expiresAt):
			return storage.ErrSpent
		}
		return insertTokens(tx, false, []storage.Token{issued})
	})
}

// Renew implements storage.Grants.
func (s *Store) Renew(ctx context.Context, kept storage.Digest, until time.Time, issued ...storage.Token) error {
	return s.change(ctx, "renew token", func(tx *tx) error {
		n, err := tx.expect(`UPDATE main.tokens SET expires_at = ?2
			WHERE digest = ?1 AND spent_at IS NULL AND `+itsGrantStands, kept[:], micros(until))
		switch {
		case err != nil:
			return err
		case n == 0:
			return whyNotExchanged(tx, kept)
		}
		return insertTokens(tx, false, issued)
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

// tokenState is what becomes of a token: its expiry, and what has ended it.
type tokenState struct {
	grant                         storage.GrantID
	expiresAt, spentAt, revokedAt time.Time
}

func stateOf(tx *tx, digest storage.Digest, lock string) (tokenState, error) {
	return one(tx, func(row scanner) (s tokenState, err error) {
		err = row.Scan((*grantID)(&s.grant), (*instant)(&s.expiresAt), (*instant)(&s.spentAt), (*instant)(&s.revokedAt))
		return s, err
	}, `SELECT t.grant_id, t.expires_at, t.spent_at, g.revoked_at
		FROM main.tokens t JOIN main.grants g ON g.id = t.grant_id WHERE t.digest = ?1 `+lock, digest[:])
}

type tokenAndGrant struct {
	token storage.Token
	grant storage.Grant
}

func scanTokenAndGrant(row scanner) (r tokenAndGrant, err error) {
	t, g := &r.token, &r.grant
	err = row.Scan(
		&t.Kind, (*grantID)(&t.GrantID), (*optionalDigest)(&t.Parent), (*list)(&t.Scopes), (*list)(&t.Resources),
		(*instant)(&t.CreatedAt), (*instant)(&t.ExpiresAt), (*instant)(&t.SpentAt), (*optionalDigest)(&t.JKT), (*list)(&t.Actors),

		(*digest)(&g.Flow), &g.ClientID, &g.Subject, (*list)(&g.Scopes), (*list)(&g.Attributes), (*list)(&g.Groups),
		&g.RedirectURI, &g.RedirectSent, &g.ResponseType, &g.Nonce, &g.EID, &g.Claims, (*list)(&g.Resources), &g.SID, &g.Challenge,
		(*instant)(&g.AuthTime), (*list)(&g.AMR), &g.Assurance, (*instant)(&g.EnrolledAt),
		(*instant)(&g.CreatedAt), (*instant)(&g.ExpiresAt), (*instant)(&g.RevokedAt),
	)
	return r, err
}
