package testkit

import (
	"net"
	"os"
	"strconv"
	"testing"
)

func TestEachPortIsHandedOutOnce(t *testing.T) {
	seen := map[int]bool{}
	for range 2 * block {
		port := Port(t)
		if seen[port] || port < first || port >= end {
			t.Fatalf("port %d, after %v", port, seen)
		}
		seen[port] = true
	}
}

func TestAPortInUseIsLeftOut(t *testing.T) {
	taken := first + (os.Getpid()*block+int(handedOut.Load())+1)%(end-first)
	for _, host := range []string{"127.0.0.1", "::1"} {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(taken)))
		if err != nil {
			continue // somebody else has it, or there is no IPv6
		}
		t.Cleanup(func() { _ = listener.Close() })
	}
	if got := Port(t); got == taken {
		t.Errorf("port %d is handed out while somebody listens there", got)
	}
}
