package provider

import "context"

// Maintain does one round of Run.
func (p *Provider) Maintain(ctx context.Context) { p.upkeep.Maintain(ctx) }

// GuardTrail does one round of what Run does for the seals of the audit log.
func (p *Provider) GuardTrail(ctx context.Context) error { return p.upkeep.GuardTrail(ctx) }
