// Package signin renders the screens of a sign-in that takes more than a password, and of the
// way back for users who have lost what it takes. The rooms provider/internal/signin and
// provider/internal/recovery serve them. A view and its component are used as those of package
// ui are.
package signin

//go:generate go tool -modfile=../../.ci/tools/go.mod templ generate -include-version=false -path ..
//go:generate go run ../internal/pack
