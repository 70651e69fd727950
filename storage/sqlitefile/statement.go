package sqlitefile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// writing is the connection of a writer. It keeps the statements that change something: to have
// database/sql find each of them again costs two calls into the driver. They run without its locks, as
// the connection is the leader's alone.
type writing struct {
	*sql.Conn
	kept map[string]kept
	args []driver.NamedValue // of the statement that runs
}

var _ sqlstore.Conn = (*writing)(nil)

// kept is a statement that stays prepared. The zero value is one that does not.
type kept struct {
	driver.StmtExecContext
	inputs int // negative if the driver does not know
}

// maxKept is the maximum number of statements that are kept: there are fewer in the store, but some
// have many forms.
const maxKept = 512

// ExecContext implements sqlstore.Conn.
func (w *writing) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	statement, known := w.kept[query]
	if !known && len(w.kept) < maxKept {
		var err error
		if statement, err = w.prepare(query); err != nil {
			return nil, err
		}
	}
	switch {
	case statement.StmtExecContext == nil:
		return w.Conn.ExecContext(ctx, query, args...)
	case statement.inputs >= 0 && statement.inputs != len(args):
		return nil, fmt.Errorf("sqlitefile: %d arguments for %d parameters of %s", len(args), statement.inputs, query)
	}
	w.args = slices.Grow(w.args[:0], len(args))[:len(args)]
	defer clear(w.args) // who they are about is not kept
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, err
		}
		w.args[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	return statement.ExecContext(ctx, w.args)
}

// prepare prepares a statement that is kept, and returns the zero value for another.
func (w *writing) prepare(query string) (made kept, err error) {
	if keeps(query) {
		err = w.Raw(func(of any) error {
			prepared, err := of.(driver.Conn).Prepare(query)
			if err != nil {
				return err
			}
			if s, ok := prepared.(driver.StmtExecContext); ok {
				made = kept{s, prepared.NumInput()}
				return nil
			}
			return prepared.Close() // a driver whose statements take no context has none of them kept
		})
	}
	if err == nil {
		w.kept[query] = made
	}
	return made, err
}

// keeps reports whether a statement is one of every batch, or one that changes rows and returns none:
// rows would keep it open until they are read. A PRAGMA may take effect when it is prepared, and of
// several statements in one text a driver would prepare the first.
func keeps(query string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch verb {
	case "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE":
		return true
	case "INSERT", "UPDATE", "DELETE":
		return !strings.Contains(query, "RETURNING") && !strings.Contains(query, ";")
	}
	return false
}

func (w *writing) close() error {
	for _, s := range w.kept {
		if s.StmtExecContext != nil {
			_ = s.StmtExecContext.(driver.Stmt).Close()
		}
	}
	return w.Conn.Close()
}
