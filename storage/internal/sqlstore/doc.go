// Package sqlstore is the contract of package storage in SQL: every query once
// and the schema once, for all engines that speak SQL.
//
// An engine's package (sqlite, postgres) implements [Engine]: it runs steps, as
// transactions when they write, and translates the errors of its driver. It
// calls [Migrate] and then [New].
//
// # The dialect
//
// The SQL here is what SQLite understands, with parameters by number (?1, ?2).
// Where another engine spells something differently, its [Dialect] replaces the
// words; nothing else knows which engine it talks to.
//
// # Concurrency
//
// Every decision is a condition of the statement that writes (spend the token
// where it is not spent), so that it holds at the isolation level READ COMMITTED
// and above. The few places where one row decides about another read that row
// with FOR SHARE.
//
// # Times and lists
//
// A time is a count of microseconds since 1970 in UTC, and NULL for the zero
// time: a comparison with NULL is never true, as "never" demands. A list of
// strings is a JSON array, and NULL for nil.
package sqlstore
