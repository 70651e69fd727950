package provider

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clients"
)

// SecretInfo is what can be known of a client secret without knowing it.
type SecretInfo struct {
	// ID names the secret among those of its application. It is no secret.
	ID string

	// Hint are the last four characters of the secret, by which its owner knows it;
	// empty when nothing opens it any more.
	Hint string

	CreatedAt time.Time

	// ExpiresAt is when the overlap of a rotation ends; zero for never.
	ExpiresAt time.Time

	// LastUsedAt is when the application last authenticated with it, a minute earlier
	// at most; zero for never.
	LastUsedAt time.Time
}

// ErrLastSecret says that an application has no other secret that stays valid than the one
// that was to be ended.
var ErrLastSecret = clients.ErrLastSecret

// ErrTooManySecrets says that an application has ten secrets that are valid.
var ErrTooManySecrets = clients.ErrTooManySecrets

// ListSecrets lists the secrets of an application that are valid, the newest first; none
// for a public one. ErrNoClient when there is no such application.
func (p Clients) ListSecrets(ctx context.Context, id string) ([]SecretInfo, error) {
	list, err := p.clients.ListSecrets(ctx, id)
	if err != nil {
		return nil, asClientError("list client secrets", err)
	}
	secrets := make([]SecretInfo, len(list))
	for i, s := range list {
		secrets[i] = SecretInfo(s)
	}
	return secrets, nil
}

// EndSecret ends one secret of an application, by its SecretInfo.ID, in every process
// within a second. It returns nil when there is no such secret. ErrNoClient when there is no
// such application, ErrLastSecret when no other secret of it stays valid: Clients.RotateSecret
// makes one.
func (p Clients) EndSecret(ctx context.Context, id, secretID string) error {
	return asClientError("end client secret", p.clients.EndSecret(ctx, id, secretID))
}
