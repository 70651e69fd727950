package sqlite

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"github.com/bonafide-id/bonafide/storage"
)

// mapError puts the sentinels of package storage in place of the driver's errors.
// What is not listed here (a violated check, a mistake in SQL) is no answer to any
// caller and stays as it is. A damaged page is listed: it says nothing about what
// was asked for, and what is in other pages can be served.
func mapError(err error) error {
	var failed sqlite3.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey, sqlite3.ErrConstraintRowID:
		return fmt.Errorf("%w: %w", storage.ErrConflict, err)
	case sqlite3.ErrConstraintForeignKey:
		return fmt.Errorf("%w: %w", storage.ErrNotFound, err)
	}
	switch failed.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull, sqlite3.ErrReadonly,
		sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrProtocol, sqlite3.ErrNomem,
		sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	return err
}

// isFull reports whether there was no space left on the disk.
func isFull(err error) bool {
	var failed sqlite3.Error
	return errors.As(err, &failed) && failed.Code == sqlite3.ErrFull
}
