package vault

import (
	"encoding/json"
	"hash"
	"io"

	"github.com/bonafide-id/bonafide/storage"
)

// FindDigest identifies a value of a handle by which people are found. Equal values of two
// handles have different digests, and no e-mail address has the digest of any.
func (v *Vault) FindDigest(handle, text string) (d storage.Digest) {
	h := v.hashes.Get().(hash.Hash)
	defer v.hashes.Put(h)
	h.Reset()
	_, _ = io.WriteString(h, "find\x00"+handle+"\x00"+text)
	h.Sum(d[:0])
	return d
}

// find returns the digest of a value, zero if nobody is found by it.
func (s sealedStore) find(handle string, value json.RawMessage) storage.Digest {
	if s.findText == nil || value == nil {
		return storage.Digest{}
	}
	text := s.findText(handle, value)
	if text == "" {
		return storage.Digest{}
	}
	return s.vault.FindDigest(handle, text)
}

// finds returns the digests of those values by which people are found.
func (s sealedStore) finds(values map[string]json.RawMessage) (all map[string]storage.Digest) {
	for handle, value := range values {
		if d := s.find(handle, value); d != (storage.Digest{}) {
			if all == nil {
				all = make(map[string]storage.Digest)
			}
			all[handle] = d
		}
	}
	return all
}
