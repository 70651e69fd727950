package pages

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// newFixture starts a provider at localhost, where there can be passkeys, with alice and bob.
func newFixture(t testing.TB, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	w := lab.New(t, append([]func(*provider.Config){func(c *provider.Config) { c.BaseURL = named(c.BaseURL) }}, change...)...)
	w.Server.URL = named(w.Server.URL)
	return w.WithClients().WithUsers()
}

// named puts the name of this machine in the place of its address.
func named(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

// once has something happen right before the first call of a method of the store.
func once(store *lab.FaultyStore, method string, do func()) {
	var done atomic.Bool
	store.BreakBefore(func(_ context.Context, called string) error {
		if called == method && done.CompareAndSwap(false, true) {
			do()
		}
		return nil
	})
}
