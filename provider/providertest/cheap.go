package providertest

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/password"
)

// Cheapen makes what is dear on purpose cheap in a process of tests: hashes of passwords and recovery
// codes take no memory, and RSA keys are made of primes that everybody knows. Call it in TestMain, before
// any provider is made. It panics in a process that is no test.
func Cheapen() {
	if !testing.Testing() {
		panic("providertest: Cheapen in a process that is no test")
	}
	password.Cheapen()
	keyring.Cheapen()
}
