//go:build !race

package opaque_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/opaque"
)

// The race detector makes sync.Pool forget at random; memory is counted without it.
func TestParseNeedsNoMemory(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	token, _ := c.New(opaque.Access)
	allocations := testing.AllocsPerRun(1000, func() {
		if _, ok := c.Parse(opaque.Access, token); !ok {
			t.Error("does not parse")
		}
	})
	if allocations > 0 {
		t.Errorf("Parse makes %v allocations", allocations)
	}
}
