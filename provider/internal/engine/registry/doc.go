// Package registry knows what is registered: applications with their dialect, the APIs that
// tokens can be for, and the addresses that an application may have. It says what each may
// do, whatever a request asks for.
package registry
