package provider

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// validateKeys returns an error for the first invalid field of the application's keys and
// signatures.
func (c Client) validateKeys(allowPrivate bool) error {
	hasKeys := len(c.JWKS) > 0 || c.JWKSURI != ""
	byKey := c.TokenEndpointAuthMethod == protocol.AuthPrivateKey
	if len(c.JWKS) > 0 {
		if _, err := clientkeys.Registered(c.JWKS); err != nil {
			return &FieldError{"JWKS", err}
		}
	}
	if c.JWKSURI != "" {
		if err := outbound.ValidateURL(c.JWKSURI, allowPrivate); err != nil {
			return &FieldError{"JWKSURI", err}
		}
	}
	switch {
	case len(c.JWKS) > 0 && c.JWKSURI != "":
		return wrongField("JWKSURI", "must be empty beside JWKS")
	case byKey && c.Public:
		return wrongField("TokenEndpointAuthMethod", "a public client has no key that nobody else has")
	case byKey && c.Secret != "":
		return wrongField("Secret", "a client of %s has none", protocol.AuthPrivateKey)
	case byKey && !hasKeys:
		return wrongField("JWKS", "must hold the public keys for %s, unless JWKSURI does", protocol.AuthPrivateKey)
	case !byKey && c.TokenEndpointAuthSigningAlg != "":
		return wrongField("TokenEndpointAuthSigningAlg", "is for %s only", protocol.AuthPrivateKey)
	case !isSigningAlg(c.TokenEndpointAuthSigningAlg):
		return wrongField("TokenEndpointAuthSigningAlg", "%q is none of %s", c.TokenEndpointAuthSigningAlg, strings.Join(clientkeys.Algorithms, ", "))
	case !isSigningAlg(c.RequestObjectSigningAlg):
		return wrongField("RequestObjectSigningAlg", "%q is none of %s", c.RequestObjectSigningAlg, strings.Join(clientkeys.Algorithms, ", "))
	case c.RequireSignedRequestObject && !hasKeys:
		return wrongField("RequireSignedRequestObject", "needs the public keys in JWKS or at JWKSURI")
	case slices.Contains(c.GrantTypes, protocol.GrantJWTBearer) && !hasKeys:
		return wrongField("GrantTypes", "%s needs the public keys in JWKS or at JWKSURI", protocol.GrantJWTBearer)
	}
	return nil
}

// isSigningAlg reports whether an application may sign with an algorithm; empty stands for
// any.
func isSigningAlg(alg string) bool { return alg == "" || slices.Contains(clientkeys.Algorithms, alg) }
