package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const credentialColumns = `id, subject, client_id, grant_id, group_name, list, place, status_revision, content, notification,
	issued_at, expires_at, checked_at, accepted_at, ended_at, ended_by`

// SaveCredential implements storage.Credentials. What it rests on is locked, the grant before the status, as
// where a person is deleted: a step that ends one of them waits, or has gone before. One that locks an
// account ends its grants. The grant stays for as long as the credential.
func (s *Store) SaveCredential(ctx context.Context, c storage.Credential) error {
	return s.change(ctx, "save credential", func(tx *tx) error {
		const until = `coalesce(kept_until, expires_at)`
		kept, err := tx.exec(`UPDATE main.grants SET kept_until = CASE WHEN `+until+` > ?4 THEN `+until+` ELSE ?4 END
			WHERE id = ?1 AND subject = ?2 AND client_id = ?3 AND revoked_at IS NULL`, c.GrantID[:], c.Subject, c.ClientID, micros(c.ExpiresAt))
		if err := orEnded(kept, err); err != nil {
			return err
		}
		if c.StatusRevision != 0 {
			err := orEnded(tx.find(`SELECT 1 FROM main.statuses WHERE subject = ?1 AND group_name = ?2 AND revision = ?3
				AND verified = 1 AND (expires_at IS NULL OR expires_at > ?4) `+tx.store.dialect.ForShare,
				c.Subject, c.Group, c.StatusRevision, micros(c.IssuedAt)))
			if err != nil {
				return err
			}
		}
		_, err = tx.exec(`INSERT INTO main.credentials (`+credentialColumns+`)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?11, NULL, NULL, '')`,
			c.ID, c.Subject, c.ClientID, c.GrantID[:], c.Group, c.List, c.Place, c.StatusRevision, c.Content[:], c.Notification[:],
			micros(c.IssuedAt), micros(c.ExpiresAt))
		return err
	})
}

// andCredentials adds the conditions of a filter. Places of nobody match none.
func (w *where) andCredentials(match storage.CredentialFilter) {
	w.conditions = append(w.conditions, `subject <> ''`)
	for _, c := range []struct{ condition, value string }{
		{"id = ?", match.ID}, {"subject = ?", match.Subject}, {"client_id = ?", match.ClientID}, {"id < ?", match.BeforeID},
	} {
		if c.value != "" {
			w.and(c.condition, c.value)
		}
	}
	if !match.Notification.IsZero() {
		w.and("notification = ?", match.Notification[:])
	}
}

// Credentials implements storage.Credentials.
func (s *Store) Credentials(ctx context.Context, match storage.CredentialFilter) ([]storage.Credential, error) {
	if match.ID == "" && match.Subject == "" && match.Notification.IsZero() {
		return nil, errors.New("read credentials: the filter reads the whole table")
	}
	var filter where
	filter.andCredentials(match)
	return s.credentials(ctx, filter, ` ORDER BY id DESC LIMIT `+filter.param(page(match.Limit)))
}

func (s *Store) credentials(ctx context.Context, filter where, order string) ([]storage.Credential, error) {
	return read(ctx, s, "read credentials", func(tx *tx) ([]storage.Credential, error) {
		return all(tx, scanCredential, `SELECT `+credentialColumns+` FROM main.credentials`+filter.String()+order, filter.args...)
	})
}

// AcceptCredential implements storage.Credentials.
func (s *Store) AcceptCredential(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "accept credential", func(tx *tx) error {
		return orNotFound(tx.exec(`UPDATE main.credentials SET accepted_at = coalesce(accepted_at, ?2) WHERE id = ?1 AND ended_at IS NULL`, id, micros(at)))
	})
}

// EndCredentials implements storage.Credentials.
func (s *Store) EndCredentials(ctx context.Context, match storage.CredentialFilter, end storage.CredentialEnd, at time.Time) (int, error) {
	if match.ID == "" && match.Subject == "" {
		return 0, errors.New("end credentials: the filter reads the whole table")
	}
	var filter where
	set := ` SET ended_at = ` + filter.param(micros(at)) + `, ended_by = ` + filter.param(string(end))
	filter.conditions = append(filter.conditions, `ended_at IS NULL AND expires_at > ?1`)
	filter.andCredentials(match)
	return write(ctx, s, "end credentials", func(tx *tx) (int, error) {
		ended, err := all(tx, scanPlaces, `UPDATE main.credentials`+set+filter.String()+` RETURNING list, issued_at, expires_at`, filter.args...)
		if err != nil {
			return 0, err
		}
		return len(ended), takeFree(tx, ended)
	})
}

