// Package testkit has what the tests of all rooms need: the end of a test of which a step has
// failed, and ports at which nobody listens. It imports nothing of the provider.
package testkit

import "testing"

// OK ends the test if a step on which it relies has failed.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns what a call has returned, in a test that ends if the call has failed:
//
//	key := testkit.Must(ecdsa.GenerateKey(curve, rand.Reader))(t)
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}
