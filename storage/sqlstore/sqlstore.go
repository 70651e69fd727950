package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"

	"github.com/bonafide-id/bonafide/storage"
)

// Store is a storage.Store on an engine, and storage.Developers, storage.Verification and
// storage.Desk as well. Its methods are in the files named after the records.
type Store struct {
	engine   Engine
	dialect  Dialect
	queries  sync.Map                                       // as the dialect writes them, by query; of strings
	duration atomic.Pointer[dbconv.ClientOperationDuration] // nil while nobody wants it
	noWrites atomic.Bool                                    // the last write came to nothing
	sweepAt  atomic.Uint32                                  // the kind with which the next sweep begins
	watch    *watch                                         // nil for what looks at the schema itself
}

var (
	_ storage.Store        = (*Store)(nil)
	_ storage.Developers   = (*Store)(nil)
	_ storage.Verification = (*Store)(nil)
	_ storage.Desk         = (*Store)(nil)
	_ storage.Credentials  = (*Store)(nil)
)

// New returns the store on a database with the current schema ([Migrate]). The store owns the
// engine: closing one closes the other. After another process has migrated the database
// further, every step fails within a second, with storage.ErrUnavailable and
// storage.ErrNewerSchema.
func New(engine Engine, dialect Dialect) *Store {
	s := unwatched(engine, dialect)
	s.watch = newWatch(unwatched(engine, dialect))
	return s
}

func unwatched(engine Engine, dialect Dialect) *Store {
	return &Store{engine: engine, dialect: dialect}
}

// Ping implements storage.Store. Only writes show a full disk, or the loss of a standby that
// must confirm: after a failed write Ping writes a row of its own.
func (s *Store) Ping(ctx context.Context) error {
	err := s.engine.Ping(ctx)
	if err == nil {
		err = s.watch.look(ctx)
	}
	if err == nil {
		err = s.watch.verdict()
	}
	if err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	if !s.noWrites.Load() {
		return nil
	}
	return s.change(ctx, "ping", func(tx *tx) error {
		_, err := tx.exec(`UPDATE main.schema_version SET version = version`)
		return err
	})
}

// Close releases the engine.
func (s *Store) Close() error { return s.engine.Close() }

// read runs a step of one query. The error names the operation.
func read[T any](ctx context.Context, s *Store, what string, step func(*tx) (T, error)) (T, error) {
	return run(ctx, s, s.engine.Read, what, step)
}

// write runs a step as one transaction, and carries out the deed of its context in it.
func write[T any](ctx context.Context, s *Store, what string, step func(*tx) (T, error)) (T, error) {
	deed := storage.DeedOf(ctx)
	result, err := run(ctx, s, s.engine.Write, what, withDeed(deed, step))
	if deed != nil && err == nil {
		deed.Done()
	}
	switch {
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		s.noWrites.Store(true)
	case err == nil && s.noWrites.Load(): // a look is cheaper, and shared
		s.noWrites.Store(false)
	}
	return result, err
}

// change is a write without a result.
func (s *Store) change(ctx context.Context, what string, step func(*tx) error) error {
	_, err := write(ctx, s, what, func(tx *tx) (struct{}, error) { return struct{}{}, step(tx) })
	return err
}

func run[T any](
	ctx context.Context, s *Store, engine func(context.Context, Step) error,
	what string, step func(*tx) (T, error),
) (T, error) {
	var result T
	if s.watch != nil {
		if err := s.watch.check(ctx); err != nil {
			return result, fmt.Errorf("%s: %w", what, err)
		}
	}
	ctx, end := s.observe(ctx, what)
	err := engine(ctx, func(ctx context.Context, db Conn) (err error) {
		result, err = step(&tx{ctx: ctx, db: db, store: s})
		return err
	})
	end(err)
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return result, nil
}

// tx is the connection of a step, in the dialect of the store.
type tx struct {
	ctx   context.Context
	db    Conn
	store *Store
}

// inDialect returns a query as the dialect writes it.
func (s *Store) inDialect(query string) string {
	if s.dialect.Placeholder == 0 && s.dialect.Schema == "" {
		return query // written in it
	}
	if known, ok := s.queries.Load(query); ok {
		return known.(string)
	}
	rewritten := s.dialect.rewrite(query)
	s.queries.Store(query, rewritten)
	return rewritten
}

// exec runs a statement and returns the number of changed rows.
func (t *tx) exec(query string, args ...any) (int, error) {
	result, err := t.db.ExecContext(t.ctx, t.store.inDialect(query), args...)
	if err != nil {
		return 0, err
	}
	changed, err := result.RowsAffected()
	return int(changed), err
}

// expect is exec for a statement that nearly always changes a row, which a Queue takes for granted.
func (t *tx) expect(query string, args ...any) (int, error) {
	queue, ok := t.db.(Queue)
	if !ok {
		return t.exec(query, args...)
	}
	queue.Expect(t.store.inDialect(query)+" RETURNING 1", args...)
	return 1, nil
}

// find is expect for a query: it returns 1 if there is a row.
func (t *tx) find(query string, args ...any) (int, error) {
	if queue, ok := t.db.(Queue); ok {
		queue.Expect(t.store.inDialect(query), args...)
		return 1, nil
	}
	_, err := one(t, scanInt, query, args...)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return 1, err
}

func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	return t.db.QueryContext(t.ctx, t.store.inDialect(query), args...)
}

// scanner reads the columns of the current row.
type scanner interface{ Scan(dest ...any) error }

// one returns the only row of a query, or storage.ErrNotFound. A query that fails half way is
// an error of its own, never a missing row.
func one[T any](t *tx, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	rows, err := t.query(query, args...)
	if err != nil {
		var none T
		return none, err
	}
	return only(rows, scan)
}

// only is one for the rows of a query.
func only[T any](rows *sql.Rows, scan func(scanner) (T, error)) (T, error) {
	var none T
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return none, err
		}
		return none, storage.ErrNotFound
	}
	record, err := scan(rows)
	if err != nil {
		return none, err
	}
	return record, rows.Close()
}

// all returns the rows of a query in their order.
func all[T any](t *tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := t.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []T
	for rows.Next() {
		record, err := scan(rows)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, rows.Err()
}

// scanString reads a row of one text.
func scanString(row scanner) (s string, err error) {
	err = row.Scan(&s)
	return s, err
}

// scanTime reads a row of one time.
func scanTime(row scanner) (time.Time, error) {
	var t instant
	err := row.Scan(&t)
	return time.Time(t), err
}
