// Package host calls the functions of the host application. They may panic, hang, end their
// goroutine or return impossible values; none of that harms a request. The failure of a
// function is an error of its own, never a wrong password or an unknown user.
package host

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFailed means that a function of the host has failed.
var ErrFailed = errors.New("host function failed")

// ErrNoUser means that there is no such user, or that the user is disabled.
var ErrNoUser = errors.New("provider: no such user")

// ErrRecipientRefused means that no mail can be delivered to an address, now or later.
var ErrRecipientRefused = errors.New("provider: the recipient of the mail is refused")

// Timeout is the maximum duration of a call of the host's functions.
const Timeout = 5 * time.Second

// maxCalls is the maximum number of running calls of a provider's host functions, including
// abandoned ones. It is more than a host answers at a time, and little memory.
const maxCalls = 1024

// Calls are the places for running calls.
type Calls chan struct{}

// NewCalls returns the places of one provider, which no other provider takes.
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

// Call calls a function of the host and survives it. A function that ignores its context is
// abandoned, and keeps its place until it returns; its result is dropped. Without a free
// place, no function is called.
func Call[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return CallIn(ctx, callsOf(ctx), call)
}

// CallIn is Call with these places.
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
		return zero, fmt.Errorf("%w: %d calls have not returned: %w", ErrFailed, cap(calls), ctx.Err())
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
