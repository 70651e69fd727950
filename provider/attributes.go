package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// attributes answers with attributes and group statuses of the token's own user,
// as far as its scope goes.
func (p *Provider) attributes(w http.ResponseWriter, r *http.Request) error {
	callback, err := parseCallback(r)
	if err != nil {
		return err
	}
	return p.callback(w, r, callback, func() (engine.Access, error) {
		a, err := p.access(r)
		if err == nil && !slices.ContainsFunc(a.Scopes, func(s string) bool { return !isProtocolScope(s) }) {
			return a, errScope
		}
		return a, err
	}, p.attributesBody)
}

func (p *Provider) attributesBody(r *http.Request, a engine.Access) (body []byte, mediaType string, err error) {
	released, err := p.release(r.Context(), a.Grant.Subject, a.Scopes, a.Grant.EID)
	if errors.Is(err, ErrNoUser) {
		return nil, "", errTokenOwner
	}
	if err != nil {
		return nil, "", err
	}
	answer := struct {
		Attributes []releasedAttribute `json:"attributes"`
		Status     []statusObject      `json:"status"`
	}{released.attributes, statusObjects(released.statuses)}
	body, err = json.Marshal(answer)
	return body, "application/json", err
}
