package pgtest

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Silence makes the proxy as quiet as a machine that has lost its power: it answers nothing,
// acknowledges nothing, and takes no connection until the test has ended.
func (p *Proxy) Silence(t *testing.T) {
	t.Helper()
	p.Delay(time.Hour)
	p.mu.Lock()
	defer p.mu.Unlock()
	deafen(t, p.listener.(*net.TCPListener))
	for conn := range p.conns {
		if conn, ok := conn.(*net.TCPConn); ok && conn.LocalAddr().String() == p.address {
			deafen(t, conn)
		}
	}
}

// deafen has the system drop every packet for a socket, before it looks at it.
func deafen(t *testing.T, of syscall.Conn) {
	t.Helper()
	socket, err := of.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	drop := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K}} // keep 0 bytes of it
	var attached error
	err = socket.Control(func(fd uintptr) {
		attached = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &drop[0]})
	})
	switch {
	case errors.Is(attached, unix.EPERM):
		missing(t, "no silence: this Linux lets only its administrator drop packets of TCP")
	case err != nil || attached != nil:
		t.Fatal(err, attached)
	}
}
