// Package host calls the functions of the host application. They may panic, hang, end
// their goroutine or return what cannot be right; none of that reaches a request, and a
// function that fails is an error of its own, never a wrong password or an unknown user.
package host

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFailed says that a function of the host did not answer.
var ErrFailed = errors.New("host function failed")

// ErrNoUser says that there is no such user, or that the user is disabled.
var ErrNoUser = errors.New("provider: no such user")

// Timeout bounds a call of a function of the host.
const Timeout = 5 * time.Second

// maxCalls bounds how many calls of the host's functions a provider has under way, those
// included that nobody waits for any more. It is more than a host answers at a time, and
// little memory.
const maxCalls = 1024

// Calls are the places of such calls.
type Calls chan struct{}

// NewCalls returns the places of one provider: none takes those of another.
func NewCalls() Calls { return make(Calls, maxCalls) }

// outside is for calls outside of requests.
var outside = NewCalls()

// callsOf returns the places of the provider that serves the request of ctx.
func callsOf(ctx context.Context) Calls {
	if m := memoOf(ctx); m != nil {
		return m.calls
	}
	return outside
}

// Call calls a function of the host without suffering from it. A function that ignores
// its context is left behind, and keeps its place until it returns: when none is free,
// nothing more is called. What it returns later is dropped.
func Call[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return CallIn(ctx, callsOf(ctx), call)
}

// CallIn is Call in one of these places.
func CallIn[T any](ctx context.Context, calls Calls, call func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	select {
	case calls <- struct{}{}:
	case <-ctx.Done():
		var zero T
		return zero, fmt.Errorf("%w: %d calls have not returned: %w", ErrFailed, maxCalls, ctx.Err())
	}
	results := make(chan result, 1)
	go func() {
		r := result{err: fmt.Errorf("%w: it ended its goroutine", ErrFailed)}
		defer func() {
			if cause := recover(); cause != nil {
				r.err = fmt.Errorf("%w: panic: %v", ErrFailed, cause)
			}
			<-calls
			results <- r
		}()
		value, err := call(ctx)
		r = result{value, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, fmt.Errorf("%w: %w", ErrFailed, ctx.Err())
	}
}
