//go:build !linux

package pgtest

import "testing"

// Silence needs Linux, which drops packets for one socket.
func (*Proxy) Silence(t *testing.T) {
	t.Helper()
	t.Skip("no silence but on Linux")
}
