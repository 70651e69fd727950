// Package keyring holds the secrets of a provider: those of the host, from which every
// symmetric key is derived, and the keys that sign its tokens.
//
// # Secrets
//
// The host supplies one secret of at least 32 random bytes and, during a rotation, its
// former ones. [Secrets] derives from each with HKDF (RFC 5869) one key that encrypts
// values at rest and one authentication key for each purpose. The current secret encrypts
// and authenticates; all of them decrypt and verify.
//
// To rotate the secret without an interruption, add the new one as a previous secret on
// every process, then make it the current one and the old one a previous one. Values under
// the old one are encrypted again ([Secrets.Reseal], [KeySet.Reseal]); a signing key under
// it also gets a successor at the next [KeySet.RotateIfDue]. Drop the old secret when all
// that it has authenticated has expired.
//
// # Signing keys
//
// [KeySet] holds RSA keys of 2048 bits that sign with RS256 (RFC 7518 section 3.3).
// A key lives in this order, the same on all processes because every moment comes
// from the stored rows:
//
//	created            published, does not sign yet
//	UseFrom            signs
//	next key's UseFrom published, no longer signs
//	 ... + KeepFor     only verifies what it has signed
//	 ... + VerifyFor   ends
//
// The clock chooses the signing key at each signature, so that all processes rotate at the
// same moment whether or not they have just read the store.
//
// Clients need a key as long as the tokens that it signed are valid. This provider needs it
// longer: an expired ID token may return as an id_token_hint as long as its session lasts.
//
// [KeySet.Replace] is for a leaked key: a new one signs at once, and all other rows are
// removed, which ends these keys in every process.
//
// # Wrong clocks
//
// A process with a wrong clock must not harm the others. Two rules protect them from a
// clock that is ahead, by any amount:
//
//   - A key whose UseFrom is later than that of a key made now comes from such a process.
//     It may sign when its time comes; until then the others make their own keys as if it
//     did not exist. When the clock is right again, it waits behind theirs.
//   - A row is removed when eight later keys have been in use for VerifyFor, never sooner.
//     By a clock that is ahead that holds as soon as there are eight. But such a process
//     adds one key for each that the others add, once in RotateEvery: when it removes a
//     row, the others have rotated several times since.
//
// A row that stays longer does no harm: each process decides for itself, by the moments
// above, which keys it publishes and which verify.
//
// # Randomness
//
// Since Go 1.24 crypto/rand does not fail: the program crashes if the operating system has
// no randomness. So no key or nonce here can be weak, and no function returns an error for
// it.
package keyring
