package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const consentColumns = `subject, client_id, ` + consentTerms

const consentTerms = `scopes, attributes, group_names, resources, left_out, client_name, redirect_hosts,
	decision, created_at, decided_at, last_used_at`

// Consent implements storage.Consents.
func (s *Store) Consent(ctx context.Context, subject, clientID string) (storage.Consent, error) {
	return read(ctx, s, "read consent", func(tx *tx) (storage.Consent, error) {
		c, err := one(tx, scanConsentTerms, `SELECT `+consentTerms+` FROM main.consents
			WHERE subject = ?1 AND client_id = ?2`, subject, clientID)
		if err == nil {
			c.Subject, c.ClientID = subject, clientID
		}
		return c, err
	})
}

// SaveConsent implements storage.Consents.
func (s *Store) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	return s.change(ctx, "save consent", func(tx *tx) error {
		if err := requireSession(tx, c.Subject, on.Session); err != nil {
			return err
		}
		if err := refuseAnswered(tx, on.Flow); err != nil {
			return err
		}
		const assign = `scopes = ?3, attributes = ?4, group_names = ?5, resources = ?6, left_out = ?7, client_name = ?8, redirect_hosts = ?9,
			decision = ?10, decided_at = ?11, last_used_at = ?12`
		args := []any{
			c.Subject, c.ClientID, listText(c.Scopes), listText(c.Attributes), listText(c.Groups), listText(c.Resources),
			listText(c.LeftOut), c.ClientName, listText(c.RedirectHosts), digestOrNull(c.Decision),
			micros(c.DecidedAt), micros(c.LastUsedAt),
		}
		var saved int
		var err error
		if on.Replaced.IsZero() {
			saved, err = tx.exec(`INSERT INTO main.consents (`+consentColumns+`)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?13, ?11, ?12)
				ON CONFLICT (subject, client_id) DO UPDATE SET `+assign+` WHERE consents.decision IS NULL`,
				append(args, micros(c.CreatedAt))...)
		} else {
			if err := keepEnded(tx, storage.ConsentID{Subject: c.Subject, ClientID: c.ClientID}, c, c.DecidedAt); err != nil {
				return err
			}
			saved, err = tx.exec(`UPDATE main.consents SET `+assign+`
				WHERE subject = ?1 AND client_id = ?2 AND decision = ?13`, append(args, on.Replaced[:])...)
		}
		if err == nil && saved == 0 {
			return storage.ErrChanged
		}
		if err != nil || c.DecidedAt.IsZero() {
			return err
		}
		return endBeyond(tx, c)
	})
}

// endBeyond ends the grants that hold more than a decision allows. Concurrent grants have
// locked the decision and are seen, or wait for the lock and find that it has changed.
func endBeyond(tx *tx, c storage.Consent) error {
	held, err := all(tx, scanHeld, `SELECT DISTINCT scopes, attributes, group_names, resources FROM main.grants
		WHERE subject = ?1 AND client_id = ?2 AND revoked_at IS NULL`, c.Subject, c.ClientID)
	if err != nil {
		return err
	}
	for _, h := range held {
		if h.isWithin(c) {
			continue
		}
		if _, err := tx.exec(`UPDATE main.grants SET revoked_at = ?3
			WHERE subject = ?1 AND client_id = ?2 AND revoked_at IS NULL
				AND coalesce(scopes, '') = ?4 AND coalesce(attributes, '') = ?5 AND coalesce(group_names, '') = ?6 AND coalesce(resources, '') = ?7`,
			c.Subject, c.ClientID, micros(c.DecidedAt), string(h.scopes), string(h.attributes), string(h.groups), string(h.resources)); err != nil {
			return err
		}
	}
	return nil
}

// held is what one or several grants hold, as recorded; empty for a NULL.
type held struct{ scopes, attributes, groups, resources text }

func scanHeld(row scanner) (h held, err error) {
	err = row.Scan(&h.scopes, &h.attributes, &h.groups, &h.resources)
	return h, err
}

// isWithin reports whether a decision allows all of it. Unreadable values are not allowed.
func (h held) isWithin(c storage.Consent) bool {
	for _, part := range []struct {
		held    text
		allowed []string
	}{{h.scopes, c.Scopes}, {h.attributes, c.Attributes}, {h.groups, c.Groups}, {h.resources, c.Resources}} {
		var values list
		if part.held != "" && values.Scan(string(part.held)) != nil {
			return false
		}
		if slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(part.allowed, v) }) {
			return false
		}
	}
	return true
}

// refuseAnswered returns storage.ErrConflict if a flow has been answered.
func refuseAnswered(tx *tx, flow storage.Digest) error {
	if flow.IsZero() {
		return nil
	}
	_, err := one(tx, scanInt, `SELECT 1 FROM main.grants WHERE flow = ?1`, flow[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		return storage.ErrConflict
	}
	return err
}

// requireSession returns storage.ErrEnded unless the session is one of the subject,
// or zero. The lock on the account is taken before the session is looked for: what
// ends sessions changes the account first.
func requireSession(tx *tx, subject string, session storage.Digest) error {
	if err := refuseDisabled(tx, subject); err != nil || session.IsZero() {
		return err
	}
	return orEnded(tx.find(`SELECT 1 FROM main.sessions WHERE digest = ?1 AND account_id = ?2`, session[:], subject))
}

// Consents implements storage.Consents.
func (s *Store) Consents(ctx context.Context, match storage.ConsentFilter) ([]storage.Consent, error) {
	query, args := `SELECT `+consentColumns+` FROM main.consents WHERE subject = ?1`, []any{match.Subject}
	if match.Limit == 0 {
		query += ` ORDER BY coalesce(last_used_at, decided_at) DESC, client_id`
	} else {
		query += ` AND client_id > ?2 ORDER BY client_id LIMIT ?3`
		args = append(args, match.AfterClient, max(match.Limit, 0))
	}
	return read(ctx, s, "list consents", func(tx *tx) ([]storage.Consent, error) {
		return all(tx, scanConsent, query, args...)
	})
}

// RevokeConsent implements storage.Consents.
func (s *Store) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	return s.change(ctx, "revoke consent", func(tx *tx) error {
		if err := endConsent(tx, storage.ConsentID{Subject: subject, ClientID: clientID}, at); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE main.grants SET revoked_at = ?3
			WHERE subject = ?1 AND client_id = ?2 AND revoked_at IS NULL`, subject, clientID, micros(at))
		return err
	})
}

func scanConsent(row scanner) (c storage.Consent, err error) {
	err = row.Scan(append([]any{&c.Subject, &c.ClientID}, consentFields(&c)...)...)
	return c, err
}

func scanConsentTerms(row scanner) (c storage.Consent, err error) {
	err = row.Scan(consentFields(&c)...)
	return c, err
}

// consentFields is where the consentTerms go.
func consentFields(c *storage.Consent) []any {
	return []any{
		(*list)(&c.Scopes), (*list)(&c.Attributes), (*list)(&c.Groups), (*list)(&c.Resources), (*list)(&c.LeftOut),
		&c.ClientName, (*list)(&c.RedirectHosts), (*optionalDigest)(&c.Decision),
		(*instant)(&c.CreatedAt), (*instant)(&c.DecidedAt), (*instant)(&c.LastUsedAt),
	}
}
