package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// Open is what a backend exports: it opens a database, brings the schema up to date, and
// returns the store. This one keeps SQLite as plainly as it can; package sqlite keeps it
// faster, and takes care of the file.
func Open(ctx context.Context, path string) (storage.Store, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL"+
		"&_foreign_keys=true&_busy_timeout=5000&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	e := &engine{db: db}
	if err := sqlstore.Migrate(ctx, e, sqlstore.SQLite()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return sqlstore.New(e, sqlstore.SQLite()), nil
}

// engine implements sqlstore.Engine.
type engine struct {
	db     *sql.DB
	inUse  sync.RWMutex // held for reading by every step
	closed bool
}

func (e *engine) Read(ctx context.Context, step sqlstore.Step) error {
	return e.run(ctx, func() error { return step(ctx, e.db) })
}

func (e *engine) Write(ctx context.Context, step sqlstore.Step) error {
	return e.run(ctx, func() error {
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

func (e *engine) Ping(ctx context.Context) error {
	return e.run(ctx, func() error { return e.db.PingContext(ctx) })
}

func (e *engine) Close() error {
	e.inUse.Lock()
	defer e.inUse.Unlock()
	e.closed = true
	return e.db.Close()
}

// run translates the error of a step, and refuses one when the engine is closed.
func (e *engine) run(ctx context.Context, step func() error) error {
	e.inUse.RLock()
	defer e.inUse.RUnlock()
	if e.closed {
		return storage.ErrUnavailable
	}
	err := step()
	var failed sqlite3.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err() // the driver says it in its own words
	case !errors.As(err, &failed):
		return err // the step's own
	}
	switch failed.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey:
		return fmt.Errorf("%w: %w", storage.ErrConflict, err)
	case sqlite3.ErrConstraintForeignKey:
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	switch failed.Code {
	case sqlite3.ErrConstraint, sqlite3.ErrError:
		return err // a mistake of the program
	}
	return fmt.Errorf("%w: %w", storage.ErrUnavailable, err) // busy, full, read-only, damaged
}

// A complete backend: an engine of four methods, and the dialect of its database.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := Open(ctx, filepath.Join(folder, "example.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	if err := store.SaveClient(ctx, storage.Client{ID: "shop", Name: "Example Shop"}); err != nil {
		log.Fatal(err)
	}
	client, err := store.Client(ctx, "shop")
	fmt.Println(client.Name, err)
	err = store.SaveClient(ctx, storage.Client{ID: "shop"})
	fmt.Println(errors.Is(err, storage.ErrChanged))
	_, err = store.Client(ctx, "unknown")
	fmt.Println(errors.Is(err, storage.ErrNotFound))

	// Output:
	// Example Shop <nil>
	// true
	// true
}
