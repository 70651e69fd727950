package keyring

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"sync"
)

// minMACSize is the shortest truncated code that verifies (RFC 2104 section 5).
const minMACSize = sha256.Size / 2

// MAC returns an HMAC-SHA256 (RFC 2104) over the parts under the current secret.
// Each part is encoded with its length, so that no two lists of parts have the same
// encoding. Each purpose has its own key, which is cached: a purpose must come from a set
// that is fixed at program start, never from a request.
func (s *Secrets) MAC(purpose string, parts ...[]byte) [sha256.Size]byte {
	return s.macKeys(purpose)[0].sum(parts)
}

// VerifyMAC reports whether mac is the code of the parts for this purpose under the current
// secret or a former one, in constant time. The code may be truncated to 16 bytes or more;
// the caller must fix its length, not whoever presents it.
func (s *Secrets) VerifyMAC(purpose string, mac []byte, parts ...[]byte) bool {
	if len(mac) < minMACSize || len(mac) > sha256.Size {
		return false
	}
	for _, key := range s.macKeys(purpose) {
		sum := key.sum(parts)
		if hmac.Equal(mac, sum[:len(mac)]) {
			return true
		}
	}
	return false
}

// macKeys returns the keys for a purpose, the current one first.
func (s *Secrets) macKeys(purpose string) []*macKey {
	if keys, ok := (*s.macs.Load())[purpose]; ok {
		return keys
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	known := *s.macs.Load()
	if keys, ok := known[purpose]; ok {
		return keys
	}
	keys := make([]*macKey, len(s.masters))
	for i, m := range s.masters {
		keys[i] = newMACKey(m, purpose)
	}
	extended := maps.Clone(known)
	extended[purpose] = keys
	s.macs.Store(&extended)
	return keys
}

// macKey computes codes under one key. It reuses hashes in the state after the key: a token
// check needs two blocks less, and no memory.
type macKey struct{ states sync.Pool }

type macState struct {
	hash  hash.Hash
	input []byte
	sum   [sha256.Size]byte
}

func newMACKey(m *master, purpose string) *macKey {
	key, err := m.derive("mac "+purpose, sha256.Size)
	if err != nil {
		// HKDF fails for more than 8160 bytes only.
		panic("keyring: " + err.Error())
	}
	return &macKey{states: sync.Pool{New: func() any {
		return &macState{hash: hmac.New(sha256.New, key)}
	}}}
}

func (k *macKey) sum(parts [][]byte) [sha256.Size]byte {
	state := k.states.Get().(*macState)
	defer k.states.Put(state)
	state.hash.Reset()

	// An argument of an interface method moves to the heap. Copies of the parts keep the
	// caller's arrays on its stack.
	state.input = state.input[:0]
	for _, part := range parts {
		state.input = binary.BigEndian.AppendUint64(state.input, uint64(len(part)))
		state.input = append(state.input, part...)
	}
	_, _ = state.hash.Write(state.input)
	state.hash.Sum(state.sum[:0])
	return state.sum
}
