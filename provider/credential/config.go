package credential

import (
	"fmt"

	"github.com/bonafide-id/bonafide/provider"
)

// wrongField returns the error of a field.
func wrongField(field, format string, args ...any) error {
	return &provider.FieldError{Field: field, Err: fmt.Errorf(format, args...)}
}
