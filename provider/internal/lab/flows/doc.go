// Package flows tests the way through an authorization request: what is asked, shown, allowed and
// released. All of it is tests.
package flows
