// Package service renders the screens of the desk for those who run the service: applications
// and organizations, keys, health, numbers, and the audit log. Package provider/desk serves
// them.
package service

//go:generate go tool -modfile=../../../.ci/tools/go.mod templ generate -include-version=false -path ../..
//go:generate go run ../../internal/pack
