package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// sealDataKey is the purpose under which the data key is sealed.
const sealDataKey = "data key"

// dataKey is the sealed content of the installation: the key of the vault, and whether all
// personal data is sealed. A database from before the vault holds plain values; afterwards
// nobody who can write to it can plant a plain value.
type dataKey struct {
	key  []byte
	full bool
}

// Options are the parameters of OpenStore.
type Options struct {
	Store   storage.Store
	Secrets *keyring.Secrets

	// Issuer is the required issuer of the database, unless it belongs to one of the Former
	// issuers of the provider.
	Issuer string
	Former []string

	// RPID is the relying party ID of the passkeys, which has to be that of the database or
	// to replace one of FormerRPIDs; empty without passkeys.
	RPID        string
	FormerRPIDs []string

	// FindText returns the spelling of a value of a handle by which people are found, or "" if
	// they are not; nil for none.
	FindText func(handle string, value json.RawMessage) string

	Logger *slog.Logger
}

func (o Options) sealKey(k dataKey) []byte {
	state := byte(0)
	if k.full {
		state = 1
	}
	return o.Secrets.Seal(sealDataKey, append(slices.Clone(k.key), state))
}

func (o Options) openKey(sealed []byte) (dataKey, error) {
	plain, err := o.Secrets.Open(sealDataKey, sealed)
	if err != nil || len(plain) != KeySize+1 {
		return dataKey{}, field.Errorf("Secret", "what this database holds about people is sealed under another secret, which is neither Secret nor one of PreviousSecrets; put the one it was made with there: nothing has been changed")
	}
	return dataKey{plain[:KeySize], plain[KeySize] != 0}, nil
}

// OpenStore returns the store with personal data in clear, and the vault. It makes the data key of a new
// database, and seals the data of one from before the vault. Any number of processes may
// call it at once: none returns before all is sealed.
func OpenStore(ctx context.Context, o Options) (storage.Store, *Vault, error) {
	for {
		old, err := o.Store.Installation(ctx)
		if errors.Is(err, storage.ErrNotFound) {
			if err := o.install(ctx); err != nil {
				return nil, nil, err
			}
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read installation: %w", err)
		}
		current := old
		if err := o.checkIssuer(ctx, old.Issuer); err != nil {
			return nil, nil, err
		}
		current.Issuer = o.Issuer
		if current.RPID, err = o.chooseRPID(ctx, old.RPID); err != nil {
			return nil, nil, err
		}
		key, err := o.openKey(old.DataKey)
		if err != nil {
			return nil, nil, err
		}
		v, err := New(key.key)
		if err != nil {
			return nil, nil, err
		}
		sealed := sealedStore{o.Store, v, o.FindText}
		if !key.full {
			if err := o.sealPeople(ctx, sealed); err != nil {
				return nil, nil, err
			}
			current.DataKey = o.sealKey(dataKey{key.key, true})
		}
		if current.Issuer == old.Issuer && current.RPID == old.RPID && bytes.Equal(current.DataKey, old.DataKey) {
			o.scrub(ctx)
			return sealed, v, nil
		}
		err = o.Store.SaveInstallation(ctx, old, current)
		if err != nil && !errors.Is(err, storage.ErrChanged) {
			return nil, nil, fmt.Errorf("save installation: %w", err)
		}
	}
}

// scrub has a store in a file of its own erase the former plain values. A disk too full for
// that is no reason not to serve.
func (o Options) scrub(ctx context.Context) {
	store, ok := o.Store.(interface {
		Scrub(ctx context.Context) error
	})
	if !ok {
		return
	}
	if err := store.Scrub(ctx); err != nil {
		o.Logger.WarnContext(ctx, "deleted or formerly unencrypted data may still be in the database file; will retry at the next start",
			slog.Any("error", err))
	}
}

// checkIssuer refuses the database of another issuer that is not a former one of the
// provider. On one machine, for development, the port changes often.
func (o Options) checkIssuer(ctx context.Context, recorded string) error {
	if recorded == o.Issuer {
		return nil
	}
	if !slices.Contains(o.Former, recorded) && !(isLoopback(recorded) && isLoopback(o.Issuer)) {
		return field.Errorf("BaseURL", "the database belongs to the issuer %s, and this provider is %s; if it has moved, name its former address among the previous base URLs", recorded, o.Issuer)
	}
	o.Logger.InfoContext(ctx, "the provider has moved", slog.String("from", recorded), slog.String("to", o.Issuer))
	return nil
}

// chooseRPID returns the relying party ID to be recorded. It refuses another than the
// recorded one, unless that is a former one of the provider: all passkeys would be useless,
// and nothing would say why. Those of a machine for development are given up.
func (o Options) chooseRPID(ctx context.Context, recorded string) (string, error) {
	switch {
	case o.RPID == "" || o.RPID == recorded:
		return recorded, nil
	case recorded == "":
		return o.RPID, nil
	case recorded != localhost && !strings.HasSuffix(recorded, "."+localhost) && !slices.Contains(o.FormerRPIDs, recorded):
		return "", field.Errorf("SignIn.Passkeys.RPID", "the passkeys in the database belong to %s, and would be useless to %s; keep %[1]s, or name it among PreviousRPIDs to give them up", recorded, o.RPID)
	}
	o.Logger.WarnContext(ctx, "the relying party ID has changed: earlier passkeys are useless", slog.String("from", recorded), slog.String("to", o.RPID))
	return o.RPID, nil
}

const localhost = "localhost"

// isLoopback reports whether a valid issuer is on a loopback host.
func isLoopback(issuer string) bool { return strings.HasPrefix(issuer, "http://") }

