// Package authorization reads authorization requests (RFC 6749 section 4.1.1, OpenID Connect
// Core section 3.1.2.1): from a form to a Request, or to the error that the client gets.
// Nothing is looked up, written or sent here: who the client is, is known before, and its
// registration says what it may ask for.
//
// A request is read in two steps. Identify finds where its response goes; an error there is
// shown to the user. Read reads all the rest; an error there goes to the client.
package authorization
