// Package keyring holds what the provider keeps secret: the host's secrets, from
// which every symmetric key is derived, and the keys that sign its tokens.
//
// # Secrets
//
// The host supplies one secret of at least 32 random bytes and, while it rotates
// it, those before. [Secrets] derives from them with HKDF (RFC 5869) one key that
// seals values at rest and one authentication key for each purpose. The current
// secret seals and authenticates; all of them open and verify.
//
// To rotate the secret without an interruption: add the new one as a previous
// secret on every process, then make it the current one and the old one a
// previous one. What the old one has sealed is resealed ([Secrets.Reseal],
// [KeySet.Reseal]); a signing key that it has sealed gets a successor, too, at the next
// [KeySet.RotateIfDue]. Drop the old one when all that it has authenticated has expired.
//
// # Signing keys
//
// [KeySet] holds RSA keys of 2048 bits that sign with RS256 (RFC 7518 section 3.3).
// A key lives in this order, the same on all processes because every moment comes
// from the stored rows:
//
//	created            published, does not sign yet
//	UseFrom            signs
//	next key's UseFrom published, does not sign any more
//	 ... + KeepFor     verifies what it has signed, is not published any more
//	 ... + VerifyFor   nothing
//
// The signing key is chosen by the clock at each signature, so that all processes
// rotate at the same moment whether or not they have just read the store.
//
// Clients need a key for as long as what it signed is valid. This provider needs it
// for longer: an ID token is brought back as a hint (id_token_hint) when it has long
// expired, for as long as the session that it names.
//
// [KeySet.Replace] is for a key that has leaked: a new one signs at once, and the rows of
// all others are removed, which ends them in every process.
//
// # Wrong clocks
//
// A process whose clock is wrong harms what it does itself, and must not harm the
// others. Two rules see to it when it is ahead, by however much:
//
//   - A key whose UseFrom is later than that of a key made now was made by such a
//     process. It may sign when its time comes; until then the others keep making
//     their own as if it were not there. When the clock is right again, it waits
//     behind theirs.
//   - A row is removed when eight later keys have been in use for VerifyFor, never
//     sooner. By a clock that is ahead that is so as soon as there are eight; but
//     such a process adds one key for each that the others add, and theirs come once in
//     RotateEvery. So when it removes a row, the others have rotated several times
//     since.
//
// A row that is kept for longer does no harm: what is published and what verifies is
// decided by each process for itself, by the moments above.
//
// # Randomness
//
// Since Go 1.24 crypto/rand does not fail: the program crashes when the operating
// system has no randomness. Nothing here can therefore produce a weak key or
// nonce, and nothing here returns an error for it.
package keyring
