package request

import (
	"context"
	"sync"
	"time"
)

// deadline is context.WithDeadline for work that hardly ever waits: there is a timer only
// once something waits for the end.
type deadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	err    error              // what Err has told, while timed is nil
	timed  context.Context    // nil until somebody waits
	cancel context.CancelFunc // of timed
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) {
	if sooner, ok := d.parent.Deadline(); ok && sooner.Before(d.at) {
		return sooner, true
	}
	return d.at, true
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil {
		d.timed, d.cancel = context.WithDeadline(d.parent, d.at)
		if d.err != nil {
			d.cancel() // the deadline, or the parent, has ended it already, or it ends now
		}
	}
	return d.timed.Done()
}

// Err implements context.Context.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed != nil {
		return d.timed.Err()
	}
	if d.err == nil {
		d.err = d.parent.Err()
	}
	if d.err == nil && !time.Now().Before(d.at) {
		d.err = context.DeadlineExceeded
	}
	return d.err
}

// Value implements context.Context. A context that is made of this one asks for what can
// cancel it, after it has asked for Done: that is timed, and no goroutine watches.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	of := d.timed
	d.mu.Unlock()
	if of == nil {
		of = d.parent
	}
	return of.Value(key)
}

// End cancels what waits, as a context.CancelFunc does.
func (d *deadline) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	} else if d.err == nil {
		d.err = context.Canceled
	}
}
