package picture

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// drawing limits drawing to one picture at a time: a small file may take 100 MB for a moment,
// and many may arrive at once. Each line is served in order.
var drawing = lines{of: map[string]*line{}}

type lines struct {
	mu sync.Mutex
	of map[string]*line // by key, while somebody is in it
}

type line struct {
	turn chan struct{}
	in   int
}

type sendersKey struct{}

// Of returns a context for the pictures of senders, the smallest first, such as a user and a
// network. Those of one wait for one another, and only the first of each waits with the others:
// whoever sends many keeps nobody else from a turn.
func Of(ctx context.Context, senders ...string) context.Context {
	return context.WithValue(ctx, sendersKey{}, senders)
}

// alone calls do when no other picture is being drawn, unless ctx ends before.
func alone(ctx context.Context, do func() error) error {
	senders, _ := ctx.Value(sendersKey{}).([]string)
	var entered []func()
	defer func() {
		for _, leave := range slices.Backward(entered) {
			leave()
		}
	}()
	for _, key := range append(slices.Clone(senders), "") {
		leave, err := drawing.enter(ctx, key)
		if err != nil {
			return err
		}
		entered = append(entered, leave)
	}
	return do()
}

// enter waits for a turn in a line, until leave is called.
func (l *lines) enter(ctx context.Context, key string) (leave func(), err error) {
	l.mu.Lock()
	at := l.of[key]
	if at == nil {
		at = &line{turn: make(chan struct{}, 1)}
		l.of[key] = at
	}
	at.in++
	l.mu.Unlock()
	select {
	case at.turn <- struct{}{}:
		return func() {
			<-at.turn
			l.out(key, at)
		}, nil
	case <-ctx.Done():
		l.out(key, at)
		return nil, fmt.Errorf("wait for other pictures: %w", ctx.Err())
	}
}

func (l *lines) out(key string, at *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.in--; at.in == 0 {
		delete(l.of, key)
	}
}
