package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// HearClock implements storage.Clocks.
func (s *Store) HearClock(ctx context.Context, now time.Time) (storage.Clock, error) {
	return write(ctx, s, "hear clock", func(tx *tx) (storage.Clock, error) {
		if _, err := tx.exec(`INSERT INTO main.clock (singleton) VALUES (1) ON CONFLICT (singleton) DO NOTHING`); err != nil {
			return storage.Clock{}, err
		}
		c, err := one(tx, scanClock, `SELECT agreed_at, claimed_at FROM main.clock WHERE singleton = 1 `+tx.store.dialect.ForUpdate)
		if err != nil {
			return storage.Clock{}, err
		}
		c = c.Heard(now)
		_, err = tx.exec(`UPDATE main.clock SET agreed_at = ?1, claimed_at = ?2 WHERE singleton = 1`, micros(c.Agreed), micros(c.Claimed))
		return c, err
	})
}

func scanClock(row scanner) (c storage.Clock, err error) {
	err = row.Scan((*instant)(&c.Agreed), (*instant)(&c.Claimed))
	return c, err
}
