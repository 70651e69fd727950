// Package password hashes the passwords of the provider's own accounts and refuses weak
// ones.
//
// # Hashing
//
// [Hasher] computes argon2id (RFC 9106) with the minimum parameters of OWASP: 19 MiB of
// memory, two passes, one lane. A computation takes about 20 ms of a processor, which makes
// guesses expensive, and floods as well. A Hasher therefore runs few computations at a
// time, queues some, and rejects the rest at once with [ErrBusy]. Known browsers have a
// queue of their own: a flood of guesses delays unknown browsers only.
//
// A check takes the same work whether or not the account exists or has a password: for an
// empty hash it computes one all the same.
//
// # Characters
//
// Keyboards differ in how they compose an accent, so that one password has several
// encodings. Before hashing it is normalized by RFC 8265 section 4.2 (OpaqueString): every
// space becomes U+0020, the string is in Unicode normalization form C. Nothing is trimmed,
// and case matters.
//
// # Policy
//
// [Policy] follows NIST SP 800-63B-4 section 3.1.1: length, a list of common
// passwords, and words that an attacker would try first for this account. There
// are no rules of composition, no search for patterns, and no expiry.
package password
