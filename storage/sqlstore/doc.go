// Package sqlstore is the contract of package storage in SQL: every query once, for all
// databases. A backend on top of it consists of an [Engine], which runs queries, and a
// [Dialect], which says what the database spells differently.
//
// # Writing a backend
//
// Three steps make a storage.Store:
//
//  1. Write an [Engine] over database/sql: Read lends a connection to a step, Write runs
//     a step in a transaction, Ping asks whether the database serves, and Close ends it.
//     The work is in the errors: a driver's own are replaced by the sentinels of package
//     storage, by which the provider decides. A unique value that exists is
//     storage.ErrConflict; a database that cannot be reached is storage.ErrUnavailable,
//     and never storage.ErrNotFound, which would sign users out.
//  2. Choose a [Dialect], [SQLite] or [Postgres], or make one with migrations of its own.
//  3. In Open, call [Migrate] and then [New].
//
// Then run storagetest.Run and storagetest.RunDevelopers, under the race detector as well.
// The example of this package is a whole backend, and passes both.
//
// A backend outside of this module keeps up by itself: queries come with the module, and
// so do migrations unless the Dialect brings its own. One that does is told by Migrate
// when the queries rest on a later schema ([SchemaVersion]).
//
// # Concurrency
//
// Every decision is a condition of the statement that writes (spend the token
// where it is not spent), so that it holds at the isolation level READ COMMITTED
// and above. The few places where one row decides about another lock that row for
// reading ([Dialect].ForShare). A Read step is one query: what it returns belongs
// together without a transaction.
//
// # Times and lists
//
// A time is a count of microseconds since 1970 in UTC, and NULL for the zero
// time: a comparison with NULL is never true, as "never" demands. A list of
// strings is a JSON array, and NULL for nil. A client is one JSON document, as
// storage.Client writes it, beside the columns that are looked for.
package sqlstore
