package sqlstore

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// clockRow reads the clock.
const clockRow = `SELECT earliest_at, agreed_at, claimed_at, last_at, beyond FROM main.clock WHERE singleton = 1 `

// Clock implements storage.Clocks.
func (s *Store) Clock(ctx context.Context) (storage.Clock, error) {
	return read(ctx, s, "read clock", clockOf)
}

// clockOf returns the clock as a step sees it.
func clockOf(tx *tx) (storage.Clock, error) {
	c, err := one(tx, scanClock, clockRow)
	return c, absent(err)
}

// HearClock implements storage.Clocks.
func (s *Store) HearClock(ctx context.Context, now time.Time) (storage.Clock, error) {
	return write(ctx, s, "hear clock", func(tx *tx) (storage.Clock, error) {
		if _, err := tx.exec(`INSERT INTO main.clock (singleton, beyond) VALUES (1, 0) ON CONFLICT (singleton) DO NOTHING`); err != nil {
			return storage.Clock{}, err
		}
		c, err := one(tx, scanClock, clockRow+tx.store.dialect.ForUpdate)
		if err != nil {
			return storage.Clock{}, err
		}
		c = c.Heard(now)
		_, err = tx.exec(`UPDATE main.clock SET earliest_at = ?1, agreed_at = ?2, claimed_at = ?3, last_at = ?4, beyond = ?5 WHERE singleton = 1`,
			micros(c.Earliest), micros(c.Agreed), micros(c.Claimed), micros(c.Last), c.Beyond)
		return c, err
	})
}

func scanClock(row scanner) (c storage.Clock, err error) {
	err = row.Scan((*instant)(&c.Earliest), (*instant)(&c.Agreed), (*instant)(&c.Claimed), (*instant)(&c.Last), &c.Beyond)
	return c, err
}
