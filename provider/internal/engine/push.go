package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// pushedPrefix begins every request_uri of the provider (RFC 9126 section 2.2).
	pushedPrefix = "urn:ietf:params:oauth:request_uri:"

	// keptPrefix begins those of Keep: nobody can push a request under such a name.
	keptPrefix = pushedPrefix + "fedcm:"

	// pushedLife is the life of a pushed request.
	pushedLife = 90 * time.Second

	// maxPushed is the maximum size of a stored request in bytes.
	maxPushed = 8 << 10
)

// Pushed is the response to a pushed authorization request (RFC 9126 section 2.2).
type Pushed struct {
	RequestURI string `json:"request_uri"`
	ExpiresIn  int64  `json:"expires_in"`

	// ClientID is the client of the request.
	ClientID string `json:"-"`

	// DPoPNonce is for the next proof of the client, or empty.
	DPoPNonce string `json:"-"`
}

// Push checks an authorization request that an application itself sends, and keeps it for the
// user's visit, unless mayPush returns an error for the authenticated client.
func (e *Engine) Push(ctx context.Context, r *http.Request, mayPush func(*registry.Client) error) (pushed Pushed, err error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return Pushed{}, err
	}
	nonce, err := e.withProof(ctx, r, form, func(proof *dpop.Proof) (err error) {
		pushed, err = e.push(ctx, r, form, proof, mayPush)
		return err
	})
	pushed.DPoPNonce = nonce
	return pushed, err
}

// push checks and keeps a request whose proof has been read.
func (e *Engine) push(ctx context.Context, r *http.Request, form url.Values, proof *dpop.Proof, mayPush func(*registry.Client) error) (Pushed, error) {
	ctx, err := e.pushing(ctx, clientauth.ClaimedClient(r, form))
	if err != nil {
		return Pushed{}, err
	}
	authenticated, err := e.fosite.AuthenticateClient(ctx, r, form)
	if err != nil {
		return Pushed{}, refusal(err)
	}
	client := clientOf(authenticated)
	if err := mayPush(client); err != nil {
		return Pushed{}, err
	}
	if form.Has("request_uri") {
		return Pushed{}, protocol.Fail(protocol.InvalidRequest, "A pushed request has no request_uri.").Because(diagnosis.ParameterUnsupported, "parameter", "request_uri")
	}
	request, err := e.unfold(ctx, client, withoutCredentials(form, client.ID))
	var elsewhere *authorization.RedirectError
	if errors.As(err, &elsewhere) {
		mistaken := elsewhere.Diagnosed()
		mistaken.Description = "The redirect_uri is not registered."
		return Pushed{}, mistaken
	}
	if err != nil {
		return Pushed{}, protocol.AsError(err)
	}
	asked, err := bindCode(request, proof)
	if err != nil {
		return Pushed{}, err
	}
	if err := e.spendProof(ctx, proof); err != nil {
		return Pushed{}, protocol.AsError(err)
	}
	if err := e.KeepClient(ctx, client); err != nil {
		return Pushed{}, protocol.AsError(err)
	}
	return e.keepPushed(ctx, client, pushedPrefix, asked.Encode())
}

// Keep keeps a checked request that a browser has brought, for the window that it opens. Its response
// is in ModeFedCM.
func (e *Engine) Keep(ctx context.Context, c *registry.Client, asked url.Values) (Pushed, error) {
	return e.keepPushed(ctx, c, keptPrefix, asked.Encode())
}

// bindCode returns the parameters of a pushed request with the key of its proof, which means the
// same as dpop_jkt (RFC 9449 section 10.1).
func bindCode(r *AuthorizeRequest, proof *dpop.Proof) (url.Values, error) {
	switch {
	case proof == nil, r.JKT == proof.JKT:
		return r.Form, nil
	case !r.JKT.IsZero():
		return nil, errProof.Because(diagnosis.DPoPKeyDiffers)
	}
	bound := maps.Clone(r.Form)
	bound.Set("dpop_jkt", base64.RawURLEncoding.EncodeToString(proof.JKT[:]))
	return bound, nil
}

