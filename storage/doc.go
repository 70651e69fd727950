// Package storage is the contract between the provider and its database: the
// records, the roles that read and write them, and the errors that both sides
// agree on. It imports only the standard library.
//
// # Every method is one atomic step
//
// No caller ever holds a transaction. A method that writes does all that its
// comment says or nothing, is durable when it returns nil, and may be called by
// any number of goroutines and processes at once. A call that fails with
// anything but a sentinel of this package has an unknown outcome: it may have
// taken effect just before the connection broke. A call whose context ends returns
// the error of the context.
//
// # Secrets
//
// What a client or a browser presents (codes, tokens, session identifiers,
// e-mailed codes) is known here by its [Digest] only. Client secrets and private
// keys arrive sealed. An implementation never sees either in clear.
//
// # Time
//
// Callers pass the time; a store never reads a clock. Times are kept to the
// microsecond and come back in UTC. The zero time means "never" or "not yet" and
// comes back as the zero time. An end (ExpiresAt, IdleUntil) is the first moment at
// which something is over. What can be presented as a credential always has one: a
// store refuses a grant, token, session or ticket without.
//
// # Writing a backend
//
// A backend is a package with an Open function that returns a [Store]. Its test is
// one call of storagetest.Run, which tests every promise that is made here, the
// races included. Where to begin:
//
//   - A database that speaks SQL needs no queries of its own. In this module,
//     implement Engine of internal/sqlstore (run a step, translate errors) and name
//     what the database spells differently in a Dialect; packages sqlite and
//     postgres are the models.
//   - Anything else needs one conditional write: "spend this token where it is not
//     spent" decides almost everything. Go through the interfaces from [Clients] to
//     [Events] and run the tests of each as you go.
package storage
