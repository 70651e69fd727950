package testkit

import (
	"errors"
	"runtime"
	"testing"
)

// failing is a test that has ended when Fatal was called.
type failing struct {
	testing.TB
	told any
}

func (f *failing) Helper() {}

func (f *failing) Fatal(args ...any) {
	f.told = args[0]
	runtime.Goexit()
}

func TestAStepThatFailedEndsTheTest(t *testing.T) {
	t.Parallel()
	want := errors.New("a step failed")
	for name, step := range map[string]func(t testing.TB){
		"OK":   func(t testing.TB) { OK(t, want) },
		"Must": func(t testing.TB) { Must(1, want)(t) },
	} {
		f, goesOn := &failing{TB: t}, false
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			step(f)
			goesOn = true
		}()
		<-ended
		if f.told != want || goesOn {
			t.Errorf("%s told %v, and goes on: %v", name, f.told, goesOn)
		}
	}
	OK(t, nil)
	if got := Must(1, nil)(t); got != 1 {
		t.Errorf("got %d", got)
	}
}
