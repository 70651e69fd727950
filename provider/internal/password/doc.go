// Package password hashes the passwords of the embedded accounts and says which
// ones are too weak to be chosen.
//
// # Hashing
//
// [Hasher] computes argon2id (RFC 9106) with the parameters that OWASP recommends
// at least: 19 MiB of memory, two passes, one lane. That takes some 20 ms of a
// processor, which makes guessing expensive, and which an attacker could use to keep
// every processor busy. A Hasher therefore runs few computations at a time, queues
// some, and rejects the rest at once with [ErrBusy]. Known browsers have a queue of
// their own: guesses that come faster than they can be computed keep out unknown
// browsers, and nobody else.
//
// A check of a password takes the same work whether or not the account exists or
// has a password: the caller passes an empty hash and gets the same delay.
//
// # Characters
//
// One password can reach the server in several spellings, as keyboards differ in
// how they compose an accent. Before hashing, it becomes what RFC 8265 section 4.2
// (OpaqueString) prescribes: every space is U+0020, and the string is in Unicode
// normalization form C. Nothing is trimmed, and case matters.
//
// # Policy
//
// [Policy] follows NIST SP 800-63B-4 section 3.1.1: length, a list of common
// passwords, and words that an attacker would try first for this account. There
// are no rules of composition, no search for patterns, and no expiry.
package password
