// Package security renders the screens on which the owner of an account says how to sign in:
// passkeys, password, authenticator app, recovery codes and trusted devices. A view and its
// component are used as those of package ui are.
package security

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
