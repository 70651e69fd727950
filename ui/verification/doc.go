// Package verification renders the screens on which people become verified members of
// groups. Package provider/verification serves them. A view and its component are used as
// those of package ui are; only a program that imports this package links its screens and
// its sentences.
package verification

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
