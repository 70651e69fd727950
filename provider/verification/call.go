package verification

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// callTime is how long a function of a verifier may take, and maxCalls how many of one verifier
// may run at once: one that never returns keeps its place, and others have places of their own.
const (
	callTime = 10 * time.Second
	maxCalls = 32
)

// What is called beside the verifiers, each with places of its own.
const (
	callMailer = "mailer"
	callRecord = "record"
)

// places returns the places of what is called: a *Verifier, callMailer or callRecord.
func (s *core) places(of any) chan struct{} {
	places, _ := s.calls.LoadOrStore(of, make(chan struct{}, maxCalls))
	return places.(chan struct{})
}

// errVerifier means that a function of a verifier has failed: nothing has happened, and the
// event can be tried again.
var errVerifier = errors.New("verification: the verifier failed")

// call calls a function of a verifier or of the host at one of its places. A panic and a call
// without end are errors: a case that breaks a verifier breaks nothing else.
func call[T any](ctx context.Context, places chan struct{}, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var zero T
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return zero, fmt.Errorf("%w: %d calls have not returned", errVerifier, maxCalls)
	}
	results := make(chan result, 1)
	go func() {
		r := result{err: errors.New("it ended its goroutine")}
		defer func() {
			if cause := recover(); cause != nil {
				r.err = fmt.Errorf("panic: %v", cause)
			}
			<-places
			results <- r
		}()
		r.value, r.err = f(ctx)
	}()
	select {
	case r := <-results:
		if r.err != nil {
			return zero, fmt.Errorf("%w: %w", errVerifier, r.err)
		}
		return r.value, nil
	case <-ctx.Done():
		return zero, fmt.Errorf("%w: it has not returned: %w", errVerifier, ctx.Err())
	}
}
