// Package api is the Admin API of the desk: what programs of the host may do there. Its clients
// are applications that the host names and that sign with a key of their own. They have no more
// than the staff has: a person is shown in an open matter alone, an act rests on a revision and
// is done once for a key, and what needs two of the staff is only proposed.
//
// Every operation is a row of one table, of which the routes, the checks and the OpenAPI
// document are made.
package api
