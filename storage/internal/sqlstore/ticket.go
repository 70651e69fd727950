package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SaveTicket implements storage.Tickets.
func (s *Store) SaveTicket(ctx context.Context, t storage.Ticket) error {
	return s.change(ctx, "save ticket", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO tickets (digest, purpose, subject, payload, expires_at)
			VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (purpose, subject) DO UPDATE SET
				digest = excluded.digest, payload = excluded.payload, expires_at = excluded.expires_at`,
			t.Digest[:], t.Purpose, t.Subject, t.Payload, micros(t.ExpiresAt))
		return err
	})
}

// RedeemTicket implements storage.Tickets.
func (s *Store) RedeemTicket(ctx context.Context, purpose string, digest storage.Digest, now time.Time) (storage.Ticket, error) {
	return write(ctx, s, "redeem ticket", func(tx *tx) (storage.Ticket, error) {
		return one(tx, scanTicket, `DELETE FROM tickets
			WHERE digest = ?1 AND purpose = ?2 AND expires_at > ?3
			RETURNING digest, purpose, subject, payload, expires_at`, digest[:], purpose, micros(now))
	})
}

func scanTicket(row scanner) (t storage.Ticket, err error) {
	err = row.Scan((*digest)(&t.Digest), &t.Purpose, &t.Subject, &t.Payload, (*instant)(&t.ExpiresAt))
	return t, err
}
