package provider

import (
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// FieldError says which field cannot be accepted, and why. New returns one about a field
// of its Config, Clients.Save of the Client, Accounts.Save of the Account, People.SetStatus of the
// Status; that of People.SetAttributes has a handle for its Field. Find it with errors.As: what
// they return says more in front of it.
//
//	var wrong *provider.FieldError
//	if errors.As(err, &wrong) {
//		form.Problems[wrong.Field] = wrong.Err
//	}
type FieldError struct {
	// Field is the path of the field from the record, as in Go: Lifetimes.Code,
	// RedirectURIs[1], Scopes[0].Attributes.
	Field string

	// Err says what is wrong with it. It never holds a secret.
	Err error
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

// wrongField returns the error of a field.
func wrongField(field, format string, args ...any) error {
	return &FieldError{field, fmt.Errorf(format, args...)}
}

// asFieldError returns the error of a field that a room has found as the host sees it, and
// every other as it is.
func asFieldError(err error) error {
	var wrong *field.Error
	if errors.As(err, &wrong) {
		return (*FieldError)(wrong)
	}
	return err
}
