package resource

import (
	"context"
	"encoding/json"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// attributes serves attributes and group statuses of the token's own user, as far as
// its scope goes.
func (e *Endpoints) attributes(ctx context.Context, a engine.Access) (response, error) {
	released, err := e.Claims.ReleaseTo(ctx, a.Grant, a.Scopes)
	if err != nil {
		return response{}, err
	}
	body, err := json.Marshal(struct {
		Attributes []claims.Attribute    `json:"attributes"`
		Status     []claims.StatusObject `json:"status"`
	}{released.Attributes, claims.StatusObjects(released.Statuses)})
	return response{body: body, mediaType: mediaJSON}, err
}
