package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// LinkedAccount implements storage.Links.
func (s *Store) LinkedAccount(ctx context.Context, digest storage.Digest) (storage.Link, storage.Account, error) {
	found, err := read(ctx, s, "read link", func(tx *tx) (linkAndAccount, error) {
		return one(tx, scanLinkAndAccount, `SELECT l.upstream, l.issuer, l.sealed_subject, l.sealed_name, l.created_at, l.last_used_at, `+accountColumns+`
			FROM main.links l JOIN main.accounts a ON a.id = l.account_id WHERE l.digest = ?1`, digest[:])
	})
	if err == nil {
		found.link.Digest = digest
	}
	return found.link, found.account, err
}

type linkAndAccount struct {
	link    storage.Link
	account storage.Account
}

func scanLinkAndAccount(row scanner) (r linkAndAccount, err error) {
	l := &r.link
	err = row.Scan(append([]any{
		&l.Upstream, &l.Issuer, &l.Subject, &l.Name, (*instant)(&l.CreatedAt), (*instant)(&l.LastUsedAt),
	}, accountFields(&r.account)...)...)
	l.AccountID = r.account.ID
	return r, err
}

// AddLink implements storage.Links.
func (s *Store) AddLink(ctx context.Context, l storage.Link, limit int, on storage.Proof) error {
	return s.changeFactors(ctx, "add link", l.AccountID, on, func(tx *tx) error {
		has, err := one(tx, scanInt, `SELECT count(*) FROM main.links WHERE account_id = ?1`, l.AccountID)
		if err == nil && has >= limit {
			err = storage.ErrLimit
		}
		if err != nil {
			return err
		}
		return insertLink(tx, l)
	})
}

func insertLink(tx *tx, l storage.Link) error {
	if l.Digest.IsZero() {
		return errors.New("a link without a digest names nobody")
	}
	_, err := tx.exec(`INSERT INTO main.links (digest, account_id, upstream, issuer, sealed_subject, sealed_name, created_at, last_used_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
		l.Digest[:], l.AccountID, l.Upstream, l.Issuer, l.Subject, l.Name, micros(l.CreatedAt), micros(l.LastUsedAt))
	return err
}

// RemoveLink implements storage.Links.
func (s *Store) RemoveLink(ctx context.Context, accountID string, digest storage.Digest, on storage.Proof) error {
	return s.changeFactors(ctx, "remove link", accountID, on, func(tx *tx) error {
		removed, err := tx.exec(`DELETE FROM main.links WHERE digest = ?2 AND account_id = ?1`, accountID, digest[:])
		if err := orNotFound(removed, err); err != nil {
			return err
		}
		if err := requireWayIn(tx, accountID); err != nil {
			return err
		}
		return endSessionsWith(tx, accountID, on.Session, func(of []storage.Factor) bool {
			return slices.ContainsFunc(of, func(f storage.Factor) bool { return bytes.Equal(f.Credential, digest[:]) })
		})
	})
}

// removeLinks removes the links of an account whose password somebody has set without a
// session of it, in a step that has locked it: one who had got in may have made them.
func removeLinks(tx *tx, accountID string) error {
	removed, err := tx.exec(`DELETE FROM main.links WHERE account_id = ?1`, accountID)
	if err != nil || removed == 0 {
		return err
	}
	_, err = tx.exec(`UPDATE main.accounts SET factors_version = factors_version + 1 WHERE id = ?1`, accountID)
	return err
}
