// Package dpop reads proofs of possession (RFC 9449): short-lived JWTs by which a program shows
// that it holds the key to which a token is bound. It reads no store and sends nothing; who calls
// it compares the thumbprint with what the token is bound to, and spends the proof last.
//
// It is the one place that believes a key in the header of a JWT: a proof says "whoever has made
// this has the key", and nothing about who that is.
package dpop
