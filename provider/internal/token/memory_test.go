//go:build !race

package token_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/token"
)

// The race detector makes sync.Pool forget at random; memory is counted without it.
func TestParseNeedsNoMemory(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	value, _ := c.New(token.Access)
	allocations := testing.AllocsPerRun(1000, func() {
		if _, ok := c.Parse(token.Access, value); !ok {
			t.Error("does not parse")
		}
	})
	if allocations > 0 {
		t.Errorf("Parse makes %v allocations", allocations)
	}
}
