package share_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/share"
)

func TestPool(t *testing.T) {
	p := share.NewPool(10)
	hold := func(key string) *share.Hold {
		return p.Hold(share.Part{Key: key, Max: 6}, share.Part{Key: "both", Max: 9})
	}
	red, blue, other := hold("red"), hold("blue"), p.Hold()
	for _, step := range []struct {
		what string
		got  bool
		want bool
	}{
		{"red takes its part", red.Take(4) && red.Take(2), true},
		{"red has no more", red.Take(1), false},
		{"blue has no more than both", blue.Take(4), false},
		{"blue takes what both have left", blue.Take(3), true},
		{"there is one", other.Take(2), false},
		{"which anybody takes", other.Take(1), true},
		{"blue has none", blue.Take(1), false},
	} {
		if step.got != step.want {
			t.Errorf("%s: %t", step.what, step.got)
		}
	}
	red.Release()
	if blue.Take(4) || !blue.Take(3) || red.Take(7) {
		t.Error("what is released is not what was taken")
	}
	for _, h := range []*share.Hold{red, blue, other} {
		h.Release()
		h.Release()
	}
	if !p.Hold().Take(10) || p.Hold().Take(1) {
		t.Error("not all is there again")
	}
}
