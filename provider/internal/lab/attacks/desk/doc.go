// Package desk attacks the desk of those who run a service, over HTTP, as staff who may less
// than they try, as a stranger, and with a database that fails. Each test is named after its
// attack. All of it is tests.
package desk
