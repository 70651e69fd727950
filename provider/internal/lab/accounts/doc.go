// Package accounts tests accounts over HTTP: sign-up, sign-in, self-service, sign-out, deletion.
// All of it is tests.
package accounts
