package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// maxBatch is the maximum number of steps in a transaction: the first waits for the last.
const maxBatch = 128

// writer runs steps on the one connection that writes, many in one transaction
// (group commit): while one batch waits for the disk, the next one gathers.
//
// The writer has no goroutine but for the passes of its -wal file. A caller that finds it idle leads: it takes the lock of the
// file, runs the waiting steps (its own first), commits them, appoints the next leader from
// later arrivals, and answers the callers of its batch. A step fails alone; a commit fails for all.
type writer struct {
	driver Driver
	db     *sql.DB
	conn   *writing // the leader's alone
	wary   int      // the leader's alone: how many batches have savepoints

	wal string // the path of the -wal file
	moving

	full atomic.Bool // whether the disk was full at the last write

	mu      sync.Mutex
	queue   []*call // those that have not begun, in order of arrival
	leading bool
	closed  bool
	idle    sync.Cond // signals that leading became false
}

// call is a step that a caller waits for.
type call struct {
	ctx      context.Context
	step     sqlstore.Step
	deadline time.Time // how long to wait for other processes
	leader   bool      // guarded by the writer's mu

	// appointed receives once: true when the caller must lead, false when its
	// step is done. It is nil for who has found the writer idle.
	appointed chan bool
	err       error
	panicked  any
}

const writerPragmas = `
	-- The leader waits itself, so that a context can end the wait.
	PRAGMA busy_timeout = 0;
	-- Others move what is in the -wal file, or the writer that is at it would wait.
	PRAGMA wal_autocheckpoint = 0;
	-- What is deleted or sealed is overwritten, or it would be in the file until its
	-- place is used again.
	PRAGMA secure_delete = ON`

func (d Driver) openWriter(ctx context.Context, path string) (*writer, error) {
	// Every transaction begins with the lock. One that begins with a read and takes the
	// lock later fails if another process was faster.
	db := sql.OpenDB(d.connector(path, "journal_mode = WAL"))
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, writerPragmas); err != nil {
		conn.Close()
		db.Close()
		return nil, err
	}
	w := &writer{driver: d, db: db, conn: &writing{Conn: conn, kept: make(map[string]kept)}, wal: path + "-wal", moving: moving{due: manyPages}}
	w.idle.L = &w.mu
	return w, nil
}

// write runs a step and returns after its commit. If ctx ends before the step begins, it never
// runs.
func (w *writer) write(ctx context.Context, step sqlstore.Step) error {
	c := &call{
		// The end of a context would interrupt the statement, and SQLite would roll back
		// the transaction with the steps of all.
		ctx:      context.WithoutCancel(ctx),
		step:     step,
		deadline: time.Now().Add(patience),
	}
	lead, err := w.enqueue(ctx, c)
	if err != nil {
		return err
	}
	if !lead {
		select {
		case lead = <-c.appointed:
		case <-ctx.Done():
			if w.withdraw(c) {
				return ctx.Err()
			}
			lead = <-c.appointed // the step runs already, or the lead is ours
		}
	}
	if lead {
		w.lead(ctx, c)
	}
	if c.panicked != nil {
		panic(c.panicked) // in the goroutine that it belongs to
	}
	return c.err
}

// enqueue adds a call and reports whether its caller must lead.
func (w *writer) enqueue(ctx context.Context, c *call) (lead bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false, storage.ErrUnavailable
	}
	w.queue = append(w.queue, c)
	if c.leader = !w.leading; !c.leader {
		c.appointed = make(chan bool, 1)
	}
	w.leading = true
	return c.leader, nil
}

// withdraw removes a call from the queue unless it has begun or must lead, and reports whether
// it did.
func (w *writer) withdraw(c *call) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, c)
	if i < 0 || c.leader {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	return true
}

// lead runs one batch, with the leader's own call first, and hands over.
func (w *writer) lead(ctx context.Context, own *call) {
	var batch []*call
	if err := w.begin(ctx, own.deadline); err != nil {
		own.err = err
		batch = w.take(1)
	} else {
		// After the wait, so that calls that came meanwhile share the commit, and those
		// whose context ended are gone.
		batch = w.take(maxBatch)
		w.commit(batch)
	}
	for _, c := range batch[1:] {
		c.appointed <- false
	}
	w.tidy(len(batch))
	w.handOver()
}

