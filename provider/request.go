package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// requestTimeout bounds the work on one request: a store or host that hangs is
// answered with 503 instead of piling requests up.
const requestTimeout = 10 * time.Second

// visit is the context of a request within the provider: it knows the request's
// identifier and where it came from, and ends after requestTimeout. All of that is
// worked out when it is asked for: most requests are never logged, and many answered
// from memory.
type visit struct {
	provider *Provider
	request  *http.Request
	deadline time.Time

	naming sync.Once
	name   string

	timing sync.Once
	timed  context.Context
	cancel context.CancelFunc
}

type visitKey struct{}

// begin begins the visit of a request. Call done when it is over.
func (p *Provider) begin(w http.ResponseWriter, r *http.Request) (begun *http.Request, done func()) {
	v := &visit{provider: p, request: r, deadline: time.Now().Add(requestTimeout)}
	if r.Body != nil && r.Body != http.NoBody {
		// A body that drips would outlast the visit. Where the deadline cannot be
		// set the host's server has to bound it.
		_ = http.NewResponseController(w).SetReadDeadline(v.deadline)
	}
	return r.WithContext(v), v.end
}

// context returns the context that the visit stands for.
func (v *visit) context() context.Context {
	v.timing.Do(func() { v.timed, v.cancel = context.WithDeadline(v.request.Context(), v.deadline) })
	return v.timed
}

func (v *visit) end() {
	v.timing.Do(func() { v.timed = v.request.Context() })
	if v.cancel != nil {
		v.cancel()
	}
}

// Deadline implements context.Context.
func (v *visit) Deadline() (time.Time, bool) { return v.context().Deadline() }

// Done implements context.Context.
func (v *visit) Done() <-chan struct{} { return v.context().Done() }

// Err implements context.Context.
func (v *visit) Err() error { return v.context().Err() }

// Value implements context.Context.
func (v *visit) Value(key any) any {
	if key == (visitKey{}) {
		return v
	}
	return v.context().Value(key)
}

func (v *visit) id() string {
	v.naming.Do(func() { v.name = newRequestID() })
	return v.name
}

func newRequestID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails: the program stops when there is no randomness
	return hex.EncodeToString(id[:])
}

// requestID names a request on error pages and in the log.
func requestID(ctx context.Context) string {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v.id()
	}
	return ""
}

// callerAddress returns where the request came from, or "" when there is none.
func callerAddress(ctx context.Context) string {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		if addr := v.provider.clientAddr(v.request); addr.IsValid() {
			return addr.String()
		}
	}
	return ""
}

// recovered answers a request whose handler panicked. The stack goes to the log,
// never to the visitor.
func (p *Provider) recovered(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	p.cfg.Logger.ErrorContext(r.Context(), "request panicked",
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	p.fail(w, r, errors.New("panic"))
}

// errHost says that a function of the host did not answer.
var errHost = errors.New("host function failed")

// hostTimeout bounds a call of a function of the host.
const hostTimeout = 5 * time.Second

// callHost calls a function of the host, which may panic or hang, without
// suffering from it. A function that ignores its context is left behind; what it
// returns later is dropped.
func callHost[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if cause := recover(); cause != nil {
				a.err = fmt.Errorf("%w: panic: %v", errHost, cause)
			}
			answers <- a
		}()
		a.value, a.err = call(ctx)
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var zero T
		return zero, fmt.Errorf("%w: %w", errHost, ctx.Err())
	}
}
