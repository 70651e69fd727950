package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bonafide-id/bonafide/storage"
)

// The SQLSTATE codes that are distinguished, and classes of them by their first two
// characters (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	uniqueViolation      = "23505"
	duplicateTable       = "42P07" // by two processes that make it at once
	duplicateObject      = "42710" // the same, a moment earlier
	foreignKeyViolation  = "23503"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	queryCanceled        = "57014" // statement_timeout
	readOnly             = "25006" // a standby
	lockNotAvailable     = "55P03" // lock_timeout
	divisionByZero       = "22012" // something expected that did not come about
	adminShutdown        = "57P01"
	crashShutdown        = "57P02" // of another session
	protocolViolation    = "08P01" // what PgBouncer says to a parameter it does not know
	noStatement          = "26000" // prepared elsewhere: see errPooler
	duplicateStatement   = "42P05"

	classConnection   = "08"
	classResources    = "53" // disk full, too many connections
	classIntervention = "57" // shutdown, crash, starting up
	classSystem       = "58" // input and output
	classInternal     = "XX" // damaged data, and mistakes of the server's own
)

// errPooler explains prepared statements that are missing, or exist already.
var errPooler = errors.New("sessions are shared: behind a pooler in transaction mode add default_query_exec_mode=exec to the URL")

// lost reports whether the server aborted a transaction in favour of another.
func lost(err error) bool {
	code := sqlState(err)
	return code == serializationFailure || code == deadlockDetected
}

// gone reports whether a transaction failed because its connection broke or leads to a server
// that takes no writes. Another connection may succeed.
func gone(err error) bool {
	var connect *pgconn.ConnectError // that was a new one
	if err == nil || isUnknown(err) || errors.As(err, &connect) {
		return false
	}
	switch sqlState(err) {
	case readOnly, adminShutdown, crashShutdown:
		return true
	case "":
		return errors.Is(err, errReadOnly) || unreachable(err)
	}
	return false
}

// mapError replaces the driver's errors by the sentinels of package storage. Others, such as a
// violated check or a missing column, are no answer for any caller and stay.
func mapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	code := sqlState(err)
	switch {
	case code == uniqueViolation, code == duplicateTable, code == duplicateObject:
		return fmt.Errorf("%w: %w", storage.ErrConflict, err)
	case code == foreignKeyViolation:
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	case ctx.Err() != nil:
		return ctx.Err() // the driver says it in many ways
	case code == noStatement, code == duplicateStatement:
		return fmt.Errorf("%w: %w: %w", storage.ErrUnavailable, errPooler, err)
	case unavailable(code) || unreachable(err) || errors.Is(err, errReadOnly):
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	return err
}

// sqlState returns the code of a server's error, or "".
func sqlState(err error) string {
	var failed *pgconn.PgError
	if !errors.As(err, &failed) {
		return ""
	}
	return failed.Code
}

func unavailable(code string) bool {
	switch code {
	case "":
		return false
	case serializationFailure, deadlockDetected, queryCanceled, readOnly, lockNotAvailable:
		return true
	}
	switch code[:2] {
	case classConnection, classResources, classIntervention, classSystem, classInternal:
		return true
	}
	return false
}

// unreachable reports whether no server answered.
func unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) {
		return true
	}
	for _, gone := range []error{
		driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, pgconn.ErrConnClosed,
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
