package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

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
		has, err := one(tx, scanInt, `SELECT count(l.digest) FROM main.accounts a LEFT JOIN main.links l ON l.account_id = a.id
			WHERE a.id = ?1 AND a.disabled = 0 GROUP BY a.id`, l.AccountID)
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
func (s *Store) RemoveLink(ctx context.Context, accountID string, digest storage.Digest, on storage.Proof, at time.Time) error {
	return s.changeFactors(ctx, "remove link", accountID, on, func(tx *tx) error {
		removed, err := removeLinks(tx, accountID, at, `digest = ?2`, digest[:])
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

// removeLinks removes the links of an account of which a condition on ?2 holds, in a step that
// has locked it, and ends what their issuers vouch for.
func removeLinks(tx *tx, accountID string, at time.Time, condition string, of any) (removed int, err error) {
	ended, err := tx.exec(`UPDATE main.statuses SET expires_at = ?3, revision = ?4
		WHERE subject = ?1 AND verified = 1 AND (expires_at IS NULL OR expires_at > ?3) AND origin = '' AND method = '`+storage.MethodVouched+`'
			AND verified_by IN (SELECT issuer FROM main.links WHERE account_id = ?1 AND `+condition+`)`,
		accountID, of, micros(at), newVersion())
	if err == nil && ended > 0 {
		err = haveChecked(tx, `subject = ?1`, accountID)
	}
	if err != nil {
		return 0, err
	}
	return tx.exec(`DELETE FROM main.links WHERE account_id = ?1 AND `+condition, accountID, of)
}

// endLinks removes the links of an account whose password somebody has set without a session of
// it, in a step that has locked it.
func endLinks(tx *tx, accountID string, at time.Time) error {
	removed, err := removeLinksSince(tx, accountID, time.Time{}, at)
	if err != nil || removed == 0 {
		return err
	}
	_, err = tx.exec(`UPDATE main.accounts SET factors_version = factors_version + 1 WHERE id = ?1`, accountID)
	return err
}

// removeLinksSince removes the links that an account has got since a time, or all of them if
// the time is zero: one who had got in may have made them.
func removeLinksSince(tx *tx, accountID string, since, at time.Time) (removed int, err error) {
	return removeLinks(tx, accountID, at, `created_at >= ?2`, storage.UnixMicro(since))
}
