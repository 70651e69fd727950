package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const sessionColumns = `s.account_id, s.auth_time, s.amr, s.factors, s.user_agent, s.address,
	s.created_at, s.last_seen_at, s.expires_at, s.idle_until`

// CreateSession implements storage.Sessions.
func (s *Store) CreateSession(ctx context.Context, n storage.Session, on storage.Proof, replaced storage.Digest) error {
	return s.change(ctx, "create session", func(tx *tx) error {
		// The lock orders this step and those that end the sessions of the account:
		// otherwise a concurrent session would outlive them.
		err := requireProof(tx, n.AccountID, on, "AND disabled = 0 AND delete_at IS NULL ", tx.store.dialect.ForShare)
		if err != nil {
			return err
		}
		// Who has the factors needs no recovery, and has not asked for it.
		if len(on.Passkey.ID) > 0 || on.TOTPStep != 0 || !on.RecoveryCode.IsZero() {
			if _, err := tx.exec(`DELETE FROM main.recoveries WHERE account_id = ?1`, n.AccountID); err != nil {
				return err
			}
		}
		if err := insertSession(tx, n); err != nil {
			return err
		}
		return replaceSession(tx, replaced, n)
	})
}

func insertSession(tx *tx, n storage.Session) error {
	given, err := factorsText(n.Factors)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO main.sessions (digest, account_id, auth_time, amr, user_agent, address,
			created_at, last_seen_at, expires_at, idle_until, factors)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
		n.Digest[:], n.AccountID, micros(n.AuthTime), listText(n.AMR), n.UserAgent, n.Address,
		micros(n.CreatedAt), micros(n.LastSeenAt), micros(n.ExpiresAt), micros(earlier(n.IdleUntil, n.ExpiresAt)), given)
	return err
}

// Session implements storage.Sessions.
func (s *Store) Session(ctx context.Context, digest storage.Digest) (storage.Session, storage.Account, error) {
	found, err := read(ctx, s, "read session", func(tx *tx) (sessionAndAccount, error) {
		return one(tx, scanSessionAndAccount, `SELECT `+sessionColumns+`, `+accountColumns+`
			FROM main.sessions s JOIN main.accounts a ON a.id = s.account_id
			WHERE s.digest = ?1`, digest[:])
	})
	if err == nil {
		found.session.Digest = digest
	}
	return found.session, found.account, err
}

// TouchSession implements storage.Sessions.
func (s *Store) TouchSession(ctx context.Context, digest storage.Digest, seen, idleUntil time.Time) error {
	return s.change(ctx, "touch session", func(tx *tx) error {
		// A request that was overtaken reverts nothing, but a use that a wrong clock
		// recorded does not block later ones.
		_, err := tx.expect(`UPDATE main.sessions SET last_seen_at = ?2,
				idle_until = CASE WHEN expires_at < ?3 THEN expires_at ELSE ?3 END
			WHERE digest = ?1 AND (last_seen_at IS NULL OR last_seen_at <= ?2 OR last_seen_at > ?4)`,
			digest[:], micros(seen), micros(idleUntil), micros(seen.Add(skew)))
		return err
	})
}

// Sessions implements storage.Sessions.
func (s *Store) Sessions(ctx context.Context, accountID string) ([]storage.Session, error) {
	return read(ctx, s, "list sessions", func(tx *tx) ([]storage.Session, error) {
		return all(tx, scanSession, `SELECT s.digest, `+sessionColumns+` FROM main.sessions s
			WHERE s.account_id = ?1 ORDER BY s.last_seen_at DESC, s.digest`, accountID)
	})
}

// EndSessions implements storage.Sessions.
func (s *Store) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	query, args := `DELETE FROM main.sessions WHERE digest = ?1`, []any{match.Digest[:]}
	switch {
	case !match.Digest.IsZero():
	case match.AccountID == "":
		return 0, nil
	default:
		query, args = `DELETE FROM main.sessions WHERE account_id = ?1 AND digest <> ?2`, []any{match.AccountID, match.Except[:]}
	}
	return write(ctx, s, "end sessions", func(tx *tx) (int, error) { return tx.exec(query, args...) })
}

type sessionAndAccount struct {
	session storage.Session
	account storage.Account
}

func scanSessionAndAccount(row scanner) (r sessionAndAccount, err error) {
	err = row.Scan(append(sessionFields(&r.session), accountFields(&r.account)...)...)
	return r, err
}

func scanSession(row scanner) (s storage.Session, err error) {
	err = row.Scan(append([]any{(*digest)(&s.Digest)}, sessionFields(&s)...)...)
	return s, err
}

// sessionFields is where the sessionColumns go.
func sessionFields(s *storage.Session) []any {
	return []any{
		&s.AccountID, (*instant)(&s.AuthTime), (*list)(&s.AMR), (*factors)(&s.Factors), &s.UserAgent, &s.Address,
		(*instant)(&s.CreatedAt), (*instant)(&s.LastSeenAt), (*instant)(&s.ExpiresAt), (*instant)(&s.IdleUntil),
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
