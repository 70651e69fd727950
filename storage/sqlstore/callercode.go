package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SaveCallerCode implements storage.Matters.
func (s *Store) SaveCallerCode(ctx context.Context, c storage.CallerCode) error {
	return s.change(ctx, "save caller code", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.caller_codes (account_id, proof, digest, expires_at, tries) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (account_id, proof) DO UPDATE SET
				digest = excluded.digest, expires_at = excluded.expires_at, tries = excluded.tries`,
			c.AccountID, int64(c.Proof), c.Digest[:], micros(c.ExpiresAt), c.Tries)
		return err
	})
}

// ProveCaller implements storage.Matters. A wrong code is counted by a step of its own, which
// lasts though the call fails: it comes first and locks the account, so that no number of
// guesses at once has more tries. A deed is for the step that records the proof.
func (s *Store) ProveCaller(ctx context.Context, matter, staff string, code storage.Digest, at, until time.Time) (storage.CallerProof, error) {
	right, err := write(storage.WithDeed(ctx, nil), s, "try caller code", func(tx *tx) (bool, error) {
		subject, err := lockCaller(tx, matter, staff, at)
		if err != nil {
			return false, err
		}
		return tryCallerCode(tx, subject, code, at)
	})
	if err == nil && !right {
		err = storage.ErrProof
	}
	if err != nil {
		return storage.NoProof, err
	}
	return write(ctx, s, "prove caller", func(tx *tx) (storage.CallerProof, error) {
		subject, err := lockCaller(tx, matter, staff, at)
		if err != nil {
			return storage.NoProof, err
		}
		proof, err := one(tx, scanInt, `DELETE FROM main.caller_codes
			WHERE account_id = ?1 AND digest = ?2 AND expires_at > ?3 AND tries > 0 RETURNING proof`, subject, code[:], micros(at))
		if errors.Is(err, storage.ErrNotFound) {
			err = storage.ErrProof
		}
		if err != nil {
			return storage.NoProof, err
		}
		return storage.CallerProof(proof), orEnded(tx.exec(`UPDATE main.matters SET proof = ?4, proved_until = ?5`+openMatter,
			matter, staff, micros(at), proof, micros(until)))
	})
}

// lockCaller returns the person of an open matter, whose account it locks: it goes before the
// matter, as where the account is deleted.
func lockCaller(tx *tx, matter, staff string, at time.Time) (string, error) {
	subject, err := one(tx, scanString, `SELECT subject FROM main.matters`+openMatter, matter, staff, micros(at))
	if errors.Is(err, storage.ErrNotFound) {
		return "", storage.ErrEnded
	}
	if err != nil {
		return "", err
	}
	err = lockAccount(tx, subject)
	if errors.Is(err, storage.ErrNotFound) {
		return "", storage.ErrProof // who has no account has no code
	}
	return subject, err
}

// tryCallerCode reports whether a code is one of an account, and counts one that is not.
func tryCallerCode(tx *tx, accountID string, code storage.Digest, at time.Time) (bool, error) {
	right, err := one(tx, scanInt, `SELECT count(*) FROM main.caller_codes
		WHERE account_id = ?1 AND digest = ?2 AND expires_at > ?3 AND tries > 0`, accountID, code[:], micros(at))
	if err != nil || right > 0 {
		return right > 0, err
	}
	_, err = tx.exec(`UPDATE main.caller_codes SET tries = tries - 1 WHERE account_id = ?1 AND expires_at > ?2 AND tries > 0`,
		accountID, micros(at))
	return false, err
}
