package provider

import (
	"context"
	"sync"
)

// background is what stands beside a provider and runs as long as it does.
type background struct {
	mu   sync.Mutex
	all  []func(ctx context.Context)
	ctx  context.Context // that of Run, while it runs
	runs sync.WaitGroup
}

// RunWith has Run call f, too, so that what stands beside the provider needs no Run of its
// own: with a context that ends when Run is to end, which then waits for f, and Close for
// Run. While Run runs, f begins at once.
func (p *Provider) RunWith(f func(ctx context.Context)) {
	b := &p.background
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, f)
	if b.ctx != nil {
		b.begin(f)
	}
}

// run begins what there is, and returns what waits for its end. Of several Runs of one
// provider the first has it.
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
