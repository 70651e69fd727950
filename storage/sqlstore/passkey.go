package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

const passkeyColumns = `p.id, p.rp_id, p.sealed_name, p.sealed_key, p.flags, p.sign_count, p.aaguid, p.transports, p.discoverable,
	p.created_at, p.last_used_at`

// Passkey implements storage.Authenticators.
func (s *Store) Passkey(ctx context.Context, id []byte) (storage.Passkey, storage.Account, error) {
	found, err := read(ctx, s, "read passkey", func(tx *tx) (passkeyAndAccount, error) {
		return one(tx, scanPasskeyAndAccount, `SELECT `+passkeyColumns+`, `+accountColumns+`
			FROM main.passkeys p JOIN main.accounts a ON a.id = p.account_id WHERE p.id = ?1`, nonNil(id))
	})
	return found.passkey, found.account, err
}

type passkeyAndAccount struct {
	passkey storage.Passkey
	account storage.Account
}

func scanPasskeyAndAccount(row scanner) (r passkeyAndAccount, err error) {
	p, aaguid := &r.passkey, []byte(nil)
	err = row.Scan(append([]any{
		&p.ID, &p.RPID, &p.Name, &p.PublicKey, &p.Flags, &p.SignCount, &aaguid, (*list)(&p.Transports), &p.Discoverable,
		(*instant)(&p.CreatedAt), (*instant)(&p.LastUsedAt),
	}, accountFields(&r.account)...)...)
	if err != nil {
		return passkeyAndAccount{}, err
	}
	p.AccountID, p.UserHandle = r.account.ID, r.account.UserHandle
	return r, scanBytes(p.AAGUID[:], aaguid)
}

// AddPasskey implements storage.Authenticators.
func (s *Store) AddPasskey(ctx context.Context, p storage.Passkey, limit int, on storage.Proof) error {
	return s.changeFactors(ctx, "add passkey", p.AccountID, on, func(tx *tx) error {
		has, err := countSecondFactors(tx, p.AccountID)
		if err != nil {
			return err
		}
		if has.passkeys >= limit {
			return storage.ErrLimit
		}
		handle, err := one(tx, scanBlob, `SELECT user_handle FROM main.accounts WHERE id = ?1`, p.AccountID)
		switch {
		case err != nil:
			return err
		case handle == nil:
			if _, err := tx.exec(`UPDATE main.accounts SET user_handle = ?2 WHERE id = ?1`, p.AccountID, bytesOrNull(p.UserHandle)); err != nil {
				return err
			}
		case !bytes.Equal(handle, p.UserHandle):
			return storage.ErrConflict
		}
		return insertPasskey(tx, p)
	})
}

func insertPasskey(tx *tx, p storage.Passkey) error {
	if len(p.UserHandle) == 0 {
		return errors.New("a passkey without a user handle names no account")
	}
	_, err := tx.exec(`INSERT INTO main.passkeys (id, account_id, rp_id, sealed_name, sealed_key, flags, sign_count, aaguid, transports,
			discoverable, created_at, last_used_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
		nonNil(p.ID), p.AccountID, p.RPID, p.Name, nonNil(p.PublicKey), int64(p.Flags), int64(p.SignCount), p.AAGUID[:], listText(p.Transports),
		flag(p.Discoverable), micros(p.CreatedAt), micros(p.LastUsedAt))
	return err
}

// RenamePasskey implements storage.Authenticators.
func (s *Store) RenamePasskey(ctx context.Context, accountID string, id []byte, name string) error {
	return s.change(ctx, "rename passkey", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.passkeys SET sealed_name = ?3 WHERE id = ?2 AND account_id = ?1`, accountID, nonNil(id), name)
		return orNotFound(changed, err)
	})
}

// RemovePasskey implements storage.Authenticators.
func (s *Store) RemovePasskey(ctx context.Context, accountID string, id []byte, on storage.Proof) error {
	return s.changeFactors(ctx, "remove passkey", accountID, on, func(tx *tx) error {
		removed, err := tx.exec(`DELETE FROM main.passkeys WHERE id = ?2 AND account_id = ?1`, accountID, nonNil(id))
		if err := orNotFound(removed, err); err != nil {
			return err
		}
		if err := requireWayIn(tx, accountID); err != nil {
			return err
		}
		return endSessionsWith(tx, accountID, on.Session, func(of []storage.Factor) bool {
			return slices.ContainsFunc(of, func(f storage.Factor) bool { return bytes.Equal(f.Credential, id) })
		})
	})
}

// requireWayIn returns storage.ErrLast if an account has no password, no passkey and no link.
func requireWayIn(tx *tx, accountID string) error {
	_, err := one(tx, scanInt, `SELECT 1 FROM main.accounts WHERE id = ?1
		AND (password_hash <> '' OR EXISTS (SELECT 1 FROM main.passkeys WHERE account_id = ?1)
			OR EXISTS (SELECT 1 FROM main.links WHERE account_id = ?1))`, accountID)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrLast
	}
	return err
}

// endSessionsBy ends the sessions of an account in which a method is a factor, all but one.
func endSessionsBy(tx *tx, accountID string, except storage.Digest, method storage.Method) error {
	return endSessionsWith(tx, accountID, except, func(of []storage.Factor) bool {
		return slices.ContainsFunc(of, func(f storage.Factor) bool { return f.Method == method })
	})
}

// endSessionsWith ends the sessions of an account that rest on such factors, all but one.
func endSessionsWith(tx *tx, accountID string, except storage.Digest, match func([]storage.Factor) bool) error {
	sessions, err := all(tx, scanSession, `SELECT s.digest, `+sessionColumns+` FROM main.sessions s
		WHERE s.account_id = ?1 ORDER BY s.digest `+tx.store.dialect.ForUpdate, accountID)
	if err != nil {
		return err
	}
	for _, n := range sessions {
		if n.Digest == except || !match(n.Factors) {
			continue
		}
		if _, err := tx.exec(`DELETE FROM main.sessions WHERE digest = ?1`, n.Digest[:]); err != nil {
			return err
		}
	}
	return nil
}
