// Package sqlite is a storage.Store in one SQLite file, without a server: what a
// small installation runs on, and fast enough for most large ones.
//
//	store, err := sqlite.Open(ctx, "/var/lib/bonafide/bonafide.db")
//
// Package sqlitefile says how durable it is, which files it needs and how many
// processes may open it.
//
// # Without cgo
//
// The package runs SQLite's own C code (github.com/mattn/go-sqlite3), for which a
// program is built with CGO_ENABLED=1 and a C compiler. A program that is built
// without, as for many containers, opens the same files with package
// github.com/bonafide-id/bonafide/storage/sqlitego, a module of its own, which is
// somewhat slower; Open says so there.
package sqlite

import "github.com/bonafide-id/bonafide/storage/sqlitefile"

// Store is a storage.Store in one file. Its methods may be called by any number of
// goroutines.
type Store = sqlitefile.Store
