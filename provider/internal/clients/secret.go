package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// SealPurpose is the purpose under which client secrets are encrypted.
const SealPurpose = "client secret"

// Secret returns the newest secret of an application, after it has recorded that it is shown.
// ErrNotFound if there is none.
func (r *Registry) Secret(ctx context.Context, id string) (string, error) {
	c, err := r.confidential(ctx, id)
	if err != nil {
		return "", err
	}
	plain, err := r.Secrets.Open(SealPurpose, c.Secrets[len(c.Secrets)-1].Sealed)
	if err != nil {
		return "", fmt.Errorf("open client secret: %w", err)
	}
	if err := r.Audit.Write(ctx, storage.Event{Name: event.SecretShown, ClientID: id}); err != nil {
		return "", fmt.Errorf("record that a client secret is shown: %w", err)
	}
	return string(plain), nil
}

// maxSecrets is the maximum number of valid secrets of an application: each is decrypted when it
// authenticates.
const maxSecrets = 10

// ErrTooManySecrets means that an application has the maximum number of valid secrets.
var ErrTooManySecrets = errors.New("provider: the client has ten secrets that are valid")

// RotateSecret gives an application a new secret and returns it. Former secrets stay valid for
// overlap. ErrNotFound if there is none, ErrTooManySecrets if ten would stay valid,
// storage.ErrChanged if the registration has another revision; zero stands for any.
func (r *Registry) RotateSecret(ctx context.Context, id string, overlap time.Duration, revision int64) (string, error) {
	now, secret := r.Clock(), newSecret()
	err := r.change(ctx, id, func(c storage.Client, _ bool) (storage.Client, error) {
		if len(c.Secrets) == 0 {
			return c, ErrNotFound
		}
		if revision != 0 && c.Version != revision {
			return c, storage.ErrChanged
		}
		var secrets []storage.ClientSecret
		for _, s := range c.Secrets {
			if end := now.Add(overlap); s.ExpiresAt.IsZero() || s.ExpiresAt.After(end) {
				s.ExpiresAt = end
			}
			if s.ExpiresAt.After(now) {
				secrets = append(secrets, s)
			}
		}
		if len(secrets) >= maxSecrets {
			return c, ErrTooManySecrets
		}
		made := r.seal(secret)
		if last := c.Secrets[len(c.Secrets)-1].CreatedAt; storage.UnixMicro(made.CreatedAt) <= storage.UnixMicro(last) {
			made.CreatedAt = last.Add(time.Microsecond) // which identifies it
		}
		secrets = append(secrets, made)
		c.Secrets, c.UpdatedAt = secrets, now
		return c, nil
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// confidential returns a client with a secret.
func (r *Registry) confidential(ctx context.Context, id string) (storage.Client, error) {
	c, err := r.Store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && len(c.Secrets) == 0 {
		return storage.Client{}, ErrNotFound
	}
	if err != nil {
		return storage.Client{}, fmt.Errorf("read client: %w", err)
	}
	return c, nil
}

// secretsOf returns the encrypted secrets of a registration: the valid ones, if the given secret
// is among them.
func (r *Registry) secretsOf(c storage.Client, secret string, old storage.Client) []storage.ClientSecret {
	if c.Public || c.AuthMethod == protocol.AuthPrivateKey {
		return nil
	}
	if secret == "" && len(old.Secrets) > 0 {
		kept, _ := r.resealed(old.Secrets)
		return kept
	}
	if secret == "" {
		secret = newSecret()
	}
	for _, s := range old.Secrets {
		plain, err := r.Secrets.Open(SealPurpose, s.Sealed)
		if err == nil && s.ExpiresAt.IsZero() && bytes.Equal(plain, []byte(secret)) {
			kept, _ := r.resealed(old.Secrets)
			return kept
		}
	}
	return []storage.ClientSecret{r.seal(secret)}
}

// resealed returns the same secrets, all encrypted under the current secret of the provider, and
// the number of those that were not. A secret that does not decrypt stays.
func (r *Registry) resealed(secrets []storage.ClientSecret) (anew []storage.ClientSecret, changed int) {
	anew = slices.Clone(secrets)
	for i, s := range secrets {
		sealed, isNew, err := r.Secrets.Reseal(SealPurpose, s.Sealed)
		if err == nil && isNew {
			anew[i].Sealed = sealed
			changed++
		}
	}
	return anew, changed
}

func (r *Registry) seal(secret string) storage.ClientSecret {
	return storage.ClientSecret{Sealed: r.Secrets.Seal(SealPurpose, []byte(secret)), CreatedAt: r.Clock()}
}

// sameSecret reports whether two records have the same secret, however encrypted.
func (r *Registry) sameSecret(a, b storage.ClientSecret) bool {
	if bytes.Equal(a.Sealed, b.Sealed) {
		return true
	}
	one, err1 := r.Secrets.Open(SealPurpose, a.Sealed)
	other, err2 := r.Secrets.Open(SealPurpose, b.Sealed)
	return err1 == nil && err2 == nil && bytes.Equal(one, other)
}

// newSecret returns 256 random bits as text.
func newSecret() string { return random.Text(32) }

// Reseal encrypts under the current secret of the provider the client secrets that a former one
// encrypts, and returns their number.
func (r *Registry) Reseal(ctx context.Context) (resealed int, err error) {
	err = r.Each(ctx, func(ctx context.Context, c storage.Client) error {
		if _, n := r.resealed(c.Secrets); n == 0 {
			return nil
		}
		n := 0
		err := r.change(ctx, c.ID, func(current storage.Client, _ bool) (storage.Client, error) {
			current.Secrets, n = r.resealed(current.Secrets)
			return current, nil
		})
		if err == nil {
			resealed += n
		}
		return err
	})
	return resealed, err
}
