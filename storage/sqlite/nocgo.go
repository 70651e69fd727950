//go:build !cgo

package sqlite

import (
	"context"
	"errors"
)

var errNoCgo = errors.New("package sqlite needs cgo, and this program is built without it: " +
	"build it with CGO_ENABLED=1 and a C compiler, or open the same file with package " +
	"github.com/bonafide-id/bonafide/storage/sqlitego")

// Open returns an error, for the program is built without cgo.
func Open(context.Context, string) (*Store, error) { return nil, errNoCgo }

// OpenExisting returns an error, for the program is built without cgo.
func OpenExisting(context.Context, string) (*Store, error) { return nil, errNoCgo }

// OpenCurrent returns an error, for the program is built without cgo.
func OpenCurrent(context.Context, string) (*Store, error) { return nil, errNoCgo }

// Backup returns an error, for the program is built without cgo.
func Backup(context.Context, string, string) error { return errNoCgo }
