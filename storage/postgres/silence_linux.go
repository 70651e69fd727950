package postgres

import (
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limitSilence bounds how long what was sent may stay without an acknowledgment; the system's own
// bound is a quarter of an hour.
func limitSilence(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) (err error) {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		failed := c.Control(func(socket uintptr) {
			err = unix.SetsockoptInt(int(socket), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
		})
		if failed != nil {
			return failed
		}
		return err
	}
}
