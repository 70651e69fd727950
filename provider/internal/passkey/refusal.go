package passkey

import (
	"errors"
	"fmt"
)

// ErrRefused is the error for an answer that is not accepted, whatever the reason. Its text
// says which rule it breaks, and holds no secret; the user is told only that it did not work.
var ErrRefused = errors.New("passkey refused")

// refused returns ErrRefused with its reason.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// maxShown limits what a reason repeats of an answer.
const maxShown = 128

func shorten(s string) string { return s[:min(len(s), maxShown)] }
