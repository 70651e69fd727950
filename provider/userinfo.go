package provider

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
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
	token, err := p.signUserinfo(grant, claims)
	if err != nil {
		return nil, "", err
	}
	if !a.Client.Dialect.UserinfoAsString {
		return []byte(token), "application/jwt", nil
	}
	body, err = json.Marshal(token)
	return body, "application/json", err
}

// maxSignedUserinfo bounds how many signed answers are kept, some megabytes.
const maxSignedUserinfo = 4096

// signUserinfo returns the claims as a JWT. While they are what they were, so is the
// JWT for the first half of its life: a signature costs more than all the rest of
// the request.
func (p *Provider) signUserinfo(g storage.Grant, claims []engine.Claim) (string, error) {
	now, life := p.cfg.Clock(), p.cfg.Lifetimes.IDToken
	timeless := engine.FinishClaims(p.engine.StartClaims(g, time.Time{}, 0), claims)
	return p.userinfos.Get(sha256.Sum256(timeless), func() (string, error) {
		return p.keys.Sign(engine.FinishClaims(p.engine.StartClaims(g, now, life), claims))
	})
}

var errTokenOwner = &engine.Error{
	Code: engine.InvalidToken, Status: http.StatusUnauthorized,
	Description: "The user no longer exists.",
}
