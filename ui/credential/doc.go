// Package credential renders the screens on which people put what is verified about them into
// a wallet, and take it back. Package provider/credential serves them. A view and its component
// are used as those of package ui are; only a program that imports this package links its
// screens and its sentences.
package credential

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
