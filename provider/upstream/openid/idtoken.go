package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

// skew is by how much the clock of an upstream may differ.
const skew = 60 * time.Second

// idToken returns the claims of the ID token in a response, after all checks of OpenID Connect
// Core section 3.1.3.7.
func (c *Connector) idToken(ctx context.Context, m *metadata, b upstream.Callback, token *oauth2.Token, nonce string) (claims, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, errors.New("openid: the token endpoint answers without an ID token")
	}
	keys := &watched{KeySet: m.keys}
	// The payload is judged below, by its exact names.
	verifier := oidc.NewVerifier(m.issuer, keys, &oidc.Config{SupportedSigningAlgs: m.algorithms, SkipIssuerCheck: true, SkipClientIDCheck: true, SkipExpiryCheck: true})
	if _, err := verifier.Verify(ctx, raw); err != nil {
		if keys.missing {
			return nil, reply.Unavailable(err)
		}
		return nil, errors.New("openid: the ID token is not signed by the upstream")
	}
	said, err := readClaims(keys.payload)
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

// watched keeps the payload whose signature a KeySet has verified, and whether the keys could
// not be fetched.
type watched struct {
	oidc.KeySet
	payload []byte
	missing bool
}

// VerifySignature implements oidc.KeySet.
func (w *watched) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := w.KeySet.VerifySignature(ctx, jwt)
	if err != nil {
		w.missing = ctx.Err() != nil || strings.HasPrefix(err.Error(), "fetching keys ") // as a RemoteKeySet says it
		return nil, err
	}
	w.payload = payload
	return payload, nil
}
