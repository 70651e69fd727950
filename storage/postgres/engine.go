package postgres

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

// patience is how long a transaction is tried again that loses against others.
const patience = 5 * time.Second

// engine is a pool of connections.
type engine struct {
	db *sql.DB

	// inUse is held for reading by every step, so that Close can wait for them.
	inUse  sync.RWMutex
	closed bool
}

var _ sqlstore.Engine = (*engine)(nil)

// Read runs a step of one query, which is a transaction by itself.
func (e *engine) Read(ctx context.Context, step sqlstore.Step) error {
	return e.retry(ctx, func() error { return step(ctx, e.db) })
}

// Write runs a step as a transaction.
func (e *engine) Write(ctx context.Context, step sqlstore.Step) error {
	return e.retry(ctx, func() error {
		tx, err := e.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // does nothing after the commit
		if err := step(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// Ping asks the server for an answer.
func (e *engine) Ping(ctx context.Context) error {
	return e.retry(ctx, func() error { return e.db.PingContext(ctx) })
}

// Close waits for the steps that run and closes the connections.
func (e *engine) Close() error {
	e.inUse.Lock()
	defer e.inUse.Unlock()
	e.closed = true
	return e.db.Close()
}

// retry runs a transaction until it does not lose against another. Nothing else is
// tried again: a transaction whose connection broke may have committed.
func (e *engine) retry(ctx context.Context, transaction func() error) error {
	e.inUse.RLock()
	defer e.inUse.RUnlock()
	if e.closed {
		return storage.ErrUnavailable
	}
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := transaction()
		if !lost(err) || time.Now().After(deadline) {
			return mapError(ctx, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}
