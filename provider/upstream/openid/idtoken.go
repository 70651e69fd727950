package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// skew is by how much the clock of an upstream may differ.
const skew = 60 * time.Second

// idToken returns the claims of the ID token in a response, after all checks of OpenID Connect
// Core section 3.1.3.7.
func (c *Connector) idToken(ctx context.Context, m *metadata, b upstream.Callback, raw, nonce string) (claims, error) {
	if raw == "" {
		return nil, errors.New("openid: the token endpoint answers without an ID token")
	}
	payload, err := m.keys.Verify(ctx, b.HTTP, raw, m.algorithms)
	if err != nil {
		if newer, failed := c.found.metadata(ctx, c, b.HTTP, b.Now, pause); failed == nil && newer != m {
			payload, err = newer.keys.Verify(ctx, b.HTTP, raw, newer.algorithms)
		}
	}
	var refused *clientkeys.RefusedError
	switch {
	case errors.Is(err, clientkeys.ErrForeign):
		return nil, errors.New("openid: the ID token is not signed by the upstream")
	case errors.As(err, &refused): // of keys that cannot be read nothing is known of the token
		return nil, fmt.Errorf("%w: the key set of the upstream %w", upstream.ErrUnavailable, refused.Reason)
	case err != nil:
		return nil, fmt.Errorf("openid: key set: %w", reply.Unavailable(err))
	}
	said, err := readClaims(payload)
	if err != nil {
		return nil, err
	}
	if err := c.judge(m, said, nonce, b.Now); err != nil {
		return nil, err
	}
	return said, nil
}

// judge returns why the claims of an ID token are not those of this attempt.
func (c *Connector) judge(m *metadata, said claims, nonce string, now time.Time) error {
	issued := said.text("iss") == m.issuer
	if c.dialect.issuer != nil {
		issued = c.dialect.issuer(said)
	}
	audience, party := said.texts("aud"), said.text("azp")
	expires, hasExpiry := said.time("exp")
	made, hasTime := said.time("iat")
	begins, hasBegin := said.time("nbf")
	switch {
	case !issued:
		return errors.New("openid: the ID token is of another issuer")
	case !slices.Contains(audience, c.options.ClientID):
		return errors.New("openid: the ID token is for another client")
	case said["azp"] != nil && party != c.options.ClientID, said["azp"] == nil && len(audience) > 1:
		return errors.New("openid: the ID token was issued to another client")
	case !hasExpiry || !now.Before(expires.Add(skew)):
		return errors.New("openid: the ID token has expired")
	case !hasTime || made.After(now.Add(skew)), hasBegin && begins.After(now.Add(skew)), said["nbf"] != nil && !hasBegin:
		return errors.New("openid: the ID token is of a time to come")
	case subtle.ConstantTimeCompare([]byte(said.text("nonce")), []byte(nonce)) != 1:
		return errors.New("openid: the ID token is of another attempt")
	case !reply.Subject(said.text("sub")):
		return errors.New("openid: the ID token has no subject that can be kept")
	}
	return nil
}
