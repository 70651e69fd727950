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

// visit is what is known of a request wherever its context goes. It is worked out
// when it is asked for: most requests are never logged.
type visit struct {
	provider *Provider
	request  *http.Request
	id       func() string
}

type visitKey struct{}

// begin gives a request its identifier and its time limit, and notes where it came
// from.
func (p *Provider) begin(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	ctx := context.WithValue(r.Context(), visitKey{}, visit{p, r, sync.OnceValue(newRequestID)})
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	if r.Body != nil && r.Body != http.NoBody {
		// A body that drips would outlast ctx. Where the deadline cannot be set
		// the host's server has to bound it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(requestTimeout))
	}
	return r.WithContext(ctx), cancel
}

func newRequestID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails: the program stops when there is no randomness
	return hex.EncodeToString(id[:])
}

// requestID names a request on error pages and in the log.
func requestID(ctx context.Context) string {
	if v, ok := ctx.Value(visitKey{}).(visit); ok {
		return v.id()
	}
	return ""
}

// callerAddress returns where the request came from, or "" when there is none.
func callerAddress(ctx context.Context) string {
	if v, ok := ctx.Value(visitKey{}).(visit); ok {
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
