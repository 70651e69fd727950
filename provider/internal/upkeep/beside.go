package upkeep

import (
	"context"
	"sync"
)

// beside is the work of others that runs as long as that of a provider.
type beside struct {
	mu   sync.Mutex
	all  []func(ctx context.Context)
	ctx  context.Context // of Run, while it runs
	runs sync.WaitGroup
}

// RunWith has Run call f, too: at once while it runs. The context of f ends when Run is to
// end, and Run waits for f.
func (b *beside) RunWith(f func(ctx context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, f)
	if b.ctx != nil {
		b.begin(f)
	}
}

// run starts the functions and returns a function that waits for their end. Only the first
// of several Runs starts them.
func (b *beside) run(ctx context.Context) (wait func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		return func() {}
	}
	b.ctx = ctx
	for _, f := range b.all {
		b.begin(f)
	}
	return func() {
		b.mu.Lock()
		b.ctx = nil
		b.mu.Unlock()
		b.runs.Wait()
	}
}

func (b *beside) begin(f func(ctx context.Context)) {
	ctx := b.ctx
	b.runs.Go(func() { f(ctx) })
}