// disownCredentials ends some credentials of a deleted person, and removes what tells whose they
// were. It reports whether there may be more.
func disownCredentials(tx *tx, subject string) (disowned int, more bool, err error) {
	ended, err := all(tx, scanPlaces, `UPDATE main.credentials SET ended_by = CASE WHEN ended_at IS NULL THEN '`+string(storage.EndedByDeletion)+`' ELSE ended_by END,
		ended_at = coalesce(ended_at, issued_at), subject = '', client_id = '', notification = NULL
		WHERE id IN (SELECT id FROM main.credentials WHERE subject = ?1 LIMIT ?2) RETURNING list, issued_at, expires_at`, subject, sweepChunk)
	if err != nil {
		return 0, false, err
	}
	return len(ended), len(ended) == sweepChunk, takeFree(tx, ended)
}

// LapsedCredentials implements storage.Credentials. Of a million in force nearly none has lapsed: they are
// found from the side that has changed. Who locks an account, or is to remove it, ends its grants.
func (s *Store) LapsedCredentials(ctx context.Context, now, checkedBefore time.Time, after string, limit int) ([]storage.LapsedCredential, string, error) {
	found, err := read(ctx, s, "look for lapsed credentials", func(tx *tx) ([]storage.LapsedCredential, error) {
		return all(tx, func(row scanner) (c storage.LapsedCredential, err error) {
			err = row.Scan(append(credentialFields(&c.Credential), &c.By)...)
			return c, err
		}, `SELECT `+credentialColumns+`, CASE
			WHEN EXISTS (SELECT 1 FROM main.accounts a WHERE a.id = c.subject AND (a.disabled <> 0 OR a.delete_at IS NOT NULL)) THEN '`+string(storage.EndedByAccount)+`'
			WHEN NOT EXISTS (SELECT 1 FROM main.grants g WHERE g.id = c.grant_id AND g.revoked_at IS NULL) THEN '`+string(storage.EndedByGrant)+`'
			ELSE '' END
			FROM main.credentials c WHERE c.id IN (
				SELECT id FROM main.credentials WHERE `+toCheck+` AND checked_at < ?2
				UNION ALL SELECT k.id FROM main.grants g CROSS JOIN main.credentials k
				WHERE g.kept_until IS NOT NULL AND g.revoked_at IS NOT NULL AND k.grant_id = g.id AND k.ended_at IS NULL)
			AND c.id > ?3 AND c.ended_at IS NULL AND c.expires_at > ?1 ORDER BY c.id LIMIT ?4`, micros(now), max(storage.UnixMicro(checkedBefore), 1), after, max(limit, 0))
	})
	if err != nil || len(found) == 0 || len(found) < limit {
		return found, "", err
	}
	return found, found[len(found)-1].ID, nil
}

// toCheck is the condition of credentials that rest on the word of the host, or on something that has
// changed since they were checked: then that was never.
const toCheck = `ended_at IS NULL AND (status_revision = 0 OR checked_at <= 0)`

// haveChecked has the credentials in force be looked at for which a condition on what they rest on holds. It
// comes after the change: one that is saved meanwhile has seen that, or is seen.
func haveChecked(tx *tx, condition string, args ...any) error {
	_, err := tx.exec(`UPDATE main.credentials SET checked_at = 0 WHERE ended_at IS NULL AND checked_at > 0 AND `+condition, args...)
	return err
}

// ofStatus is the condition of credentials that rest on a status.
const ofStatus = `subject = ?1 AND group_name = ?2`

// KeepCredential implements storage.Credentials. The status is locked, before the credential as where it
// changes: one that has changed again is looked at again.
func (s *Store) KeepCredential(ctx context.Context, id string, revision int64, at time.Time) error {
	return s.change(ctx, "keep credential", func(tx *tx) error {
		if revision != 0 {
			same, err := tx.find(`SELECT 1 FROM main.statuses WHERE revision = ?2 AND (subject, group_name) = (
				SELECT subject, group_name FROM main.credentials WHERE id = ?1) `+tx.store.dialect.ForShare, id, revision)
			if err != nil || same == 0 {
				return err
			}
		}
		_, err := tx.exec(`UPDATE main.credentials SET status_revision = ?2, checked_at = ?3 WHERE id = ?1 AND ended_at IS NULL`, id, revision, micros(at))
		return err
	})
}

func credentialFields(c *storage.Credential) []any {
	return []any{
		&c.ID, &c.Subject, &c.ClientID, (*grantID)(&c.GrantID), &c.Group, &c.List, &c.Place, &c.StatusRevision,
		(*digest)(&c.Content), (*optionalDigest)(&c.Notification), (*instant)(&c.IssuedAt), (*instant)(&c.ExpiresAt),
		(*instant)(&c.CheckedAt), (*instant)(&c.AcceptedAt), (*instant)(&c.EndedAt), &c.End,
	}
}

func scanCredential(row scanner) (c storage.Credential, err error) {
	err = row.Scan(credentialFields(&c)...)
	return c, err
}
