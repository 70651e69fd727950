package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SecretInfo describes a secret without revealing it.
type SecretInfo struct {
	// ID identifies the secret within its application.
	ID string

	// Hint is the end of the secret.
	Hint string

	CreatedAt, ExpiresAt, LastUsedAt time.Time
}

// hintLength is the number of visible characters of a secret, which has at least 32.
const hintLength = 4

// ErrLastSecret means that an application would have no permanent secret left.
var ErrLastSecret = errors.New("provider: the client has no other secret that stays valid")

// ListSecrets returns the valid secrets of an application, the newest first; none for a public
// one. ErrNotFound if there is no such application.
func (r *Registry) ListSecrets(ctx context.Context, id string) ([]SecretInfo, error) {
	c, err := r.present(ctx, id)
	if err != nil {
		return nil, err
	}
	uses, err := r.Store.SecretUses(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read uses of secrets: %w", err)
	}
	now := r.Clock()
	var list []SecretInfo
	for _, s := range slices.Backward(c.Secrets) {
		if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) {
			continue
		}
		info := SecretInfo{ID: secretID(s), CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt}
		if plain, err := r.Secrets.Open(SealPurpose, s.Sealed); err == nil { // else it has no hint
			info.Hint = string(plain[max(0, len(plain)-hintLength):])
		}
		for _, u := range uses {
			if storage.UnixMicro(u.CreatedAt) == storage.UnixMicro(s.CreatedAt) {
				info.LastUsedAt = u.UsedAt
			}
		}
		list = append(list, info)
	}
	return list, nil
}

// secretID returns the identifier of a secret: the time of its creation, which no other of its
// application has.
func secretID(s storage.ClientSecret) string {
	return strconv.FormatInt(storage.UnixMicro(s.CreatedAt), 36)
}

// EndSecret ends one secret of an application. It returns nil if there is no such secret.
// ErrNotFound if there is no such application, ErrLastSecret if no other secret is permanent.
func (r *Registry) EndSecret(ctx context.Context, id, secret string) error {
	return r.change(ctx, id, func(c storage.Client, known bool) (storage.Client, error) {
		if !known || c.Deleted {
			return c, ErrNotFound
		}
		rest := slices.DeleteFunc(slices.Clone(c.Secrets), func(s storage.ClientSecret) bool { return secretID(s) == secret })
		if len(rest) == len(c.Secrets) {
			return c, nil
		}
		if !slices.ContainsFunc(rest, func(s storage.ClientSecret) bool { return s.ExpiresAt.IsZero() }) {
			return c, ErrLastSecret
		}
		c.Secrets, c.UpdatedAt = rest, r.Clock()
		return c, nil
	})
}
