package provider

import (
	"context"

	"github.com/bonafide-id/bonafide/storage"
)

// Maintain does one round of Run.
func (p *Provider) Maintain(ctx context.Context) { p.upkeep.Maintain(ctx) }

// Reuse records that a refresh token of a grant has come twice, in the step that ends the grant.
func (p *Provider) Reuse(ctx context.Context, g storage.Grant, revoke func(context.Context) error) error {
	return p.Events().reuse(ctx, g, storage.RefreshToken, revoke)
}

// GuardTrail does one round of what Run does for the seals of the audit log.
func (p *Provider) GuardTrail(ctx context.Context) error { return p.upkeep.GuardTrail(ctx) }
