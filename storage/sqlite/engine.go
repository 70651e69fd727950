package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/internal/sqlstore"
)

// patience is how long a caller waits for other processes that use the file.
const patience = 5 * time.Second

// engine is one file: a writer of one connection, and readers that never wait for
// it.
type engine struct {
	writer *writer

	readers *sql.DB
	// slots has room for one reader per connection, so that a caller whose
	// context ends need not wait for a connection. Close keeps all of them.
	slots     chan struct{}
	closed    chan struct{}
	closeOnce sync.Once
	closeErr  error
}

var _ sqlstore.Engine = (*engine)(nil)

func openEngine(ctx context.Context, path string) (*engine, error) {
	writer, err := openWriter(ctx, path)
	if err != nil {
		return nil, mapError(err)
	}
	connections := max(4, runtime.GOMAXPROCS(0))
	// Every commit of the writer empties the readers' caches, so they are small (in
	// KiB): the system keeps the pages, too.
	readers := sql.OpenDB(connector(path, "_query_only", "true", "_cache_size", "-1000"))
	readers.SetMaxOpenConns(connections)
	readers.SetMaxIdleConns(connections)
	return &engine{
		writer:  writer,
		readers: readers,
		slots:   make(chan struct{}, connections),
		closed:  make(chan struct{}),
	}, nil
}

// Read runs a step on a connection of its own. What it reads takes microseconds,
// so ctx is looked at while waiting for the connection and not again: watching it
// would cost as much as the query.
func (e *engine) Read(ctx context.Context, step sqlstore.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case e.slots <- struct{}{}:
	case <-e.closed:
		return storage.ErrUnavailable
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.slots }()
	return mapError(step(context.WithoutCancel(ctx), e.readers))
}

// Write runs a step in a transaction that it may share with other callers.
func (e *engine) Write(ctx context.Context, step sqlstore.Step) error {
	return mapError(e.writer.write(ctx, step))
}

// Ping reads the file.
func (e *engine) Ping(ctx context.Context) error {
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

// Close waits for the steps that run and closes the file; those that wait get
// storage.ErrUnavailable. The last process to close a file moves what is in the
// -wal file into it.
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

// connector makes connections to an existing file, with these parameters of the
// driver beside those that all connections have.
func connector(path string, params ...string) driver.Connector {
	query := url.Values{
		"mode":             {"rw"}, // never create: see prepareFile
		"_busy_timeout":    {strconv.FormatInt(patience.Milliseconds(), 10)},
		"_foreign_keys":    {"true"},
		"_synchronous":     {"FULL"},
		"_stmt_cache_size": {"128"}, // every query of the store
	}
	for i := 0; i < len(params); i += 2 {
		query.Set(params[i], params[i+1])
	}
	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/folder
	}
	return dsn((&url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}).String())
}

// dsn is a driver.Connector, so that nothing is registered under a global name.
type dsn string

// Connect implements driver.Connector.
func (d dsn) Connect(context.Context) (driver.Conn, error) { return d.Driver().Open(string(d)) }

// Driver implements driver.Connector.
func (d dsn) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }
