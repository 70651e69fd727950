// Package sqlstore is the contract of package storage in SQL: every query once, for all
// databases. A backend is an [Engine], which runs queries, and a [Dialect], which has the
// differences of a database.
//
// # Writing a backend
//
// Three steps make a storage.Store:
//
//  1. Write an [Engine] over database/sql: Read lends a connection to a step, Write runs
//     a step in a transaction, Ping checks the database, and Close ends it. The work is in
//     the errors: the sentinels of package storage, by which the provider decides, replace
//     those of the driver. An existing unique value is storage.ErrConflict; an unreachable
//     database is storage.ErrUnavailable, and never storage.ErrNotFound, which would sign
//     users out.
//  2. Choose a [Dialect], [SQLite] or [Postgres], or make one with migrations of its own.
//  3. In Open, call [Migrate] and then [New].
//
// Then run storagetest.Run and storagetest.RunDevelopers, under the race detector as well.
// The example of this package is a whole backend, and passes both.
//
// A backend outside of this module needs no changes with new versions: queries come with the
// module, and migrations as well unless the Dialect has its own. For such a Dialect Migrate
// fails if the queries need a later schema ([SchemaVersion]).
//
// # Concurrency
//
// Every decision is a condition of the statement that writes (spend the token if it is not
// spent), so that it holds at the isolation level READ COMMITTED and above. If one row
// decides about another, the step locks it for reading ([Dialect].ForShare). A Read step is
// one query: its results are of one state without a transaction.
//
// # Times and lists
//
// A time is a number of microseconds since 1970 in UTC, and NULL for the zero time, which
// stands for never: a comparison with NULL is never true. A list of strings is a JSON array,
// and NULL for nil. A client is one JSON document of storage.Client, with columns for the
// values of conditions.
package sqlstore
