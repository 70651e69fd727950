package provider

import (
	"context"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// Signing are the keys with which tokens are signed. In JSON its fields are those of the Config.
type Signing struct {
	// Algorithms are those that can sign tokens of applications and resources: RS256, which is
	// always among them, PS256, ES256, and EdDSA for Ed25519. Each signs with keys of its own.
	// Some readers of the key set know RSA only: add one when an application needs it.
	// Defaults to RS256 alone.
	Algorithms []string `json:"signing_algorithms,omitempty"`

	// Rotation is how long each of the provider's own keys signs. Its successor is in the key
	// set for a day before it signs.
	// Defaults to 90 days.
	Rotation time.Duration `json:"-"`

	// Wrap replaces the signer of each of the provider's own keys, for example with a faster
	// library: github.com/bonafide-id/bonafide/provider/opensslsigner. Generation, encryption
	// and rotation of keys stay the same. It is called when a key is loaded or generated. The
	// signer must have the key's public key, and be as one of Signers; it makes one test
	// signature. If that fails, New fails, and a running provider keeps its keys.
	// Defaults to the key itself.
	Wrap func(alg string, key crypto.Signer) (crypto.Signer, error) `json:"-"`

	// Signers replace the provider's own keys, for example with a hardware module or a key
	// service: one for each of the Algorithms. A signer is safe for concurrent use. An RSA key
	// has at least 2048 bits; PS256 is asked of it with a salt of 32 bytes. A P-256 key returns
	// the ASN.1 form, as crypto.Signer says. Ed25519 gets the message, of up to some 8 KiB.
	// Calls time out after five seconds. If signing fails, or the public key does not verify
	// the signature, the request gets 503 and no token is issued or spent. The host rotates
	// the keys; see PublicKeys.
	// Defaults to the provider's own keys.
	Signers map[string]crypto.Signer `json:"-"`

	// PublicKeys are further public keys of the Signers, by algorithm: former keys, until the
	// last ID token that they signed has expired, and the next key, from a day before it signs.
	// The key set lists them beside those of the Signers.
	// Defaults to none.
	PublicKeys map[string][]crypto.PublicKey `json:"-"`
}

// Rotate makes the next signing key of each algorithm ahead of schedule, for example after a
// change of staff with access to the secret and the database, and reports whether it did. Like
// every next key, it is in the key set for a day before it signs, so that no application
// notices. Where another next key waits, Rotate does nothing; it reports false if one waits
// everywhere. It is an error with Signing.Signers.
func (p Keys) Rotate(ctx context.Context) (rotated bool, err error) {
	for _, keys := range p.ownKeys() {
		var one bool
		one, err = keys.Rotate(ctx, func(ctx context.Context, alg string, write func(context.Context) error) error {
			return p.audit.Step(ctx, write, storage.Event{Name: event.KeyRotated, Detail: alg + ", by the host"})
		})
		rotated = rotated || one
		if err != nil {
			return rotated, fmt.Errorf("provider: rotate signing key: %w", err)
		}
	}
	return rotated, nil
}

// Revoke replaces leaked signing keys: a new key of each algorithm signs at once, and all others
// leave the key set, so that no ID token that they signed is accepted as an id_token_hint. This takes
// effect here when Revoke returns, and in every other process within a second. It is an
// error with Signing.Signers.
//
// Applications reject earlier ID tokens once they read the key set again; one that caches
// it may accept forged ID tokens for up to an hour. Sessions, access tokens and refresh
// tokens do not depend on signing keys and stay valid: see People.RevokeIssuedBefore. A
// restored backup brings its keys back, and after an error the former keys may still be in
// use; in both cases call it again. What package credential has put into wallets ends with its key.
func (p Keys) Revoke(ctx context.Context) error {
	record := func(ctx context.Context, _ string, write func(context.Context) error) error {
		return p.audit.Step(ctx, write, storage.Event{Name: event.KeysRevoked})
	}
	for _, keys := range p.ownKeys() {
		if err := keys.Replace(ctx, record); err != nil {
			return fmt.Errorf("provider: replace signing keys: %w", err)
		}
		record = func(ctx context.Context, _ string, write func(context.Context) error) error { return write(ctx) }
	}
	return nil
}

// ownKeys are the keys of tokens, and those of other purposes.
func (p Keys) ownKeys() []*keyring.KeySet {
	return append([]*keyring.KeySet{p.keys}, p.rings.list()...)
}

// RotateData makes the next data key, which encrypts what is known about people, and returns its
// number: the first has 1. Every process encrypts under it within a minute and decrypts under it at
// once. Run encrypts again what former keys have encrypted, in small steps, and former keys stay in the
// database, so that nothing is lost meanwhile. Until that is done RotateData makes none, returns
// the number of the last, and false.
//
// Digests and derived keys come from a key of their own, which never changes.
func (p Keys) RotateData(ctx context.Context) (number int, rotated bool, err error) {
	number, rotated, err = p.vault.Rotate(ctx, p.cfg.Clock(), func(ctx context.Context, number int, write func(context.Context) error) error {
		return p.audit.Step(ctx, write, storage.Event{Name: event.KeyRotated, Detail: fmt.Sprintf("data key %d, by the host", number)})
	})
	if err != nil {
		return 0, false, fmt.Errorf("provider: rotate data key: %w", err)
	}
	return number, rotated, nil
}

// List returns the keys of the key set by algorithm, RS256 first, in the order of their turns
// to sign.
func (p keysRoom) List(ctx context.Context) ([]room.SigningKey, error) {
	turns, err := p.keys.Turns(ctx)
	if err != nil {
		return nil, fmt.Errorf("provider: list signing keys: %w", err)
	}
	keys := make([]room.SigningKey, len(turns))
	for i, t := range turns {
		keys[i] = room.SigningKey{ID: t.ID, Alg: t.Alg, Signs: t.Signs, CreatedAt: t.CreatedAt, From: t.From, Until: t.Until, PublishedUntil: t.PublishedUntil}
	}
	return keys, nil
}

// openKeys returns the signing keys: those of the host, or the provider's own.
func openKeys(ctx context.Context, cfg Config, secrets *keyring.Secrets, calls host.Calls) (*keyring.KeySet, error) {
	if cfg.Signers != nil {
		return heldKeys(cfg, calls)
	}
	keys, err := keyring.Open(ctx, cfg.Store, secrets, keyring.Options{
		Algorithms:  cfg.Algorithms,
		RotateEvery: cfg.Rotation,
		KeepFor:     max(cfg.Lifetimes.IDToken, cfg.Lifetimes.AccessToken) + time.Hour,
		VerifyFor:   cfg.Lifetimes.Session + time.Hour,
		Wrap:        wrap(cfg, calls),
		Clock:       cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("signing keys: %w", err)
	}
	return keys, nil
}

// heldKeys returns the signing keys of the host.
func heldKeys(cfg Config, calls host.Calls) (*keyring.KeySet, error) {
	held := map[string]keyring.Held{}
	for _, alg := range cfg.Algorithms {
		field, of := fmt.Sprintf("Signing.Signers[%q]", alg), keyring.Held{Signer: cfg.Signers[alg], Others: cfg.PublicKeys[alg]}
		var err error
		if of.Signer, err = host.NewSigner(field, of.Signer, calls); err != nil {
			return nil, &FieldError{field, err}
		}
		if _, err = keyring.Static(map[string]keyring.Held{alg: of}); err != nil {
			return nil, &FieldError{field, err}
		}
		held[alg] = of
	}
	return keyring.Static(held)
}

// signAccessToken and verifyAccessToken write and read access tokens that are JWTs.
func (p *Provider) signAccessToken(alg string, claims []byte) (string, error) {
	return p.keys.SignAs(keyring.TypeAccessToken, alg, claims)
}

func (p *Provider) signResponse(alg string, claims []byte) (string, error) {
	return p.keys.SignAs(keyring.TypeResponse, alg, claims)
}

func (p *Provider) verifyAccessToken(ctx context.Context, token string) ([]byte, error) {
	p.keys.Refresh(ctx)
	return p.keys.VerifyAs(keyring.TypeAccessToken, token)
}

// wrap calls Signing.Wrap.
func wrap(cfg Config, calls host.Calls) func(string, crypto.Signer) (crypto.Signer, error) {
	if cfg.Wrap == nil {
		return nil
	}
	return func(alg string, key crypto.Signer) (crypto.Signer, error) {
		signer, err := host.CallIn(context.Background(), calls, func(context.Context) (crypto.Signer, error) { return cfg.Wrap(alg, key) })
		if err != nil {
			return nil, err
		}
		return host.NewSigner("Signing.Wrap", signer, calls)
	}
}

// signsWith reports whether an algorithm can be registered; empty is RS256.
func (c Config) signsWith(alg string) bool {
	return alg == "" || slices.Contains(c.Algorithms, alg)
}

// checkKeys returns an error for the first invalid field of the signing keys.
func (c Config) checkKeys() error {
	for i, alg := range c.Algorithms {
		switch {
		case !slices.Contains(keyring.Algorithms(), alg):
			return wrongField(fmt.Sprintf("Signing.Algorithms[%d]", i), "%q is none of %s", alg, strings.Join(keyring.Algorithms(), ", "))
		case slices.Contains(c.Algorithms[:i], alg):
			return wrongField(fmt.Sprintf("Signing.Algorithms[%d]", i), "%q is there already", alg)
		case c.Signers != nil && c.Signers[alg] == nil:
			return wrongField("Signing.Signers", "has none for %s; each of the Algorithms needs one", alg)
		}
	}
	switch {
	case !slices.Contains(c.Algorithms, keyring.RS256):
		return wrongField("Signing.Algorithms", "must have RS256, which every application can count on (OpenID Connect Discovery section 3)")
	case c.Signers != nil && c.Wrap != nil:
		return wrongField("Signing.Wrap", "is for the provider's own keys, which Signers replace; set one of them")
	}
	for alg := range c.Signers {
		if !slices.Contains(c.Algorithms, alg) {
			return wrongField("Signing.Signers", "%q is none of the Algorithms", alg)
		}
	}
	for alg, keys := range c.PublicKeys {
		if c.Signers[alg] == nil {
			return wrongField("Signing.PublicKeys", "%q has no signer in Signers; the provider publishes its own keys", alg)
		}
		for i, key := range keys {
			if err := keyring.CheckPublicKey(alg, key); err != nil {
				return &FieldError{fmt.Sprintf("Signing.PublicKeys[%q][%d]", alg, i), err}
			}
		}
	}
	return nil
}

// secrets returns the keys of Secret and PreviousSecrets.
func (c Config) secrets() (*keyring.Secrets, error) {
	secrets, err := keyring.NewSecrets(c.Secret, c.PreviousSecrets...)
	if err == nil {
		return secrets, nil
	}
	wrong := "Secret"
	if _, alone := keyring.NewSecrets(c.Secret); alone == nil {
		wrong = "PreviousSecrets"
	}
	return nil, &FieldError{wrong, err}
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
func (p keysRoom) Pseudonym(purpose, value string) string {
	mac := p.secrets.MAC(hostPurpose(purpose), []byte(value))
	return hex.EncodeToString(mac[:8])
}

// hostPurpose keeps the host's purposes apart from the provider's.
func hostPurpose(purpose string) string { return "host: " + purpose }

// keyRings are the keys of a provider for other purposes than its tokens. It is safe for concurrent use.
type keyRings struct {
	mu  sync.Mutex
	all []*keyring.KeySet
}

func (r *keyRings) add(set *keyring.KeySet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all[:len(r.all):len(r.all)], set) // the former list may be in use
}

func (r *keyRings) list() []*keyring.KeySet {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// Ring returns keys of their own for a purpose, which sign what is of these types with ES256 and is good for
// at most life: a key that has made its last signature stays in their set for a day longer. They are
// rotated, encrypted again and revoked as those of tokens are (Keys), also beside Signing.Signers.
func (p keysRoom) Ring(ctx context.Context, purpose string, life time.Duration, types ...string) (*keyring.KeySet, error) {
	set, err := keyring.Open(ctx, p.cfg.Store, p.secrets, keyring.Options{
		Purpose: purpose, Types: types, Algorithms: []string{keyring.ES256}, RotateEvery: p.cfg.Rotation, KeepFor: life + 24*time.Hour,
		Wrap: wrap(p.cfg, p.calls), Clock: p.cfg.Clock,
	})
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", purpose, err)
	}
	p.rings.add(set)
	return set, nil
}

// RingOf is Ring for a key of the host, which certificates name in headers if there are any. field names the signer
// in errors.
func (p keysRoom) RingOf(field string, signer crypto.Signer, certificates [][]byte, types ...string) (*keyring.KeySet, error) {
	signer, err := host.NewSigner(field, signer, p.calls)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	set, err := keyring.Static(map[string]keyring.Held{keyring.ES256: {Signer: signer, Certificates: certificates}}, types...)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	return set, nil
}
