package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const recipientColumns = `client_id, client_name, redirect_hosts, attributes, group_names, since, until`

// FormerRecipients implements storage.Consents.
func (s *Store) FormerRecipients(ctx context.Context, subject string) ([]storage.FormerRecipient, error) {
	return read(ctx, s, "list former recipients", func(tx *tx) ([]storage.FormerRecipient, error) {
		return all(tx, scanRecipient, `SELECT `+recipientColumns+` FROM main.former_recipients
			WHERE subject = ?1 ORDER BY until DESC, client_id`, subject)
	})
}

// endConsent removes a decision.
func endConsent(tx *tx, id storage.ConsentID, at time.Time) error {
	if err := keepEnded(tx, id, storage.Consent{}, at); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM main.consents WHERE subject = ?1 AND client_id = ?2`, id.Subject, id.ClientID)
	return err
}

// keepEnded records what a decision allows and the next one does not, in the step that replaces
// or removes it. A use of which nobody was asked takes nothing away: its time is zero.
func keepEnded(tx *tx, id storage.ConsentID, next storage.Consent, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	c, err := one(tx, scanConsentTerms, `SELECT `+consentTerms+` FROM main.consents
		WHERE subject = ?1 AND client_id = ?2 `+tx.store.dialect.ForUpdate, id.Subject, id.ClientID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	attributes, groups := join(nil, c.Attributes, next.Attributes), join(nil, c.Groups, next.Groups)
	if len(attributes)+len(groups) == 0 {
		return nil
	}
	before, err := one(tx, scanRecipient, `SELECT `+recipientColumns+` FROM main.former_recipients
		WHERE subject = ?1 AND client_id = ?2`, id.Subject, id.ClientID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if err != nil {
		if err := dropOldest(tx, id.Subject); err != nil {
			return err
		}
	}
	hosts := join(c.RedirectHosts, before.RedirectHosts, nil)
	_, err = tx.exec(`INSERT INTO main.former_recipients (subject, `+recipientColumns+`) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
		ON CONFLICT (subject, client_id) DO UPDATE SET client_name = ?3, redirect_hosts = ?4, attributes = ?5, group_names = ?6, until = ?8`,
		id.Subject, id.ClientID, c.ClientName, listText(hosts[:min(len(hosts), storage.MaxRecipientHosts)]),
		listText(join(before.Attributes, attributes, nil)), listText(join(before.Groups, groups, nil)), micros(c.CreatedAt), micros(at))
	return err
}

// dropOldest makes room for one more former recipient of a user. There may be more than one too many:
// two steps at once make the same room.
func dropOldest(tx *tx, subject string) error {
	_, err := tx.exec(`DELETE FROM main.former_recipients WHERE subject = ?1 AND client_id IN (SELECT f.client_id FROM main.former_recipients f
		WHERE f.subject = ?1 ORDER BY f.until DESC, f.client_id LIMIT ?2 OFFSET ?2 - 1)`, subject, storage.MaxFormerRecipients)
	return err
}

// join returns a list with those others that it lacks, but for some.
func join(list, others, but []string) []string {
	for _, s := range others {
		if !slices.Contains(list, s) && !slices.Contains(but, s) {
			list = append(list, s)
		}
	}
	return list
}

func scanRecipient(row scanner) (r storage.FormerRecipient, err error) {
	err = row.Scan(&r.ClientID, &r.ClientName, (*list)(&r.RedirectHosts), (*list)(&r.Attributes), (*list)(&r.Groups),
		(*instant)(&r.Since), (*instant)(&r.Until))
	return r, err
}
