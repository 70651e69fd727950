package main

import (
	"context"
	"database/sql"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// rows is the least that a durable store can be: one table in SQLite with
// synchronous=FULL, and one writer that commits for all who wait.
type rows struct {
	db    *sql.DB
	queue chan row
	done  chan struct{}
}

type row struct {
	value  string
	result chan error
}

func openRows(ctx context.Context, path string) (*rows, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT NOT NULL)"); err != nil {
		_ = db.Close()
		return nil, err
	}
	r := &rows{db: db, queue: make(chan row, 256), done: make(chan struct{})}
	go r.write()
	return r, nil
}

// append returns when the row is on the disk.
func (r *rows) append(value string) error {
	result := make(chan error, 1)
	r.queue <- row{value, result}
	return <-result
}

func (r *rows) close() {
	close(r.queue)
	<-r.done
	_ = r.db.Close()
}

// write commits whatever has queued up meanwhile.
func (r *rows) write() {
	defer close(r.done)
	for first := range r.queue {
		batch := []row{first}
		for len(r.queue) > 0 && len(batch) < 256 {
			batch = append(batch, <-r.queue)
		}
		err := r.commit(batch)
		for _, w := range batch {
			w.result <- err
		}
	}
}

func (r *rows) commit(batch []row) error {
	tx, err := r.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.Prepare("INSERT INTO rows (value) VALUES (?1)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, w := range batch {
		if _, err := insert.Exec(w.value); err != nil {
			return err
		}
	}
	return tx.Commit()
}
