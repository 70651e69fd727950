package resource

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// userinfo serves the claims of an OpenID Connect flow: as a signed JWT in a JSON
// string, which who asks for application/jwt gets bare, or as OpenID Connect Core section
// 5.3 has it.
func (e *Endpoints) userinfo(ctx context.Context, a engine.Access) (response, error) {
	grant := a.Grant
	grant.Scopes = a.Scopes
	claims, err := e.Claims.Claims(ctx, grant, a.Client, authorization.InUserinfo)
	if err != nil {
		return response{}, err
	}
	if !a.Client.Dialect.UserinfoAsString && !a.Client.UserinfoSigned {
		body, err := issue.UserinfoJSON(grant, claims)
		return response{body: body, mediaType: mediaJSON}, err
	}
	e.Keys.Refresh(ctx)
	token, err := e.signUserinfo(grant, a.Client, claims)
	if err != nil {
		return response{}, err
	}
	if !a.Client.Dialect.UserinfoAsString {
		return response{body: []byte(token), mediaType: mediaJWT}, nil
	}
	body, err := json.Marshal(token)
	return response{body: body, mediaType: mediaJSON, jwt: []byte(token)}, err
}

// maxSignedUserinfo bounds how many signed answers are kept, some megabytes.
const maxSignedUserinfo = 4096

// signUserinfo returns the claims as a JWT: in v3 in the form of an ID token, as its
// contract wants, else in one that is none. While the claims and the key are what they
// were, so is the JWT for the first half of an ID token's life: a signature costs more
// than all the rest of the request. What has an end does not outlive
// what it says.
func (e *Endpoints) signUserinfo(g storage.Grant, c *registry.Client, claims issue.Claims) (string, error) {
	d, alg := c.Dialect, c.UserinfoSigning()
	timeless, err := e.Engine.UserinfoJWT(g, d, claims, time.Time{})
	if err != nil {
		return "", err
	}
	timeless = binary.BigEndian.AppendUint64(timeless, uint64(claims.Until.Unix()))
	return e.userinfos.Get(sha256.Sum256(append(timeless, e.Keys.KeyID(alg)...)), func() (string, error) {
		payload, err := e.Engine.UserinfoJWT(g, d, claims, e.Clock())
		if err != nil {
			return "", err
		}
		token, err := e.Keys.Sign(alg, payload)
		return token, registry.Unsigned(alg, err)
	})
}
