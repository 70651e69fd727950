// Package flows tests the way through an authorization request: what is asked, shown, allowed and
// released, and what its pages look like. All of it is tests.
package flows
