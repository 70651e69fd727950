// Package person renders the screens of the desk on which its staff looks at one person: the
// find, the matter with what the caller has proved, and the parts of the person, masked.
// Package provider/desk serves them. A view and its component are used as those of package ui
// are.
package person

//go:generate go tool -modfile=../../../.ci/tools/go.mod templ generate -include-version=false -path ../..
//go:generate go run ../../internal/pack
