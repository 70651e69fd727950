package host

import (
	"context"
	"slices"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/request"
)

// Request is what a function of the host is asked for.
type Request struct {
	// ClientID names the application that asks.
	ClientID string

	// Scopes are the scope values that it asks for, or that its token has.
	Scopes []string

	// Claims are the attributes that it asks for beside them, one by one.
	Claims []string
}

// Memo is what the host is asked for in one request, and has answered: it is asked once,
// so that a page and what it leads to rest on the same answer.
type Memo struct {
	calls Calls

	mu      sync.Mutex // a function that was left behind may still ask for the request
	request *Request
	answers map[any]any
}

type memoKey struct{}

func memoOf(ctx context.Context) *Memo {
	m, _ := request.Attached(ctx, memoKey{}).(*Memo)
	return m
}

// WithRequest returns the context of a request, in which the host's functions are called
// in these places and asked once each. The memo is a new one.
func WithRequest(ctx context.Context, calls Calls, m *Memo) context.Context {
	m.calls = calls
	return request.Attach(ctx, memoKey{}, m)
}

// AskFor notes which application asks in this request, and for what.
func AskFor(ctx context.Context, what Request) {
	if m := memoOf(ctx); m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.request = &what
	}
}

// RequestOf returns which application asks in the request of ctx, and for what. It
// reports false where none does, and outside of requests.
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

// remembered is what the host has answered to a question.
type remembered[T any] struct {
	value T
	err   error
}

// Once asks, unless this request has had an answer to the question that fits. Questions
// are told apart by their key, which has a type of its own for each.
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
