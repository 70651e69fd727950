package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// Fetches reports whether a request is one by an address that Receive fetches.
func (e *Engine) Fetches(form url.Values) bool {
	return e.FetchObject != nil && len(form["request_uri"]) == 1 && !form.Has("request") && !isPushed(form)
}

// fetchObject returns the request object at an address (OpenID Connect Core section 6.2): at one that the client
// has registered, since anybody may send a request, and would choose what the provider calls. Nothing of it is kept
// for another request: an object is good for one. A fragment is the SHA-256 of what is there.
func (e *Engine) fetchObject(ctx context.Context, c *registry.Client, uri string) (string, error) {
	address, digest, hashed := strings.Cut(uri, "#")
	if !slices.Contains(c.RequestURIs, uri) && !slices.Contains(c.RequestURIs, address) {
		return "", refusedURI("it is not registered")
	}
	text, err := e.FetchObject(ctx, address)
	if err != nil {
		return "", refusedURI(err.Error())
	}
	if has := sha256.Sum256(text); hashed && digest != base64.RawURLEncoding.EncodeToString(has[:]) {
		return "", refusedURI("its fragment is not the SHA-256 of the answer")
	}
	return strings.TrimSpace(string(text)), nil
}

func refusedURI(reason string) error {
	return protocol.Fail(protocol.InvalidRequestURI, "The request_uri is not registered, or there is no request object to read.").
		Because(diagnosis.RequestURIRefused, "request_uri", reason)
}
