// Package sqlitefile keeps a storage.Store in one SQLite file, with whichever driver
// of database/sql it is given. Hosts open a store with package sqlite, whose driver
// needs cgo, or with the module sqlitego, whose driver is written in Go; both are this
// package and a [Driver].
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: a method that returned nil has
// written to the disk and survives a power cut. Concurrent writes share one
// commit ("group commit"), so that many callers wait for the disk once.
//
// # Files
//
// Beside the file live two more while it is open, named with -wal and -shm; the
// folder must be writable for them, and on a local disk: SQLite's locks are not
// reliable on network file systems. All are readable by their owner alone. To
// copy a database that is in use, call [Store.Backup].
//
// A path may lead through symbolic links: the two files are beside the database
// that it leads to. A link that leads to no file is refused.
//
// # Several processes
//
// Any number of processes on one machine may open the file, each with the driver of
// its choice. One that cannot write for five seconds because another one does gives up
// with storage.ErrUnavailable. One process opens a file with one driver only: the
// system takes a process's locks of a file away when any part of it closes the file,
// and two copies of SQLite do not know of each other.
package sqlitefile
