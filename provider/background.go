package provider

import (
	"context"
	"sync"
)

// background is the work that runs beside a provider, as long as it does.
type background struct {
	mu   sync.Mutex
	all  []func(ctx context.Context)
	ctx  context.Context // of Run, while it runs
	runs sync.WaitGroup
}

// RunWith has Run call f, too, so that a companion needs no Run of its own. The context of
// f ends when Run is to end; Run waits for f, and Close for Run. While Run runs, f starts
// at once.
func (p *Provider) RunWith(f func(ctx context.Context)) {
	b := &p.background
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, f)
	if b.ctx != nil {
		b.begin(f)
	}
}

// run starts the functions and returns a function that waits for their end. Only the first
// of several Runs starts them.
func (b *background) run(ctx context.Context) (wait func()) {
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

func (b *background) begin(f func(ctx context.Context)) {
	ctx := b.ctx
	b.runs.Go(func() { f(ctx) })
}
