package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

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

// OpenStore returns the store with personal data in clear, and the vault. It makes the keys of a new
// database. Any number of processes may call it at once.
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
		current, keys, err := o.judge(ctx, old)
		if err != nil {
			return nil, nil, err
		}
		v, err := newVault(o, keys)
		if err != nil {
			return nil, nil, err
		}
		if current.Issuer == old.Issuer && current.RPID == old.RPID {
			o.scrub(ctx)
			return sealedStore{o.Store, v, o.FindText}, v, nil
		}
		err = o.Store.SaveInstallation(ctx, old, current)
		if err != nil && !errors.Is(err, storage.ErrChanged) {
			return nil, nil, fmt.Errorf("save installation: %w", err)
		}
	}
}

// Check returns the error with which OpenStore refuses a database, and changes nothing. A new database
// passes.
func Check(ctx context.Context, o Options) error {
	o.Logger = slog.New(slog.DiscardHandler) // nothing is decided yet
	i, err := o.Store.Installation(ctx)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, _, err = o.judge(ctx, i)
	}
	return err
}

// judge returns what is to be recorded in place of an installation, and the keys in it.
func (o Options) judge(ctx context.Context, old storage.Installation) (current storage.Installation, keys keyRing, err error) {
	current = old
	if err := o.checkIssuer(ctx, old.Issuer); err != nil {
		return current, keys, err
	}
	current.Issuer = o.Issuer
	if current.RPID, err = o.chooseRPID(ctx, old.RPID); err != nil {
		return current, keys, err
	}
	keys, err = o.openKeys(old.DataKeys)
	return current, keys, err
}

// scrub has a store in a file of its own erase former values. A disk too full for
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

// install records the installation of a database without one. It refuses one that holds people:
// their keys have been lost, and with others in their place nobody would look for them.
func (o Options) install(ctx context.Context) error {
	for after := (storage.SealedValue{}); ; {
		values, err := o.Store.SealedValues(ctx, after, 1)
		if err != nil {
			return fmt.Errorf("look for people: %w", err)
		}
		if len(values) == 0 {
			break
		}
		if after = values[0]; !IsSealed(unquoted(after.Value)) {
			continue
		}
		if _, since := o.Store.Installation(ctx); since == nil {
			return nil // another process was faster, and has begun to seal
		}
		return errNoDataKeys
	}
	first, err := o.sealKeys(newKeys())
	if err == nil {
		err = o.Store.SaveInstallation(ctx, storage.Installation{}, storage.Installation{Issuer: o.Issuer, DataKeys: first, RPID: o.RPID})
	}
	if err != nil && !errors.Is(err, storage.ErrChanged) {
		return fmt.Errorf("record installation: %w", err)
	}
	return nil
}

var errNoDataKeys = errors.New("the database holds sealed values about people and not the keys to them (table installation): it was restored in part")
