package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// transaction is the connection of a step. What needs no answer before the next statement is
// queued and sent with it: begin, which is always the first, what the step expects, and commit.
// The server carries it out in this order and, after an error, nothing of the rest.
type transaction struct {
	conn   *sql.Conn
	queued *pgx.Batch
}

func (e *engine) begin(ctx context.Context) (*transaction, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &transaction{conn: conn, queued: &pgx.Batch{}}
	t.queued.Queue("begin")
	return t, nil
}

// ExecContext implements sqlstore.Conn.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	t.queued.Queue(query, args...)
	_, tag, err := t.send(ctx)
	return driver.RowsAffected(tag.RowsAffected()), err
}

// QueryContext implements sqlstore.Conn.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if _, _, err := t.send(ctx); err != nil {
		return nil, err
	}
	return t.conn.QueryContext(ctx, query, args...)
}

// send sends what is queued. It returns how many of the statements were carried out, and the tag
// of the last one.
func (t *transaction) send(ctx context.Context) (done int, tag pgconn.CommandTag, err error) {
	batch := t.queued
	t.queued = &pgx.Batch{}
	err = t.raw(func(conn *pgx.Conn) (err error) {
		results := conn.SendBatch(ctx, batch)
		defer results.Close()
		for ; done < batch.Len(); done++ {
			if tag, err = results.Exec(); err != nil {
				return err
			}
		}
		return results.Close()
	})
	return done, tag, err
}

// raw does something with the driver's connection.
func (t *transaction) raw(do func(*pgx.Conn) error) error {
	return t.conn.Raw(func(conn any) error {
		err := do(conn.(*stdlib.Conn).Conn())
		if pgconn.SafeToRetry(err) { // nothing was sent
			return driver.ErrBadConn
		}
		return err
	})
}

// commit sends the rest with the commit. A server that has answered a statement before that by
// an error has not committed; who says that a connection broke (class 08) may be a pooler, which
// does not know.
func (t *transaction) commit(ctx context.Context) error {
	t.queued.Queue("commit")
	before := t.queued.Len() - 1
	done, tag, err := t.send(ctx)
	var refused *pgconn.PgError
	switch {
	case err == nil && tag.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	case err == nil, errors.Is(err, driver.ErrBadConn):
		return err
	case done < before && errors.As(err, &refused) && refused.Code[:2] != classConnection:
		return err
	}
	return &commitError{err}
}

// end gives the connection back, after a transaction that did not commit by way of a rollback.
// Where that fails the connection is closed, with which the server ends it.
func (t *transaction) end(ctx context.Context) {
	_ = t.raw(func(conn *pgx.Conn) error {
		if conn.PgConn().TxStatus() == 'I' {
			return nil
		}
		if _, err := conn.Exec(ctx, "rollback"); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
	t.conn.Close()
}

// expecting is a transaction that takes for granted what its step expects.
type expecting struct{ *transaction }

var _ sqlstore.Queue = expecting{}

// Expect implements sqlstore.Queue. Where there is no row the server divides by zero, which no
// other statement does, and so undoes the transaction.
func (t expecting) Expect(query string, args ...any) {
	t.queued.Queue(`WITH expected AS (`+query+`) SELECT 1 / count(*) FROM expected`, args...)
}

// errUnmet means that a step which took something for granted has to run without.
var errUnmet = errors.New("something expected did not come about")

// expect runs a step that takes for granted what it expects. Of what it answers, only success
// counts, and an error of the server before which nothing else went wrong.
func (e *engine) expect(ctx context.Context, step sqlstore.Step) error {
	t, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer t.end(ctx)
	if err = step(ctx, expecting{t}); err == nil {
		err = t.commit(ctx)
	}
	if err != nil && t.queued.Len() > 0 || sqlState(err) == divisionByZero {
		return errUnmet
	}
	return err
}

// run runs a step one statement after the other.
func (e *engine) run(ctx context.Context, step sqlstore.Step) error {
	t, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer t.end(ctx)
	if err := step(ctx, t); err != nil {
		return err
	}
	return t.commit(ctx)
}
