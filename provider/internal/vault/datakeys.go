package vault

import (
	"context"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// sealDataKeys is the purpose under which the keys are sealed.
const sealDataKeys = "data keys"

// keyRing is the sealed content of the installation.
type keyRing struct {
	// Stable is what digests and derived keys come from. It never changes: nobody would find again
	// what they name.
	Stable []byte `json:"stable"`

	// Data are the data keys, of which the first has the number 1. None is ever dropped: they take
	// no room, and a process that writes under a former one for a moment loses nothing.
	Data [][]byte `json:"data"`

	// ChangedAt is when the last was made; zero once all is sealed under it.
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

const keySize = 32

func newKeys() keyRing {
	return keyRing{Stable: random.Bytes(keySize), Data: [][]byte{random.Bytes(keySize)}}
}

func (o Options) sealKeys(r keyRing) ([]byte, error) {
	content, err := json.Marshal(r)
	return o.Secrets.Seal(sealDataKeys, content), err
}

func (o Options) openKeys(sealed []byte) (r keyRing, err error) {
	plain, err := o.Secrets.Open(sealDataKeys, sealed)
	if err == nil {
		err = json.Unmarshal(plain, &r)
	}
	if err != nil || len(r.Data) == 0 {
		return keyRing{}, field.Errorf("Secret", "what this database holds about people is sealed under another secret, which is neither Secret nor one of PreviousSecrets; put the one it was made with there: nothing has been changed")
	}
	return r, nil
}

// openedKeys are the data keys at work, which never change.
type openedKeys struct {
	aeads  []cipher.AEAD
	prefix string // of what is sealed under the last
}

// use puts keys to work, unless there are more by now: what has been read may be of before.
func (v *Vault) use(r keyRing) error {
	opened := &openedKeys{prefix: prefix + strconv.Itoa(len(r.Data)) + ":"}
	for _, key := range r.Data {
		sealing, err := hkdf.Key(sha256.New, key, nil, "bonafide v1 people seal", chacha20poly1305.KeySize)
		if err != nil {
			return err
		}
		aead, err := chacha20poly1305.NewX(sealing)
		if err != nil {
			return err
		}
		opened.aeads = append(opened.aeads, aead)
	}
	for {
		now := v.keys.Load()
		if now != nil && len(now.aeads) >= len(opened.aeads) || v.keys.CompareAndSwap(now, opened) {
			return nil
		}
	}
}

// patience is how long the keys are read again for a value under one that is not known. No caller
// has a context for it: what is opened has been read.
const patience = 5 * time.Second

// key returns the data key of a number. Another process may have made it since they were read.
func (v *Vault) key(number int) (cipher.AEAD, error) {
	if known := v.keys.Load(); number <= len(known.aeads) {
		return known.aeads[number-1], nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, _, err := v.read(ctx); err != nil {
		return nil, fmt.Errorf("%w: data key %d is needed, and the keys cannot be read again: %w", storage.ErrUnavailable, number, err)
	}
	known := v.keys.Load()
	if number > len(known.aeads) {
		return nil, fmt.Errorf("%w: it was sealed under data key %d, and the database has %d of them (table installation); restore this table and the value from the same backup", ErrOpen, number, len(known.aeads))
	}
	return known.aeads[number-1], nil
}

// read reads the keys again, and puts them to work.
func (v *Vault) read(ctx context.Context) (storage.Installation, keyRing, error) {
	i, err := v.options.Store.Installation(ctx)
	if err != nil {
		return i, keyRing{}, fmt.Errorf("read installation: %w", err)
	}
	r, err := v.options.openKeys(i.DataKeys)
	if err == nil {
		err = v.use(r)
	}
	return i, r, err
}

// change reads the keys and records others in their place, until nobody else is faster. It reports
// false where edit does, which has nothing to change.
func (v *Vault) change(ctx context.Context, edit func(*keyRing) bool, write func(context.Context, keyRing, func(context.Context) error) error) (keyRing, bool, error) {
	for {
		old, r, err := v.read(ctx)
		if err != nil || !edit(&r) {
			return r, false, err
		}
		current := old
		if current.DataKeys, err = v.options.sealKeys(r); err != nil {
			return r, false, err
		}
		err = write(ctx, r, func(ctx context.Context) error { return v.options.Store.SaveInstallation(ctx, old, current) })
		if !errors.Is(err, storage.ErrChanged) {
			return r, err == nil, err
		}
	}
}

// Rotate makes the next data key and returns its number. While values of before are still being
// sealed under the last one (Renew), it makes none: whoever asks twice gets one key. Record makes
// the write, in one step with a line of the audit log.
func (v *Vault) Rotate(ctx context.Context, now time.Time, record func(ctx context.Context, number int, write func(context.Context) error) error) (number int, made bool, err error) {
	r, made, err := v.change(ctx, func(r *keyRing) bool {
		if !r.ChangedAt.IsZero() {
			return false
		}
		r.Data, r.ChangedAt = append(slices.Clone(r.Data), random.Bytes(keySize)), now
		return true
	}, func(ctx context.Context, r keyRing, write func(context.Context) error) error {
		return record(ctx, len(r.Data), write)
	})
	if err == nil {
		err = v.use(r)
	}
	if made {
		select {
		case v.Rotated <- struct{}{}:
		default: // it is known
		}
	}
	return len(r.Data), made, err
}

// Reseal seals the data keys under the current secret, unless they are already, or another
// process has done so meanwhile. It returns the number of resealed records.
func Reseal(ctx context.Context, store storage.Installations, secrets *keyring.Secrets) (resealed int, err error) {
	for {
		old, err := store.Installation(ctx)
		if err != nil {
			return 0, fmt.Errorf("read installation: %w", err)
		}
		current, changed := old, false
		current.DataKeys, changed, err = secrets.Reseal(sealDataKeys, old.DataKeys)
		if err != nil || !changed {
			return 0, err
		}
		err = store.SaveInstallation(ctx, old, current)
		if err == nil {
			return 1, nil
		}
		if !errors.Is(err, storage.ErrChanged) {
			return 0, fmt.Errorf("save installation: %w", err)
		}
	}
}
