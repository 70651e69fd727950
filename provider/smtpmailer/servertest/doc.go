// Package servertest tests the mailer against a server that others wrote, go-smtp. It
// is a module of its own, so that nobody who uses Bonafide fetches a mail server.
package servertest
