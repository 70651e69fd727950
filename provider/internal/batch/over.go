package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrEnough is what the work on a record returns to end a round, without a failure: the next
// begins with this record.
var ErrEnough = errors.New("enough for this round")

// maxRest limits how long a round gives way after a page: its records may have waited for
// other machines for longer.
const maxRest = time.Second

// Cursor is where the next round over the records of a kind goes on: for as long as the
// process lives. The zero value begins with the first record. It is safe for concurrent use.
type Cursor[K comparable] struct {
	mu    sync.Mutex
	after K
}

// Over is one round over the records of a kind, in the order of their keys: it lists those
// after the cursor, up to limit at a time, and hands each to do. It returns the number of those
// for which do succeeds. A record that fails delays no other, and has its turn again in the
// round that begins with the first record: these failures are a [*Failed]. The round ends after
// the last record, with ErrEnough from do, with a list that fails, or with ctx, whose error it
// returns if no record has failed. One that ends early is continued after the record
// that was its last, so that a slow one does not keep others from their turn. Without a
// cursor every round begins with the first record. While a round is under way, another with its
// cursor does nothing.
func Over[T any, K comparable](
	ctx context.Context, cursor *Cursor[K], limit int,
	list func(ctx context.Context, after K, limit int) ([]T, error), key func(T) K,
	do func(ctx context.Context, one T) error,
) (done int, err error) {
	if cursor == nil {
		cursor = new(Cursor[K])
	}
	if !cursor.mu.TryLock() {
		return 0, nil
	}
	defer cursor.mu.Unlock()
	failed := new(Failed)
	for {
		begin := time.Now()
		page, err := list(ctx, cursor.after, limit)
		if err != nil {
			return done, failed.And(err)
		}
		for _, one := range page {
			if ctx.Err() != nil {
				return done, failed.Or(ctx.Err())
			}
			before := cursor.after
			cursor.after = key(one)
			switch err := do(ctx, one); {
			case errors.Is(err, ErrEnough):
				cursor.after = before
				return done, failed.Or(nil)
			case err == nil:
				done++
			case ctx.Err() == nil:
				failed.Add(err)
			}
		}
		if len(page) < limit {
			var first K
			cursor.after = first
			return done, failed.Or(ctx.Err())
		}
		if err := Rest(ctx, min(time.Since(begin), maxRest)); err != nil {
			return done, failed.Or(err)
		}
	}
}

// mostTold limits the failures that an error names.
const mostTold = 10

// Failed are the failures of some of many records: the first few, and the number of all. The
// zero value is none.
type Failed struct {
	N     int
	First []error
}

// Add adds a failure, unless it is nil.
func (f *Failed) Add(err error) {
	if err == nil {
		return
	}
	if f.N++; len(f.First) < mostTold {
		f.First = append(f.First, err)
	}
}

// Or returns the failures as an error, and if there are none the other error.
func (f *Failed) Or(other error) error {
	if f.N == 0 {
		return other
	}
	return f
}

// And returns the failures as an error together with the other error, if any.
func (f *Failed) And(other error) error {
	if f.N == 0 || other == nil {
		return f.Or(other)
	}
	return errors.Join(f, other)
}

// Error implements error.
func (f *Failed) Error() string {
	text := errors.Join(f.First...).Error()
	if more := f.N - len(f.First); more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return text
}

// Unwrap returns the first failures.
func (f *Failed) Unwrap() []error { return f.First }

// IsFailure reports whether an error is to be told of: one of a record, or any while ctx has
// not ended.
func IsFailure(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() == nil || errors.As(err, new(*Failed)))
}