// take removes up to n calls from the queue.
func (w *writer) take(n int) []*call {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = min(n, len(w.queue))
	batch := slices.Clone(w.queue[:n])
	w.queue = slices.Delete(w.queue, 0, n)
	return batch
}

// handOver appoints the caller that has waited longest.
func (w *writer) handOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 0 {
		w.queue[0].leader = true
		w.queue[0].appointed <- true
		return
	}
	w.leading = false
	w.idle.Broadcast()
}

// begin takes the lock of the file. While another process has it, begin tries until the
// deadline or the end of ctx, at least once.
func (w *writer) begin(ctx context.Context, deadline time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		err := w.exec(`BEGIN IMMEDIATE`)
		if w.driver.primary(err) != codeBusy || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// commit runs the steps of a batch and ends the transaction. It leaves its answer
// in each call.
func (w *writer) commit(batch []*call) {
	err := w.runAll(batch)
	if err == nil {
		err = w.exec(`COMMIT`)
	}
	if err == nil {
		return
	}
	// An error here says that SQLite has rolled back already.
	_ = w.exec(`ROLLBACK`)
	if w.driver.primary(err) == codeFull {
		w.full.Store(true)
		// A failed write moves nothing, so that the -wal file, which may fill a small
		// disk itself, would stay. Most of its pages replace pages of the database and
		// need no more space there; once they have moved, the next batch begins the file
		// anew.
		_ = w.exec(`PRAGMA wal_checkpoint(PASSIVE)`)
	}
	for _, c := range batch {
		if c.err == nil {
			c.err = err
		}
	}
}

// room is the free space in bytes from which a disk no longer counts as full.
const room = 256 << 10

// checkRoom looks for room on a full disk by writing a file. The writes themselves prove
// nothing: small ones fit into a -wal file that has begun anew, between larger ones that fail.
func (w *writer) checkRoom() error {
	if !w.full.Load() {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(w.wal), draftPrefix+"*")
	if err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	_, err = f.Write(make([]byte, room))
	if err == nil {
		err = f.Sync() // some file systems notice late
	}
	f.Close()
	os.Remove(f.Name())
	if err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	w.full.Store(false)
	return nil
}

// wariness is how many batches have savepoints after one in which a step has failed, so that whoever
// makes steps fail does not have them run twice.
const wariness = 64

// runAll runs the steps of a batch, as if each was alone. To be able to undo one of them costs about
// as much as a statement of it, so that all run again, in savepoints, where one has failed. An error
// says that the transaction is lost.
func (w *writer) runAll(batch []*call) error {
	if len(batch) == 1 {
		w.run(batch[0])
		return batch[0].err
	}
	if w.wary > 0 {
		w.wary--
		return w.runApart(batch)
	}
	for _, c := range batch {
		if w.run(c); c.err != nil {
			w.wary = wariness
			_ = w.exec(`ROLLBACK`) // SQLite may have done so already
			if err := w.begin(context.Background(), time.Now().Add(patience)); err != nil {
				return err
			}
			return w.runApart(batch)
		}
	}
	return nil
}

// runApart runs each step in a savepoint.
func (w *writer) runApart(batch []*call) error {
	for _, c := range batch {
		if err := w.exec(`SAVEPOINT step`); err != nil {
			return err
		}
		if w.run(c); c.err != nil {
			// Some errors (a full disk) roll back the whole transaction and
			// leave no savepoint to return to.
			if err := w.exec(`ROLLBACK TO step`); err != nil {
				return c.err
			}
		}
		if err := w.exec(`RELEASE step`); err != nil {
			return err
		}
	}
	return nil
}

// run runs one step. A panic is kept for the goroutine of its caller.
func (w *writer) run(c *call) {
	defer func() {
		if c.panicked = recover(); c.panicked != nil {
			c.err = fmt.Errorf("panic: %v", c.panicked)
		}
	}()
	c.err = c.step(c.ctx, w.conn)
}

func (w *writer) exec(statement string) error {
	_, err := w.conn.ExecContext(context.Background(), statement)
	return err
}

// close waits for the calls that were made before.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
	w.mu.Unlock()
	if w.passes != nil {
		<-w.passes
	}
	return errors.Join(w.conn.close(), w.db.Close())
}