// withoutCredentials returns the parameters of a pushed request for the authorization endpoint.
func withoutCredentials(form url.Values, clientID string) url.Values {
	request := url.Values{}
	for name, values := range form {
		switch name {
		case "client_secret", "client_assertion", "client_assertion_type":
		default:
			request[name] = values
		}
	}
	request.Set("client_id", clientID)
	return request
}

// keepPushed stores a request under a random name with a prefix. It is encrypted, because login_hint
// may name a person.
func (e *Engine) keepPushed(ctx context.Context, c *registry.Client, prefix, asked string) (Pushed, error) {
	if len(asked) > maxPushed {
		return Pushed{}, protocol.Fail(protocol.InvalidRequest, "The request is too large.").Because(diagnosis.RequestMalformed)
	}
	uri := prefix + random.Text(32)
	digest, expires := sha256.Sum256([]byte(uri)), e.Clock().Add(pushedLife)
	err := e.PushedRequests.SavePushedRequest(ctx, storage.PushedRequest{
		Digest: digest, ClientID: c.ID, Payload: e.SealPushed(c.ID, []byte(asked)), ExpiresAt: expires,
	})
	if errors.Is(err, storage.ErrNotFound) { // the client was deleted meanwhile
		return Pushed{}, clientauth.ErrRefused.Because(diagnosis.ClientUnknown)
	}
	if err != nil {
		return Pushed{}, protocol.AsError(err)
	}
	request.InFlow(ctx, flowOfPushed(digest, expires))
	return Pushed{RequestURI: uri, ExpiresIn: int64(pushedLife / time.Second), ClientID: c.ID}, nil
}

// isPushed reports whether a request refers to a pushed one.
func isPushed(form url.Values) bool {
	return len(form["request_uri"]) == 1 && strings.HasPrefix(form.Get("request_uri"), pushedPrefix)
}

// readPushed returns the pushed request of a client. A visit does not spend it: a page may be
// loaded again, or a program may look first where a link leads. Every visit has the same flow,
// which has one response (FAPI 2.0 Security Profile section 5.3.2.2, note 3). Other parameters
// are ignored (RFC 9126 section 4). All checks are repeated: the registration may have changed.
func (e *Engine) readPushed(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	client, err := e.namedClient(ctx, form)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(form.Get("request_uri")))
	pushed, err := e.PushedRequests.PushedRequest(ctx, client.ID, digest, e.Clock())
	if errors.Is(err, storage.ErrNotFound) {
		return nil, &UnredirectedError{client, protocol.Fail(protocol.InvalidRequestURI, "The request_uri is unknown, expired, or of another application.").
			Because(diagnosis.RequestURIUnknown)}
	}
	if err != nil {
		return nil, protocol.AsError(err)
	}
	plain, err := e.OpenPushed(client.ID, pushed.Payload)
	if err != nil {
		return nil, fmt.Errorf("open pushed request: %w", err)
	}
	request, err := url.ParseQuery(string(plain))
	if err != nil {
		return nil, fmt.Errorf("decode pushed request: %w", err)
	}
	r, err := e.ParseAuthorize(ctx, request)
	if r != nil {
		r.PushedAs = Flow{flowOfPushed(digest, pushed.ExpiresAt), pushed.ExpiresAt}
		if strings.HasPrefix(form.Get("request_uri"), keptPrefix) {
			r.Mode = protocol.ModeFedCM
		}
	}
	return r, err
}

// flowOfPushed returns the name of a pushed request's flow. Like every such name it begins with a
// time.
func flowOfPushed(pushed storage.Digest, expires time.Time) storage.Digest {
	d := storage.Digest(sha256.Sum256(append([]byte("pushed flow "), pushed[:]...)))
	binary.BigEndian.PutUint64(d[:8], uint64(expires.UnixMicro()))
	return d
}
