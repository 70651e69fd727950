package keyring

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/storage"
)

// Reseal encrypts under the current secret the stored keys that a former one encrypts, and
// returns their number. A key that does not decrypt stays. Call it after
// [KeySet.RotateIfDue], which makes a successor for a key under a former secret.
func (s *KeySet) Reseal(ctx context.Context) (resealed int, err error) {
	if s.store == nil {
		return 0, nil
	}
	s.updating.Lock()
	defer s.updating.Unlock()
	stored, err := s.store.Keys(ctx)
	if err != nil {
		return 0, fmt.Errorf("load signing keys: %w", err)
	}
	for _, k := range stored {
		sealed, changed, err := s.secrets.Reseal(sealPurpose(k.Alg), k.Sealed)
		if err != nil || !changed {
			continue
		}
		err = s.store.ResealKey(ctx, k.Generation, k.Sealed, sealed)
		if errors.Is(err, storage.ErrNotFound) {
			continue // another process was faster
		}
		if err != nil {
			return resealed, fmt.Errorf("reseal signing key: %w", err)
		}
		resealed++
	}
	return resealed, nil
}
