package engine

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/engine/signed"
)

// Receive checks a new authorization request as ParseAuthorize does: a pushed one (RFC 9126),
// one with a request object (RFC 9101), or plain parameters. Only the Form of its result
// counts, which can be parsed again; a jti is then spent.
func (e *Engine) Receive(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	form = input.WithValue(form)
	if isPushed(form) {
		return e.readPushed(ctx, form)
	}
	// The client is read once, with its requirements: a second reading could find it where
	// the first did not, and the request would skip them.
	client, err := e.namedClient(ctx, form)
	if err != nil {
		return nil, err
	}
	if client.RequirePushed {
		return e.refuse(ctx, client, form, protocol.Fail(protocol.InvalidRequest, "This application has to push its requests.").
			Because(diagnosis.PushRequired))
	}
	return e.unfold(ctx, client, form)
}

// unfold checks a client's request, by its request object if it has one.
func (e *Engine) unfold(ctx context.Context, c *registry.Client, form url.Values) (*AuthorizeRequest, error) {
	switch {
	case len(form["request"]) == 1 && !form.Has("request_uri"):
		return e.parseObject(ctx, c, form)
	case e.Fetches(form):
		object, err := e.fetchObject(ctx, c, form.Get("request_uri"))
		if err != nil {
			return e.refuse(ctx, c, form, err)
		}
		form = maps.Clone(form)
		form.Set("request", object)
		return e.parseObject(ctx, c, form)
	case c.RequireSignedRequest:
		return e.refuse(ctx, c, form, protocol.Fail(protocol.InvalidRequest, "This application has to sign its requests.").
			Because(diagnosis.RequestObjectRequired))
	default:
		return e.ParseAuthorize(ctx, form)
	}
}

// parseObject checks a request by its request object, which it spends after all other checks.
func (e *Engine) parseObject(ctx context.Context, c *registry.Client, form url.Values) (*AuthorizeRequest, error) {
	parameters, claims, err := e.signatures.OpenObject(ctx, c, form)
	if err != nil {
		return e.refuse(ctx, c, form, err)
	}
	r, err := e.ParseAuthorize(ctx, parameters)
	if err != nil {
		return r, err
	}
	if err := e.signatures.Use(ctx, signed.RequestObject, c, claims); err != nil {
		return r, protocol.AsError(err)
	}
	return r, nil
}

// UnredirectedError is an error of a client's request that has no redirect URI to trust, or no
// response that could go there.
type UnredirectedError struct {
	Client *registry.Client
	Err    error
}

func (e *UnredirectedError) Error() string { return e.Err.Error() }

func (e *UnredirectedError) Unwrap() error { return e.Err }

// refuse returns the request of an error if its redirect URI is registered. State and response
// mode may come from an unverified request object: its sender could have sent them as
// parameters as well. The redirect URI never does.
func (e *Engine) refuse(ctx context.Context, c *registry.Client, form url.Values, cause error) (*AuthorizeRequest, error) {
	var inside struct {
		State string                `json:"state"`
		Mode  protocol.ResponseMode `json:"response_mode"`
	}
	if token, err := clientkeys.Read(form.Get("request")); err == nil && token.Unverified(&inside) == nil {
		form = maps.Clone(form)
		if inside.State != "" {
			form.Set("state", inside.State)
		}
		if slices.Contains(protocol.ResponseModes, inside.Mode) || slices.Contains(protocol.SignedModes, inside.Mode) {
			form.Set("response_mode", string(inside.Mode))
		}
	}
	r, err := e.identify(ctx, form)
	if err != nil {
		return nil, &UnredirectedError{c, cause}
	}
	return r, cause
}
