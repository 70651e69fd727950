package provider

import (
	"context"
	"encoding/json"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// attributes tells attributes and group statuses of the token's own user, as far as
// its scope goes.
func (p *Provider) attributes(ctx context.Context, a engine.Access) (answer, error) {
	released, err := p.release(ctx, a.Grant.Subject, a.Scopes, a.Grant.EID)
	if err != nil {
		return answer{}, err
	}
	body, err := json.Marshal(struct {
		Attributes []releasedAttribute `json:"attributes"`
		Status     []statusObject      `json:"status"`
	}{released.attributes, statusObjects(released.statuses)})
	return answer{body, "application/json"}, err
}
