package provider

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clients"
)

// SecretInfo describes a client secret without revealing it.
type SecretInfo struct {
	// ID identifies the secret within its application. It is not confidential.
	ID string

	// Hint is the last four characters of the secret, for its owner to recognize it; empty
	// if no secret of the provider opens it.
	Hint string

	CreatedAt time.Time

	// ExpiresAt is the end of the overlap after a rotation; zero for never.
	ExpiresAt time.Time

	// LastUsedAt is the last authentication with the secret, up to a minute early; zero for
	// never.
	LastUsedAt time.Time
}

// ErrLastSecret means that the secret to end is the application's only permanent one.
var ErrLastSecret = clients.ErrLastSecret

// ErrTooManySecrets means that an application has ten valid secrets.
var ErrTooManySecrets = clients.ErrTooManySecrets

// ListSecrets returns an application's valid secrets, the newest first; none for a public
// one. ErrNoClient if there is no such application.
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

// EndSecret ends one secret of an application, by SecretInfo.ID, in every process within a
// second. It returns nil if there is no such secret. ErrNoClient if there is no such
// application; ErrLastSecret if no other permanent secret is left: Clients.RotateSecret
// makes one.
func (p Clients) EndSecret(ctx context.Context, id, secretID string) error {
	return asClientError("end client secret", p.clients.EndSecret(ctx, id, secretID))
}
