package upkeep_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestWhatStandsBesideAProviderRunsAsLongAsItDoes(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	begun, ended := make(chan string, 4), make(chan string, 4)
	beside := func(name string) func(context.Context) {
		return func(ctx context.Context) {
			begun <- name
			<-ctx.Done()
			ended <- name
		}
	}
	w.Rooms().RunWith(beside("before"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	if name := <-begun; name != "before" {
		t.Errorf("began %s", name)
	}
	w.Rooms().RunWith(beside("while"))
	if name := <-begun; name != "while" {
		t.Errorf("began %s", name)
	}
	cancel()
	if err := <-done; err != nil || len(ended) != 2 {
		t.Errorf("Run returned %v after %d of 2 had ended", err, len(ended))
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { done <- w.Run(ctx) }() // and again
	<-begun
	<-begun
	cancel()
	if err := <-done; err != nil || len(ended) != 4 {
		t.Errorf("Run returned %v after %d of 4 had ended", err, len(ended))
	}
}
