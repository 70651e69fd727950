package developer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// maxUnfinished is how much a process keeps to be done later.
const maxUnfinished = 1000

// unfinished is the rest of acts of which a database has failed between two writes.
type unfinished struct {
	mu   sync.Mutex
	left []func(context.Context) error
}

// later does the rest of an act, in the background, until it succeeds or there is nothing left that
// it is about. It is for what is lost with the process: what must not be is marked in a record.
func (d *frame) later(do func(context.Context) error) {
	d.unfinished.add(do)
	d.wake()
}

func (u *unfinished) add(do func(context.Context) error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.left) < maxUnfinished {
		u.left = append(u.left, do)
	}
}

// finish does what is left of acts.
func (d *frame) finish(ctx context.Context) error {
	d.unfinished.mu.Lock()
	left := d.unfinished.left
	d.unfinished.left = nil
	d.unfinished.mu.Unlock()
	var failed error
	for _, do := range left {
		if err := notFound(do(ctx)); err != nil && !errors.Is(err, provider.ErrScreenNotFound) {
			failed = errors.Join(failed, err)
			d.unfinished.add(do)
		}
	}
	return failed
}

// wake has what is under way go on soon.
func (d *frame) wake() {
	select {
	case d.woken <- struct{}{}:
	default: // it has a value
	}
}

// attend waits for the next round of maintenance. What somebody waits for, as the end of a deletion,
// goes on at once, and then at ever longer intervals.
func (d *Dashboard) attend(ctx context.Context, next <-chan time.Time) {
	for pause := maintenance; ; {
		select {
		case <-ctx.Done():
			return
		case <-next:
			return
		case <-d.woken:
			pause = time.Second
		case <-time.After(pause):
			d.halts.goOn(ctx)
			pause = min(2*pause, maintenance)
		}
	}
}
