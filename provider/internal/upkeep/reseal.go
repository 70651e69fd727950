package upkeep

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// maxNamed limits the number of applications that one log record names.
const maxNamed = 20

// sealedRecords counts the database records that one secret of the provider encrypts.
type sealedRecords struct{ keys, dataKeys, clientSecrets int }

// ReportSealed logs at startup what former secrets still encrypt, so that none is dropped
// too early, and which client secrets no secret opens: their applications would get errors
// until somebody looks for the reason. Signing keys that cannot be opened fail earlier.
func (u *Upkeep) ReportSealed(ctx context.Context) error {
	by := make([]sealedRecords, 1+u.FormerSecrets)
	if u.OwnKeys {
		stored, err := u.Store.Keys(ctx)
		if err != nil {
			return fmt.Errorf("read signing keys: %w", err)
		}
		for _, k := range stored {
			if i := u.Secrets.SealedBy(k.Sealed); i >= 0 {
				by[i].keys++
			}
		}
	}
	installation, err := u.Store.Installation(ctx)
	if err != nil {
		return fmt.Errorf("read installation: %w", err)
	}
	if i := u.Secrets.SealedBy(installation.DataKeys); i >= 0 {
		by[i].dataKeys++
	}
	lost, now := 0, u.Clock()
	var named []string
	err = u.Clients.Each(ctx, func(_ context.Context, c storage.Client) error {
		before := lost
		for _, s := range c.Secrets {
			if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) {
				continue
			}
			if _, err := u.Secrets.Open(clients.SealPurpose, s.Sealed); err != nil {
				lost++
				continue
			}
			by[u.Secrets.SealedBy(s.Sealed)].clientSecrets++
		}
		if lost > before && len(named) < maxNamed {
			named = append(named, c.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if lost > 0 {
		u.Logger.ErrorContext(ctx, "client secrets cannot be decrypted: they are encrypted under a secret that is neither Config.Secret nor one of PreviousSecrets; add it there, or give these clients new secrets",
			slog.Int("client_secrets", lost), slog.Any("clients", named))
	}
	var former []any
	for i, n := range by[1:] {
		former = append(former, slog.Group(fmt.Sprintf("PreviousSecrets[%d]", i),
			slog.Int("signing_keys", n.keys), slog.Int("data_keys", n.dataKeys), slog.Int("client_secrets", n.clientSecrets)))
	}
	if len(former) > 0 {
		u.Logger.InfoContext(ctx, "records are still encrypted under previous secrets; Run encrypts them under the current one", former...)
	}
	return nil
}

// renew encrypts under the newest data key what former ones have encrypted, once there is one.
func (u *Upkeep) renew(ctx context.Context) error {
	n, err := u.Vault.Renew(ctx, u.Clock)
	if n > 0 {
		u.Logger.InfoContext(ctx, "values encrypted under the newest data key", slog.Int("values", n))
	}
	return err
}

// reseal encrypts under the current secret what former ones have encrypted, so that they
// can be dropped.
//
// It does so once per process. While a new secret is rolled out, each half of the processes
// regards the other half's secret as a former one; what one process encrypts again, the
// others would encrypt back, and so on. The last process to start has the last word.
func (u *Upkeep) reseal(ctx context.Context) {
	if u.resealDone.Load() || u.FormerSecrets == 0 {
		return
	}
	var n sealedRecords
	var err error
	for _, keys := range u.allKeys() { // each encrypts the keys of all again, but those of the host none
		if err == nil {
			var resealed int
			resealed, err = keys.Reseal(ctx)
			n.keys += resealed
		}
	}
	if err == nil {
		n.clientSecrets, err = u.Clients.Reseal(ctx)
	}
	if err == nil {
		n.dataKeys, err = vault.Reseal(ctx, u.Store, u.Secrets)
	}
	if n != (sealedRecords{}) {
		u.Logger.InfoContext(ctx, "records encrypted under the current secret",
			slog.Int("signing_keys", n.keys), slog.Int("data_keys", n.dataKeys), slog.Int("client_secrets", n.clientSecrets))
	}
	if err == nil {
		u.resealDone.Store(true)
	} else if ctx.Err() == nil {
		u.Logger.ErrorContext(ctx, "records under previous secrets could not be encrypted under the current one; will retry", slog.Any("error", err))
	}
}
