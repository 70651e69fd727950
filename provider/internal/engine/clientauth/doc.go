// Package clientauth finds out which client sends a request, by its secret, by an assertion
// that it has signed, or by its name when it is public.
package clientauth
