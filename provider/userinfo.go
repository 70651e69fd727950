package provider

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// userinfo tells the claims of an OpenID Connect flow: as a signed JWT in a JSON
// string, or as OpenID Connect Core section 5.3 has it.
func (p *Provider) userinfo(ctx context.Context, a engine.Access) (answer, error) {
	grant := a.Grant
	grant.Scopes = a.Scopes
	claims, err := p.claims(ctx, grant, a.Client)
	if err != nil {
		return answer{}, err
	}
	if !a.Client.Dialect.UserinfoAsString && !a.Client.UserinfoSigned {
		return answer{engine.FinishClaims(engine.StartObject("sub", grant.Subject), claims), "application/json"}, nil
	}
	token, err := p.signUserinfo(grant, claims)
	if err != nil {
		return answer{}, err
	}
	if !a.Client.Dialect.UserinfoAsString {
		return answer{[]byte(token), "application/jwt"}, nil
	}
	body, err := json.Marshal(token)
	return answer{body, "application/json"}, err
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
