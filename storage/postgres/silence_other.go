//go:build !linux

package postgres

import (
	"syscall"
	"time"
)

// limitSilence does nothing: only Linux has such a bound for one connection. That nothing comes
// while nothing was sent is noticed here, too.
func limitSilence(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
