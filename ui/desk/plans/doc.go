// Package plans renders the screens of what takes two at the desk: plans, which one proposes and
// another approves, and what somebody does alone in place of that. Package
// provider/desk/internal/plans serves them.
package plans

//go:generate go tool -modfile=../../../.ci/tools/go.mod templ generate -include-version=false -path ../..
//go:generate go run ../../internal/pack
