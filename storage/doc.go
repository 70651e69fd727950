// Package storage is the contract between the provider of package
// github.com/bonafide-id/bonafide/provider and its database: the records, the interfaces
// that read and write them, and the errors. It imports only the standard library.
//
// A host opens a [Store] and passes it to the provider; it needs nothing else of this
// package:
//
//	store, err := sqlite.Open(ctx, "/var/lib/bonafide/bonafide.db")
//
// Three backends are included. Package sqlite keeps one file, package postgres a schema of
// a PostgreSQL server for several machines, and the module sqlitego the file of sqlite for
// programs that are built without cgo.
//
// # The records
//
// A [Client] is a registered application. A [Grant] records that a user allowed a client
// some scopes, and its [Token] records are the authorization code, access tokens and
// refresh tokens issued for it. A [Consent] is the user's decision behind grants. An
// [Account] is a user with an e-mail address and a password, a [Session] a browser in
// which an account is signed in by some [Factor] records, a [ClientSession] an application
// to tell when such a session ends. Beside its password an account has an
// [AuthenticatorSet]: [Passkey] records, an app for codes ([TOTP]), [RecoveryCodes],
// [TrustedDevice] records, and, for an owner who has lost them, a [Recovery]. A
// [OneTimeCode] is the payload of a mailed one-time code. A [Person] is a subject's data,
// with or without an account: attributes, and the [Status] in groups. A [PushedRequest] is
// a pushed authorization request, a [DeviceCode] one of a device; [UsedIDs] are identifiers that an application may
// present only once. [Attempts] are the counters of rate limits, an [Event] is an entry of
// the audit log, a [Block] a closed part of it, and [Key], [Image] and [Installation] are what the provider needs to run:
// signing keys, logos, its issuer.
//
// The developer dashboard has records of its own, in the roles of [Developers]: an
// [Organization] with its [Member] and [Invitation] records owns [Application] records,
// whose requests leave [LogEntry] records. The included backends have these roles as well;
// a provider without a dashboard needs none of them.
//
// So has the verification of people, in the roles of [Verification]: a [Case] is one attempt
// to become a verified member of a group, which [Decision] records of a [Reviewer] may end
// and [Evidence] supports; a [Fingerprint] binds a proof to one subject; a [Roster] and
// [VerificationCode] records prove membership. What a case finds is the [Status] of a person.
//
// # Every method is one atomic step
//
// No caller ever holds a transaction. A writing method does all that its comment says or
// nothing, is durable when it returns nil, and may be called by any number of goroutines
// and processes at once. A call that fails with anything but a sentinel of this package has
// an unknown outcome: it may have taken effect just before the connection broke. A call
// whose context ends returns the error of the context.
//
// # Secrets
//
// The store knows credentials of clients and browsers (codes, tokens, session identifiers,
// mailed codes, recovery codes, trusted devices) only by their [Digest], so that a reader of
// the database cannot present one. Client secrets, private keys and the secrets of apps arrive
// encrypted, and so do the keys and names of passkeys. An implementation never sees either in
// clear.
//
// # Proofs
//
// What changes an account or signs in to it rests on a [Proof]: the password of that moment,
// a passkey that still stands, a code that is not spent. The write compares all of it, and
// spends what can be spent; of any number of writes with one code exactly one succeeds.
//
// # Time
//
// Callers pass the time; a store never reads a clock. Times are kept to the microsecond and
// come back in UTC. The zero time means "never" or "not yet" and comes back as the zero
// time; times beyond the years 1 to 9999 come back as the first or the last of these
// ([UnixMicro]). An end (ExpiresAt, IdleUntil) is the first moment at which a record is no
// longer valid. Every credential has one: a store refuses a grant, token, session, one-time
// code, trusted device or recovery without.
//
// # Writing a backend
//
// A backend is a package with an Open function that returns a [Store]. Its test is one call
// of storagetest.Run, which tests every promise of this package, races included, and one of
// storagetest.RunDevelopers, storagetest.RunVerification, storagetest.RunDesk, storagetest.RunSignals and
// storagetest.RunCredentials if it has these roles, too.
// Where to begin:
//
//   - A database that speaks SQL needs no queries of its own. Package sqlstore has them
//     all: write its Engine, which has four methods, and choose or make its Dialect. Its
//     example is a complete backend.
//   - Another driver of SQLite is a few lines: see package sqlitefile.
//   - Anything else needs one conditional write: "spend this token if it is not spent"
//     decides almost everything. Go through the interfaces from [Clients] to [Events] and
//     run the tests of each as you go.
package storage
