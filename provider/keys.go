package provider

import (
	"context"
	"crypto"
	"crypto/rsa"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Rotate makes the next signing key ahead of schedule, for example after a change of staff
// with access to the secret and the database, and reports whether it did. Like every next
// key, it is in the key set for a day before it signs, so that no application notices.
// While another next key waits, Rotate does nothing and reports false. It is an error with
// Config.Signer.
func (p Keys) Rotate(ctx context.Context) (rotated bool, err error) {
	rotated, err = p.keys.Rotate(ctx, p.audit.InStep(storage.Event{Name: audit.KeyRotated, Detail: "by the host"}))
	if err != nil {
		return rotated, fmt.Errorf("provider: rotate signing key: %w", err)
	}
	return rotated, nil
}

// Revoke replaces leaked signing keys: a new key signs at once, and all others leave the
// key set, so that no ID token that they signed is accepted as an id_token_hint. This takes
// effect here when Revoke returns, and in every other process within a second. It is an
// error with Config.Signer.
//
// Applications reject earlier ID tokens once they read the key set again; one that caches
// it may accept forged ID tokens for up to an hour. Sessions, access tokens and refresh
// tokens do not depend on signing keys and stay valid: see People.RevokeIssuedBefore. A
// restored backup brings its keys back, and after an error the former keys may still be in
// use; in both cases call it again.
func (p Keys) Revoke(ctx context.Context) error {
	if err := p.keys.Replace(ctx, p.audit.InStep(storage.Event{Name: audit.KeysRevoked})); err != nil {
		return fmt.Errorf("provider: replace signing keys: %w", err)
	}
	return nil
}

// SigningKey is a key of the key set.
type SigningKey struct {
	// ID is the kid of tokens that it has signed.
	ID string

	// Signs marks the key that signs now.
	Signs bool

	// CreatedAt, From and Until are when it was made, and its turn to sign: Until of the last
	// one is when the next takes its turn. PublishedUntil is when it leaves the key set. They
	// are zero with Config.Signer.
	CreatedAt, From, Until time.Time
	PublishedUntil         time.Time
}

// List returns the keys of the key set, in the order of their turns to sign.
func (p Keys) List(ctx context.Context) ([]SigningKey, error) {
	turns, signing, err := p.keys.Turns(ctx)
	if err != nil {
		return nil, fmt.Errorf("provider: list signing keys: %w", err)
	}
	keys := make([]SigningKey, len(turns))
	for i, t := range turns {
		keys[i] = SigningKey{ID: t.ID, Signs: t.ID == signing, CreatedAt: t.CreatedAt, From: t.From, Until: t.Until, PublishedUntil: t.PublishedUntil}
	}
	return keys, nil
}

// openKeys returns the signing keys: those of the host, or the provider's own.
func openKeys(ctx context.Context, cfg Config, secrets *keyring.Secrets, calls host.Calls) (*keyring.KeySet, error) {
	if cfg.Signer != nil {
		signer, err := host.NewSigner("Signer", cfg.Signer, calls)
		if err != nil {
			return nil, &FieldError{"Signer", err}
		}
		keys, err := keyring.Static(signer, cfg.PublicKeys...)
		if err != nil {
			return nil, &FieldError{"Signer", err}
		}
		return keys, nil
	}
	keys, err := keyring.Open(ctx, cfg.Store, secrets, keyring.Options{
		RotateEvery: cfg.KeyRotation,
		KeepFor:     max(cfg.Lifetimes.IDToken, cfg.Lifetimes.AccessToken) + time.Hour,
		VerifyFor:   cfg.Lifetimes.Session + time.Hour,
		WrapSigner:  wrapSigner(cfg, calls),
		Clock:       cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("signing keys: %w", err)
	}
	return keys, nil
}

// wrapSigner calls Config.WrapSigner.
func wrapSigner(cfg Config, calls host.Calls) func(*rsa.PrivateKey) (crypto.Signer, error) {
	if cfg.WrapSigner == nil {
		return nil
	}
	return func(key *rsa.PrivateKey) (crypto.Signer, error) {
		signer, err := host.CallIn(context.Background(), calls, func(context.Context) (crypto.Signer, error) {
			return cfg.WrapSigner(key)
		})
		if err != nil {
			return nil, err
		}
		return host.NewSigner("WrapSigner", signer, calls)
	}
}

// checkPublicKeys refuses keys that could not be published.
func (c Config) checkPublicKeys() error {
	if c.Signer == nil && len(c.PublicKeys) > 0 {
		return wrongField("PublicKeys", "go with a Signer; the provider publishes its own keys")
	}
	for i, key := range c.PublicKeys {
		if key == nil || key.N == nil || key.N.BitLen() < 2048 || key.E < 3 || key.E%2 == 0 {
			return wrongField(fmt.Sprintf("PublicKeys[%d]", i), "must be an RSA key of at least 2048 bits")
		}
	}
	return nil
}

// ErrSealed means that a value does not open: it was sealed for another purpose or under a
// secret that is no longer known, or it is damaged.
var ErrSealed = errors.New("provider: the sealed value does not open")

// Seal encrypts a value of the host's own under Config.Secret, to be stored beside the
// provider's records. It opens only for the same purpose, which names the kind of record
// and may name the record. The result is 45 bytes longer than the value.
func (p Keys) Seal(purpose string, plain []byte) []byte {
	return p.secrets.Seal(hostPurpose(purpose), plain)
}

// Open decrypts a value that was sealed for this purpose under Config.Secret or one of
// Config.PreviousSecrets. Otherwise it returns ErrSealed.
func (p Keys) Open(purpose string, sealed []byte) ([]byte, error) {
	plain, err := p.secrets.Open(hostPurpose(purpose), sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, err)
	}
	return plain, nil
}

// Pseudonym returns a stable pseudonym of a value, such as a user's ID, for one purpose: 16
// hexadecimal digits that do not reveal the value without Config.Secret. It changes with
// the secret.
func (p Keys) Pseudonym(purpose, value string) string {
	mac := p.secrets.MAC(hostPurpose(purpose), []byte(value))
	return hex.EncodeToString(mac[:8])
}

// hostPurpose keeps the host's purposes apart from the provider's.
func hostPurpose(purpose string) string { return "host: " + purpose }
