package provider

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// sealClientSecret is the purpose under which client secrets are sealed.
const sealClientSecret = "client secret"

// ClientSecret returns the newest secret of an application, for the eyes of its
// owner after a fresh sign-in. ErrNoClient when there is none. It is written to the
// audit trail.
func (p *Provider) ClientSecret(ctx context.Context, id string) (string, error) {
	c, err := p.confidentialClient(ctx, id)
	if err != nil {
		return "", err
	}
	plain, err := p.secrets.Open(sealClientSecret, c.Secrets[len(c.Secrets)-1].Sealed)
	if err != nil {
		return "", fmt.Errorf("open client secret: %w", err)
	}
	p.record(ctx, Event{Name: EventSecretShown, ClientID: id})
	return string(plain), nil
}

// RotateClientSecret gives an application a new secret and returns it. The secrets
// that it had stay valid for overlap, so that the application can be changed over
// without an interruption; zero ends them at once. ErrNoClient when there is none.
func (p *Provider) RotateClientSecret(ctx context.Context, id string, overlap time.Duration) (string, error) {
	c, err := p.confidentialClient(ctx, id)
	if err != nil {
		return "", err
	}
	now := p.cfg.Clock()
	var secrets []storage.ClientSecret
	for _, s := range c.Secrets {
		if end := now.Add(overlap); s.ExpiresAt.IsZero() || s.ExpiresAt.After(end) {
			s.ExpiresAt = end
		}
		if s.ExpiresAt.After(now) {
			secrets = append(secrets, s)
		}
	}
	secret := newSecret()
	secrets = append(secrets, p.sealSecret(secret))
	c.Secrets, c.UpdatedAt = secrets, now
	if err := p.cfg.Store.SaveClient(ctx, c); err != nil {
		return "", fmt.Errorf("save client: %w", err)
	}
	p.engine.ForgetClient(id)
	p.record(ctx, Event{Name: EventSecretChanged, ClientID: id})
	return secret, nil
}

// confidentialClient returns a client that has a secret.
func (p *Provider) confidentialClient(ctx context.Context, id string) (storage.Client, error) {
	c, err := p.cfg.Store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && len(c.Secrets) == 0 {
		return storage.Client{}, ErrNoClient
	}
	if err != nil {
		return storage.Client{}, fmt.Errorf("read client: %w", err)
	}
	return c, nil
}

// clientSecrets returns the sealed secrets of a registration, keeping those that
// stand when its own is among them.
func (p *Provider) clientSecrets(c Client, old storage.Client) []storage.ClientSecret {
	if c.Public {
		return nil
	}
	secret := c.Secret
	if secret == "" && len(old.Secrets) > 0 {
		return old.Secrets
	}
	if secret == "" {
		secret = newSecret()
	}
	for _, s := range old.Secrets {
		plain, err := p.secrets.Open(sealClientSecret, s.Sealed)
		if err == nil && s.ExpiresAt.IsZero() && bytes.Equal(plain, []byte(secret)) {
			return old.Secrets
		}
	}
	return []storage.ClientSecret{p.sealSecret(secret)}
}

func (p *Provider) sealSecret(secret string) storage.ClientSecret {
	return storage.ClientSecret{Sealed: p.secrets.Seal(sealClientSecret, []byte(secret)), CreatedAt: p.cfg.Clock()}
}

func sameSecret(a, b storage.ClientSecret) bool { return bytes.Equal(a.Sealed, b.Sealed) }

// newSecret returns 256 random bits as text.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: the program stops when there is no randomness
	return base64.RawURLEncoding.EncodeToString(b)
}
