// Package desk renders the screens of the desk, at which reviewers decide about cases and
// operators look after rosters, codes and numbers. Package provider/desk serves them. A view
// and its component are used as those of package ui are; only a program that imports this
// package links its screens and its sentences.
package desk

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
