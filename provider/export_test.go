package provider

import "context"

// Maintain does one round of Run.
func (p *Provider) Maintain(ctx context.Context) { p.upkeep.Maintain(ctx) }
