package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Answer implements storage.Answers.
func (s *Store) Answer(ctx context.Context, client string, key storage.Digest, now time.Time) (storage.Answer, error) {
	return read(ctx, s, "read answer", func(tx *tx) (storage.Answer, error) {
		return one(tx, scanAnswer, `SELECT client, key, body, status, content, expires_at FROM main.answers
			WHERE client = ?1 AND key = ?2 AND expires_at > ?3`, client, key[:], micros(now))
	})
}

func scanAnswer(row scanner) (a storage.Answer, err error) {
	err = row.Scan(&a.Client, (*digest)(&a.Key), (*digest)(&a.Body), &a.Status, &a.Content, (*instant)(&a.ExpiresAt))
	return a, err
}
