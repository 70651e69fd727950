package provider

import (
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// FieldError names an invalid field and the reason. New returns one for a field of its
// Config, Clients.Save of the Client, Accounts.Save of the Account, People.SetStatus of the
// Status; the Field of one from People.SetAttributes is a handle. Find it with errors.As,
// because the returned error has a prefix.
//
//	var wrong *provider.FieldError
//	if errors.As(err, &wrong) {
//		form.Problems[wrong.Field] = wrong.Err
//	}
type FieldError struct {
	// Field is the path of the field within the record, as in Go: Lifetimes.Code,
	// RedirectURIs[1], Scopes[0].Attributes.
	Field string

	// Err is the reason. It never holds a secret.
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

// asFieldError converts an internal field error to its public form, and returns any other
// as it is.
func asFieldError(err error) error {
	var wrong *field.Error
	if errors.As(err, &wrong) {
		return (*FieldError)(wrong)
	}
	return err
}
