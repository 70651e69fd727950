package providertest

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// FreeAddress returns an address of 127.0.0.1 with a port at which nobody listens, for a program
// that a test starts and whose configuration says where it listens. No other call in this process
// has returned it.
func FreeAddress(t testing.TB) string {
	t.Helper()
	return testkit.Address(t)
}
