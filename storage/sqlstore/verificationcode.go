package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const codeColumns = `digest, batch, group_name, subgroups, email, uses, used, issued_by, issued_at, expires_at, holds_until, made_by`

// IssueCodes implements storage.VerificationCodes.
func (s *Store) IssueCodes(ctx context.Context, codes []storage.VerificationCode) error {
	return s.change(ctx, "issue codes", func(tx *tx) error {
		batch := ""
		for _, c := range codes {
			if c.Batch != batch {
				batch = c.Batch
				if _, err := tx.exec(`INSERT INTO main.code_batches (batch, group_name, issued_by, issued_at) VALUES (?1, ?2, ?3, ?4)
					ON CONFLICT (batch) DO NOTHING`, c.Batch, c.Group, c.IssuedBy, micros(c.IssuedAt)); err != nil {
					return err
				}
			}
			if _, err := tx.exec(`INSERT INTO main.verification_codes (`+codeColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11)`,
				c.Digest[:], c.Batch, c.Group, listText(c.Subgroups), digestOrNull(c.Email), c.Uses, c.IssuedBy,
				micros(c.IssuedAt), micros(c.ExpiresAt), micros(c.HoldsUntil), digestOrNull(c.MadeBy)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RedeemCode implements storage.VerificationCodes. The row of the code is locked, so that
// one step at a time counts. One that waits for its release is refused by a clock that is behind, too.
func (s *Store) RedeemCode(ctx context.Context, digest storage.Digest, group, subject string, email storage.Digest, now time.Time) (storage.VerificationCode, error) {
	return write(ctx, s, "redeem code", func(tx *tx) (storage.VerificationCode, error) {
		code, err := one(tx, scanCode, `SELECT `+codeColumns+` FROM main.verification_codes
			WHERE digest = ?1 AND group_name = ?2 AND expires_at > ?3 AND expires_at > issued_at AND (email IS NULL OR email = ?4) `+tx.store.dialect.ForUpdate,
			digest[:], group, micros(now), digestOrNull(email))
		if err != nil {
			return code, err
		}
		added, err := tx.exec(`INSERT INTO main.code_uses (digest, subject) VALUES (?1, ?2) ON CONFLICT (digest, subject) DO NOTHING`, digest[:], subject)
		if err != nil || added == 0 {
			return code, err
		}
		counted, err := tx.exec(`UPDATE main.verification_codes SET used = used + 1 WHERE digest = ?1 AND used < uses`, digest[:])
		if err == nil && counted == 0 {
			err = storage.ErrSpent
		}
		code.Used++
		return code, err
	})
}

// CodeBatches implements storage.VerificationCodes.
func (s *Store) CodeBatches(ctx context.Context, before time.Time, limit int) ([]storage.CodeBatch, error) {
	var filter where
	if !before.IsZero() {
		filter.and("issued_at < ?", micros(before))
	}
	query := `SELECT b.batch, b.group_name, count(c.batch), CAST(coalesce(sum(c.uses), 0) AS BIGINT), CAST(coalesce(sum(c.used), 0) AS BIGINT), b.issued_by, b.issued_at, max(c.expires_at)
		FROM (SELECT batch, group_name, issued_by, issued_at FROM main.code_batches` + filter.String() +
		` ORDER BY issued_at DESC, batch DESC LIMIT ` + filter.param(max(limit, 0)) + `) AS b
		LEFT JOIN main.verification_codes c ON c.batch = b.batch
		GROUP BY b.batch, b.group_name, b.issued_by, b.issued_at ORDER BY b.issued_at DESC, b.batch DESC`
	return read(ctx, s, "list batches of codes", func(tx *tx) ([]storage.CodeBatch, error) {
		return all(tx, scanCodeBatch, query, filter.args...)
	})
}

// ReleaseCodes implements storage.VerificationCodes.
func (s *Store) ReleaseCodes(ctx context.Context, batch string, expiresAt time.Time) error {
	return s.change(ctx, "release codes", func(tx *tx) error {
		return orSpent(tx.exec(`UPDATE main.verification_codes SET expires_at = ?2 WHERE batch = ?1 AND expires_at = issued_at`, batch, micros(expiresAt)))
	})
}

// EndCodes implements storage.VerificationCodes. What would end as it was issued would look as if it
// waited for its release: it ends before that.
func (s *Store) EndCodes(ctx context.Context, batch string, at time.Time) (int, error) {
	return write(ctx, s, "end codes", func(tx *tx) (int, error) {
		ended, err := tx.exec(`UPDATE main.verification_codes SET expires_at = CASE WHEN issued_at IN (expires_at, ?2) THEN issued_at - 1 ELSE ?2 END
			WHERE batch = ?1 AND (expires_at > ?2 OR expires_at = issued_at)`, batch, micros(at))
		return ended, orSpent(ended, err)
	})
}

// trimVerificationCodes removes them. A code takes its uses with
// it, and the last one its batch.
func (s *Store) trimVerificationCodes(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return write(ctx, s, "remove codes", func(tx *tx) (int, error) {
		batches, err := all(tx, scanString, `DELETE FROM main.verification_codes WHERE expires_at < ?1 AND digest IN (
			SELECT digest FROM main.verification_codes WHERE expires_at < ?1 ORDER BY expires_at, digest LIMIT ?2) RETURNING batch`,
			micros(t.Before), max(limit, 0))
		if err != nil {
			return 0, err
		}
		for _, batch := range batches {
			if _, err := tx.exec(`DELETE FROM main.code_batches WHERE batch = ?1
				AND NOT EXISTS (SELECT 1 FROM main.verification_codes c WHERE c.batch = ?1)`, batch); err != nil {
				return 0, err
			}
		}
		return len(batches), nil
	})
}

func scanCode(row scanner) (c storage.VerificationCode, err error) {
	err = row.Scan((*digest)(&c.Digest), &c.Batch, &c.Group, (*list)(&c.Subgroups), (*optionalDigest)(&c.Email), &c.Uses, &c.Used,
		&c.IssuedBy, (*instant)(&c.IssuedAt), (*instant)(&c.ExpiresAt), (*instant)(&c.HoldsUntil), (*optionalDigest)(&c.MadeBy))
	return c, err
}

func scanCodeBatch(row scanner) (b storage.CodeBatch, err error) {
	err = row.Scan(&b.Batch, &b.Group, &b.Codes, &b.Uses, &b.Used, &b.IssuedBy, (*instant)(&b.IssuedAt), (*instant)(&b.EndsAt))
	return b, err
}