// install records the installation of a database without one. It refuses one with sealed
// values: their key has been lost, and with another in its place nobody would look for it.
func (o Options) install(ctx context.Context) error {
	store := o.Store
	empty, err := isUnsealed(ctx, store)
	if err != nil {
		if _, since := store.Installation(ctx); since == nil {
			return nil // another process was faster, and has begun to seal
		}
		return err
	}
	err = store.CreateInstallation(ctx, storage.Installation{
		Issuer: o.Issuer, DataKey: o.sealKey(dataKey{NewKey(), empty}), RPID: o.RPID,
	})
	if err != nil && !errors.Is(err, storage.ErrConflict) {
		return fmt.Errorf("record installation: %w", err)
	}
	return nil
}

var errNoDataKey = errors.New("the database holds sealed values about people and not the key to them (table installation): it was restored in part")

// isUnsealed examines a database without a data key, and reports whether it holds no
// personal data. Sealed values are errNoDataKey.
func isUnsealed(ctx context.Context, store storage.Store) (empty bool, err error) {
	empty = true
	err = eachAccount(ctx, store, func(a storage.Account) error {
		empty = false
		if IsSealed(a.Email) {
			return errNoDataKey
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	err = eachSubject(ctx, store, func(subject string) error {
		empty = false
		person, err := store.Person(ctx, subject)
		if err != nil {
			return fmt.Errorf("read person: %w", err)
		}
		for _, value := range person.Attributes {
			if isSealedAttribute(value) {
				return errNoDataKey
			}
		}
		return nil
	})
	return empty, err
}

func isSealedAttribute(value json.RawMessage) bool {
	return IsSealed(string(bytes.TrimPrefix(value, []byte(`"`))))
}

// sealers is how many values are sealed at once: each is a write of its own, and a store
// makes those of several callers durable together.
const sealers = 16

// sealPeople seals the plain values of a database from before the vault. It replaces each
// value only if it has not changed since it was read: several processes may seal at once,
// and concurrent records stay.
func (o Options) sealPeople(ctx context.Context, s sealedStore) error {
	o.Logger.InfoContext(ctx, "encrypting personal data that the database holds in clear")
	n := 0
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(sealers)
	err := eachAccount(ctx, s.Store, func(a storage.Account) error {
		if a.Email == "" && a.EmailKey == "" || IsSealed(a.Email) {
			return nil
		}
		n++
		work.Go(func() error {
			sealed, digest := s.sealEmail(a.ID, a.Email, a.EmailKey)
			return unlessChanged(s.Store.SetEmail(ctx, a.ID, a.EmailKey, sealed, digest, a.EmailVerified))
		})
		return nil
	})
	if err == nil {
		err = eachSubject(ctx, s.Store, func(subject string) error {
			n++
			work.Go(func() error { return s.sealAttributes(ctx, subject) })
			return nil
		})
	}
	if failed := work.Wait(); failed != nil { // and ended the lists
		err = failed
	}
	if err != nil {
		return fmt.Errorf("seal what is known about people: %w", err)
	}
	o.Logger.InfoContext(context.WithoutCancel(ctx), "personal data in the database is encrypted", slog.Int("records", n))
	return nil
}

func (s sealedStore) sealAttributes(ctx context.Context, subject string) error {
	person, err := s.Store.Person(ctx, subject)
	if err != nil {
		return err
	}
	for handle, value := range person.Attributes {
		if isSealedAttribute(value) {
			continue
		}
		err := s.Store.ReplaceAttribute(ctx, subject, handle, value, s.sealAttribute(subject, handle, value), s.find(handle, value))
		if err := unlessChanged(err); err != nil {
			return err
		}
	}
	return nil
}

// unlessChanged drops the error of a process that was not the first: the first has sealed
// the value.
func unlessChanged(err error) error {
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}

// listPage is the number of accounts or subjects listed at once.
const listPage = 250

// eachAccount calls a function with every account, until it fails.
func eachAccount(ctx context.Context, store storage.Accounts, do func(storage.Account) error) error {
	for after := ""; ; {
		accounts, err := store.Accounts(ctx, after, listPage)
		if err != nil {
			return fmt.Errorf("list accounts: %w", err)
		}
		for _, a := range accounts {
			if err := do(a); err != nil {
				return err
			}
			after = a.ID
		}
		if len(accounts) < listPage {
			return nil
		}
	}
}

// eachSubject calls a function with every subject that has attributes, until it fails.
func eachSubject(ctx context.Context, store storage.People, do func(string) error) error {
	for after := ""; ; {
		subjects, err := store.Subjects(ctx, after, listPage)
		if err != nil {
			return fmt.Errorf("list people: %w", err)
		}
		for _, subject := range subjects {
			if err := do(subject); err != nil {
				return err
			}
			after = subject
		}
		if len(subjects) < listPage {
			return nil
		}
	}
}

// Reseal seals the data key under the current secret, unless it is already, or another
// process has done so meanwhile. It returns the number of resealed keys.
func Reseal(ctx context.Context, store storage.Installations, secrets *keyring.Secrets) (resealed int, err error) {
	old, err := store.Installation(ctx)
	if err != nil {
		return 0, fmt.Errorf("read installation: %w", err)
	}
	current := old
	anew, changed, err := secrets.Reseal(sealDataKey, old.DataKey)
	if err != nil || !changed {
		return 0, err
	}
	current.DataKey = anew
	if err := store.SaveInstallation(ctx, old, current); err != nil {
		return 0, fmt.Errorf("save installation: %w", err)
	}
	return 1, nil
}
