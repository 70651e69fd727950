// Package keyring holds what the provider keeps secret: the host's secrets, from
// which every symmetric key is derived, and the keys that sign its tokens.
//
// # Secrets
//
// The host supplies one secret of at least 32 random bytes and, while it changes
// it, those before. [Secrets] derives from them with HKDF (RFC 5869) one key that
// seals values at rest and one authentication key for each purpose. The current
// secret seals and authenticates; all of them open and verify.
//
// To change the secret without an interruption: add the new one as a previous
// secret on every process, then make it the current one and the old one a
// previous one, and drop the old one when all that it protected has ended. A
// signing key that an earlier secret sealed is replaced at the next [Ring.Maintain].
//
// # Signing keys
//
// [Ring] holds RSA keys of 2048 bits that sign with RS256 (RFC 7518 section 3.3).
// A key lives in this order, the same on all processes because every moment comes
// from the stored rows:
//
//	created            published in the key set, signs nothing yet
//	UseFrom            signs
//	next key's UseFrom published, signs nothing any more
//	 ... + KeepFor     removed
//
// The key that signs is chosen by the clock whenever something is signed, so that
// all processes change keys at the same moment whether or not they have just
// looked into the store.
//
// # Randomness
//
// Since Go 1.24 crypto/rand does not fail: the program crashes when the operating
// system has no randomness. Nothing here can therefore produce a weak key or
// nonce, and nothing here returns an error for it.
package keyring
