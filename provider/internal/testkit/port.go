package testkit

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
)

// Who listens at port 0, closes that and passes the number on is now and then too late: the
// kernel has meanwhile given the port to a connection or to another test. The ports here lie
// below those that Linux, macOS and Windows give to connections. A process hands out each
// once, and begins at a place of its own, so that tests that run at once do not meet.
// port.mjs does the same in Node.

// The ports, and how many of them a process has before it comes to those of another.
const (
	first, end = 20_000, 32_768
	block      = 64
)

var handedOut atomic.Int64

// Port returns a port at which nobody listens on this machine, for a program of a test. No
// other call in this process has returned it.
func Port(t testing.TB) int {
	t.Helper()
	for range end - first {
		port := first + (os.Getpid()*block+int(handedOut.Add(1)))%(end-first)
		if isFree(t, port) {
			return port
		}
	}
	t.Fatal("every port is in use")
	return 0
}

// Address returns one at 127.0.0.1 with a port as of Port.
func Address(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(Port(t)))
}

// isFree reports whether neither of the addresses of localhost is in use.
func isFree(t testing.TB, port int) bool {
	t.Helper()
	for _, host := range []string{"127.0.0.1", "::1"} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			_ = listener.Close()
		case errors.Is(err, syscall.EADDRINUSE):
			return false
		case host == "127.0.0.1": // a machine may be without IPv6
			t.Fatal(err)
		}
	}
	return true
}
