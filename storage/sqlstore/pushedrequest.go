package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SavePushedRequest implements storage.PushedRequests.
func (s *Store) SavePushedRequest(ctx context.Context, r storage.PushedRequest) error {
	return s.change(ctx, "save pushed request", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.pushed_requests (digest, client_id, payload, expires_at)
			VALUES (?1, ?2, ?3, ?4)`, r.Digest[:], optional(r.ClientID), r.Payload, micros(r.ExpiresAt))
		return err
	})
}

// PushedRequest implements storage.PushedRequests.
func (s *Store) PushedRequest(ctx context.Context, clientID string, digest storage.Digest, now time.Time) (storage.PushedRequest, error) {
	return read(ctx, s, "read pushed request", func(tx *tx) (storage.PushedRequest, error) {
		return one(tx, scanPushedRequest, `SELECT digest, coalesce(client_id, ''), payload, expires_at FROM main.pushed_requests
			WHERE digest = ?1 AND coalesce(client_id, '') = ?2 AND expires_at > ?3`, digest[:], clientID, micros(now))
	})
}

func scanPushedRequest(row scanner) (r storage.PushedRequest, err error) {
	err = row.Scan((*digest)(&r.Digest), &r.ClientID, &r.Payload, (*instant)(&r.ExpiresAt))
	return r, err
}

// trimPushedRequests removes them.
func (s *Store) trimPushedRequests(ctx context.Context, _ storage.Trim, limit int) (int, error) {
	return write(ctx, s, "remove pushed requests", func(tx *tx) (int, error) {
		return tx.exec(`DELETE FROM main.pushed_requests WHERE digest IN (
			SELECT digest FROM main.pushed_requests ORDER BY expires_at, digest LIMIT ?1)`, max(limit, 0))
	})
}
