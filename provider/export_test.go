package provider

import "context"

// Maintain does one round of Run.
func (p *Provider) Maintain(ctx context.Context) { p.maintain(ctx) }

// RemoveDeleted does what Run does about deleted applications.
func (p *Provider) RemoveDeleted(ctx context.Context) error { return p.clients.RemoveDeleted(ctx) }
