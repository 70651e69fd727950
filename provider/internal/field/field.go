// Package field has the error of a field that cannot be accepted, for rooms that check
// records of the host. The host sees it as provider.FieldError.
package field

import "fmt"

// Error says which field cannot be accepted, and why.
type Error struct {
	Field string // its path from the record, as in Go
	Err   error
}

// Errorf returns the error of a field.
func Errorf(field, format string, args ...any) *Error {
	return &Error{field, fmt.Errorf(format, args...)}
}

// Error implements error.
func (e *Error) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
