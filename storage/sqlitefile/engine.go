package sqlitefile

import (
	"context"
	"database/sql"
	"runtime"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// patience is how long a caller waits for other processes.
const patience = 5 * time.Second

// engine is one file: a writer with one connection, and readers that never wait for it.
type engine struct {
	driver Driver
	writer *writer

	readers *sql.DB
	// slots has room for one reader per connection, so that a caller whose context ends
	// stops waiting. Close takes all of them.
	slots     chan struct{}
	closed    chan struct{}
	closeOnce sync.Once
	closeErr  error
}

var _ sqlstore.Engine = (*engine)(nil)

func (d Driver) openEngine(ctx context.Context, path string) (*engine, error) {
	writer, err := d.openWriter(ctx, path)
	if err != nil {
		return nil, d.mapError(err)
	}
	connections := max(4, runtime.GOMAXPROCS(0))
	// Every commit empties the readers' caches, so they are small (in KiB): the system
	// caches the pages, too.
	readers := sql.OpenDB(d.connector(path, "query_only = ON", "cache_size = -1000"))
	readers.SetMaxOpenConns(connections)
	readers.SetMaxIdleConns(connections)
	return &engine{
		driver:  d,
		writer:  writer,
		readers: readers,
		slots:   make(chan struct{}, connections),
		closed:  make(chan struct{}),
	}, nil
}

// Read runs a step on a connection of its own. A query takes microseconds, so only the wait
// for the connection ends with ctx: watching it would cost as much as the query.
func (e *engine) Read(ctx context.Context, step sqlstore.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case e.slots <- struct{}{}: // nobody waits for anything, mostly; Close keeps all of them
		defer func() { <-e.slots }()
		return e.driver.mapError(step(context.WithoutCancel(ctx), e.readers))
	default:
	}
	select {
	case e.slots <- struct{}{}:
	case <-e.closed:
		return storage.ErrUnavailable
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.slots }()
	return e.driver.mapError(step(context.WithoutCancel(ctx), e.readers))
}

// Write runs a step in a transaction that it may share with other callers.
func (e *engine) Write(ctx context.Context, step sqlstore.Step) error {
	return e.driver.mapError(e.writer.write(ctx, step))
}

// Ping reads the file, and checks whether a full disk has room again.
func (e *engine) Ping(ctx context.Context) error {
	if err := e.ping(ctx); err != nil {
		return err
	}
	return e.writer.checkRoom()
}

func (e *engine) ping(ctx context.Context) error {
	return e.Read(ctx, func(ctx context.Context, db sqlstore.Conn) error {
		rows, err := db.QueryContext(ctx, `SELECT count(*) FROM sqlite_schema`)
		if err != nil {
			return err
		}
		defer rows.Close()
		rows.Next()
		return rows.Err()
	})
}

// Close waits for the running steps and closes the file; waiting steps get
// storage.ErrUnavailable. The last process to close a file moves the content of the -wal file
// into it.
func (e *engine) Close() error {
	e.closeOnce.Do(func() {
		close(e.closed)
		for range cap(e.slots) {
			e.slots <- struct{}{}
		}
		readersErr := e.readers.Close()
		e.closeErr = e.writer.close()
		if e.closeErr == nil {
			e.closeErr = readersErr
		}
	})
	return e.closeErr
}
