package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

// userinfo answers with the claims of an OpenID Connect flow: as a signed JWT in a
// JSON string, or as OpenID Connect Core section 5.3 has it.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) error {
	callback, err := parseCallback(r)
	if err != nil {
		return err
	}
	return p.callback(w, r, callback, func() (engine.Access, error) {
		a, err := p.access(r)
		if err == nil && !slices.Contains(a.Scopes, scopeOpenID) {
			return a, errScope
		}
		return a, err
	}, p.userinfoBody)
}

// userinfoBody returns the answer and its media type.
func (p *Provider) userinfoBody(r *http.Request, a engine.Access) (body []byte, mediaType string, err error) {
	grant := a.Grant
	grant.Scopes = a.Scopes
	claims, err := p.claims(r.Context(), grant, a.Client)
	if errors.Is(err, engine.ErrNoUser) {
		return nil, "", errTokenOwner
	}
	if err != nil {
		return nil, "", err
	}
	if !a.Client.Dialect.UserinfoAsString && !a.Client.UserinfoSigned {
		return engine.FinishClaims(engine.StartObject("sub", grant.Subject), claims), "application/json", nil
	}
	token, err := p.keys.Sign(engine.FinishClaims(p.engine.StartClaims(grant, p.cfg.Clock(), p.cfg.Lifetimes.IDToken), claims))
	if err != nil {
		return nil, "", err
	}
	if !a.Client.Dialect.UserinfoAsString {
		return []byte(token), "application/jwt", nil
	}
	body, err = json.Marshal(token)
	return body, "application/json", err
}

var errTokenOwner = &engine.Error{
	Code: engine.InvalidToken, Status: http.StatusUnauthorized,
	Description: "The user no longer exists.",
}
