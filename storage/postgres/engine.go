package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// patience is how long a transaction that loses against others is tried again.
const patience = 5 * time.Second

// engine is a pool of connections.
type engine struct {
	db      *sql.DB
	servers *servers // of the connections in db
	schema  string

	// slots has room for one step per connection, and serves callers in order of arrival.
	// database/sql serves them in any order, so that under load some would wait until
	// their request is given up.
	slots chan struct{}

	// inUse is locked for reading by every step, so that Close can wait for them.
	inUse  sync.RWMutex
	closed bool

	leaving sync.Mutex
	left    time.Time // connections that are older are not used again
}

var _ sqlstore.Engine = (*engine)(nil)

// Read runs a step of one query, which is a transaction by itself.
func (e *engine) Read(ctx context.Context, step sqlstore.Step) error {
	return e.retry(ctx, func() error { return step(ctx, e.db) })
}

// Write runs a step as a transaction, and one that expected too much once more.
func (e *engine) Write(ctx context.Context, step sqlstore.Step) error {
	return e.retry(ctx, func() error {
		err := e.expect(ctx, step)
		if errors.Is(err, errUnmet) {
			err = e.run(ctx, step)
		}
		return err
	})
}

// commitError is the error of a transaction that may have committed.
type commitError struct{ error }

// Unwrap returns the driver's error.
func (e *commitError) Unwrap() error { return e.error }

// isUnknown reports whether a transaction may have committed.
func isUnknown(err error) bool {
	var committing *commitError
	return errors.As(err, &committing)
}

// errReadOnly means that the server answers but takes no writes.
var errReadOnly = errors.New("the server is a standby, or read-only")

// Ping asks the server whether it takes writes.
func (e *engine) Ping(ctx context.Context) error {
	return e.retry(ctx, func() error {
		var readOnly bool
		err := e.db.QueryRowContext(ctx, `SELECT pg_catalog.pg_is_in_recovery()
			OR pg_catalog.current_setting('transaction_read_only')::bool`).Scan(&readOnly)
		if err == nil && readOnly {
			err = errReadOnly
		}
		return err
	})
}

// Close waits for the running steps and closes the connections.
func (e *engine) Close() error {
	e.inUse.Lock()
	defer e.inUse.Unlock()
	e.closed = true
	return e.db.Close()
}

// retry runs a transaction until it loses against no other, and once more on a new connection
// after one to a server that takes no writes. It repeats nothing else: a transaction that
// broke at its commit may have committed.
func (e *engine) retry(ctx context.Context, transaction func() error) error {
	e.inUse.RLock()
	defer e.inUse.RUnlock()
	if e.closed {
		return storage.ErrUnavailable
	}
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		begin := time.Now()
		err := e.inTurn(ctx, transaction)
		switch {
		case ctx.Err() == nil && gone(err) && e.leave(begin):
			continue
		case isUnknown(err) && unreachable(err): // the other connections may be broken as well
			e.leave(begin)
			return mapError(ctx, err)
		case !lost(err) || time.Now().After(deadline):
			return mapError(ctx, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// inTurn runs a transaction when a connection is free.
func (e *engine) inTurn(ctx context.Context, transaction func() error) error {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.slots }()
	return transaction()
}
