// Package developer renders the screens of the dashboard, on which developers register and
// look after their applications. Package provider/developer serves them. A view and its
// component are used as those of package ui are; only a program that imports this package
// links its screens and its sentences.
package developer

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
