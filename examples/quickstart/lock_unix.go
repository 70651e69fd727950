//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockFolder waits until no other process has the folder locked, and locks it until the
// file is closed, or the process is gone. It writes nothing, and so can lock a folder
// that is read-only.
func lockFolder(ctx context.Context, folder string) (*os.File, error) {
	f, err := os.Open(folder) //nolint:gosec // the operator names the folder
	if err != nil {
		return nil, err
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
			return f, nil // some network file systems have no locks
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(&os.PathError{Op: "lock", Path: folder, Err: err}, f.Close())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}
