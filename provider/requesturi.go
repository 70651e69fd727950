package provider

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
)

// validateRequestURIs returns an error for the first address of a request object that may not be registered.
func (c Client) validateRequestURIs(allowPrivate bool) error {
	if len(c.RequestURIs) > 100 {
		return wrongField("RequestURIs", "must be at most 100")
	}
	for i, uri := range c.RequestURIs {
		field := fmt.Sprintf("RequestURIs[%d]", i)
		address, digest, hashed := strings.Cut(uri, "#")
		if err := outbound.ValidateURL(address, allowPrivate); err != nil {
			return wrongField(field, "%q %w", uri, err)
		}
		if sum, err := base64.RawURLEncoding.Strict().DecodeString(digest); hashed && (err != nil || len(sum) != sha256.Size) {
			return wrongField(field, "%q has a fragment that is no SHA-256 in base64url", uri)
		}
	}
	return nil
}

// fetchObject returns what reads a request object at an address of its application, or nil where that is off. Its calls
// have a budget of their own: strangers begin them, and delay no key set and no logout notice.
func (p *Provider) fetchObject() func(ctx context.Context, address string) ([]byte, error) {
	if !p.cfg.RequestURI {
		return nil
	}
	p.objects = outbound.New(outbound.Options{AllowPrivate: p.cfg.AllowPrivateNetworks, MaxCalls: 16, MaxBody: 2 * clientkeys.MaxToken})
	return func(ctx context.Context, address string) ([]byte, error) {
		text, err := p.objects.Get(ctx, address, "application/oauth-authz-req+jwt, application/jwt")
		var status *outbound.StatusError
		if err != nil && !errors.As(err, &status) {
			err = errors.New(outbound.Reason(err))
		}
		return text, err
	}
}
