// Package sqlitefile keeps a storage.Store in one SQLite file, with any driver of
// database/sql. Hosts open a store with package sqlite, whose driver needs cgo, or with the
// module sqlitego, whose driver is pure Go; both are this package with a [Driver].
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: a write whose method returned nil is on the
// disk and survives a power cut. Concurrent writes share one commit ("group commit"), so
// that many callers wait for the disk once.
//
// # Files
//
// While the file is open, two others are beside it, whose names end in -wal and -shm. The
// folder must be writable, and on a local disk: SQLite's locks are not reliable on network
// file systems. Only their owner can read the files. To copy a database that is in use, call
// [Store.Backup].
//
// A path may contain symbolic links: the two files are beside the real database. A link
// without a target is refused.
//
// # Several processes
//
// Any number of processes on one machine may open the file, each with any driver. A write
// that waits five seconds for other processes fails with storage.ErrUnavailable. One process
// must not open a file with two drivers: the system drops a process's locks of a file when
// any part of the process closes it, and two copies of SQLite do not know of each other.
package sqlitefile
