package host

import (
	"context"
	"slices"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/request"
)

// Request is the subject of a call of the host.
type Request struct {
	// ClientID is the requesting application.
	ClientID string

	// Scopes are the scope values that it requests, or those of its token.
	Scopes []string

	// Claims are the single attributes that it requests in addition.
	Claims []string
}

// Memo has the questions to the host in one request, and its answers. Each is asked once, so
// that a page and its consequences have the same answer.
type Memo struct {
	calls Calls

	mu      sync.Mutex // an abandoned function may still read the request
	request *Request
	answers map[any]any
}

type memoKey struct{}

func memoOf(ctx context.Context) *Memo {
	m, _ := request.Attached(ctx, memoKey{}).(*Memo)
	return m
}

// WithRequest returns the context of a request with these places and a new memo.
func WithRequest(ctx context.Context, calls Calls, m *Memo) context.Context {
	m.calls = calls
	return request.Attach(ctx, memoKey{}, m)
}

// AskFor sets the application of this request, and the data that it requests.
func AskFor(ctx context.Context, what Request) {
	if m := memoOf(ctx); m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.request = &what
	}
}

// RequestOf returns the application of the request of ctx, and the data that it requests. It
// reports false if there is none, and outside of requests.
func RequestOf(ctx context.Context) (Request, bool) {
	m := memoOf(ctx)
	if m == nil {
		return Request{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.request == nil {
		return Request{}, false
	}
	return Request{m.request.ClientID, slices.Clone(m.request.Scopes), slices.Clone(m.request.Claims)}, true
}

// remembered is the answer of the host to a question.
type remembered[T any] struct {
	value T
	err   error
}

// Once asks unless this request has a sufficient answer to the question. The key identifies the
// question, by a type of its own.
func Once[T any](ctx context.Context, key any, fits func(T) bool, ask func() (T, error)) (T, error) {
	m := memoOf(ctx)
	if m == nil {
		return ask()
	}
	if r, ok := m.answers[key].(remembered[T]); ok && fits(r.value) {
		return r.value, r.err
	}
	value, err := ask()
	if m.answers == nil {
		m.answers = map[any]any{}
	}
	m.answers[key] = remembered[T]{value, err}
	return value, err
}
