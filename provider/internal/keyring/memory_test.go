//go:build !race

package keyring

import "testing"

// The race detector makes sync.Pool forget at random; memory is counted without it.
func TestVerifyMACNeedsNoMemory(t *testing.T) {
	s := newSecrets(t, randomSecret(), randomSecret())
	sum := s.MAC("p", make([]byte, 32))
	allocations := testing.AllocsPerRun(1000, func() {
		var part [32]byte
		if !s.VerifyMAC("p", sum[:], part[:]) {
			t.Error("does not verify")
		}
	})
	if allocations > 0 {
		t.Errorf("VerifyMAC makes %v allocations", allocations)
	}
}
