package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/storage"
)

// Client is a registered application together with its dialect. Many requests may
// share one: nobody changes it.
type Client struct {
	storage.Client
	Dialect Dialect
}

// AllowsResponseType reports whether the client may ask for this response type,
// given in canonical order.
func (c *Client) AllowsResponseType(responseType string) bool {
	return slices.Contains(c.responseTypes(), responseType)
}

func (c *Client) responseTypes() []string {
	if len(c.ResponseTypes) > 0 {
		return c.ResponseTypes
	}
	return c.Dialect.ResponseTypes
}

// AllowsGrant reports whether the client may use this grant at the token endpoint.
// A registration that names none has authorization_code.
func (c *Client) AllowsGrant(grant string) bool {
	if len(c.GrantTypes) == 0 {
		return grant == GrantAuthorizationCode
	}
	return slices.Contains(c.GrantTypes, grant)
}

// AllowsScopes reports whether the client may still ask for all of these.
func (c *Client) AllowsScopes(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !allows(c.Scopes, s) })
}

// allows holds the rule for the scopes of a registration: one that names none may
// ask for all; openid is the protocol's and always allowed.
func allows(registered []string, scope string) bool {
	return scope == ScopeOpenID || len(registered) == 0 || slices.Contains(registered, scope)
}

// ErrNoClient says that there is no such client, or that it is disabled.
var ErrNoClient = errors.New("engine: no such client")

// clientAge is how long a client may be served from memory: a change is in force
// in every process after it.
const clientAge = time.Second

const maxCachedClients = 1024

// Client returns an enabled client as it was at most a second ago. ErrNoClient when
// there is none.
func (e *Engine) Client(ctx context.Context, id string) (*Client, error) {
	if id == "" || len(id) > maxValue || !isText(id) {
		return nil, ErrNoClient
	}
	return e.clients.Get(id, func() (*Client, error) { return e.readClient(ctx, id) })
}

func (e *Engine) readClient(ctx context.Context, id string) (*Client, error) {
	record, err := e.Clients.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && record.Disabled {
		return nil, ErrNoClient
	}
	if err != nil {
		return nil, err
	}
	dialect, ok := DialectNamed(record.Dialect)
	if !ok {
		return nil, errors.New("engine: client of an unknown dialect")
	}
	return &Client{record, dialect}, nil
}

// ForgetClient makes the next read of this client come from the store.
func (e *Engine) ForgetClient(id string) { e.clients.Forget(id) }

// fositeClient shows a client to fosite. redirectURI is the one that this request
// was matched to; fosite's own matching has nothing else to match.
type fositeClient struct {
	*Client
	redirectURI string
}

var _ fosite.ResponseModeClient = fositeClient{}

func (c fositeClient) GetID() string             { return c.ID }
func (c fositeClient) GetHashedSecret() []byte   { return nil }
func (c fositeClient) GetRedirectURIs() []string { return []string{c.redirectURI} }
func (c fositeClient) GetGrantTypes() fosite.Arguments {
	return c.GrantTypes
}
func (c fositeClient) GetResponseTypes() fosite.Arguments { return c.responseTypes() }
func (c fositeClient) GetScopes() fosite.Arguments        { return c.Scopes }
func (c fositeClient) IsPublic() bool                     { return c.Public }
func (c fositeClient) GetAudience() fosite.Arguments      { return nil }
func (c fositeClient) GetResponseModes() []fosite.ResponseModeType {
	return []fosite.ResponseModeType{
		fosite.ResponseModeQuery, fosite.ResponseModeFragment, fosite.ResponseModeFormPost,
	}
}

// contextClients is fosite's storage: the client that was looked up before fosite
// was called.
type contextClients struct{}

type contextClientKey struct{}

func withClient(ctx context.Context, c fositeClient) context.Context {
	return context.WithValue(ctx, contextClientKey{}, c)
}

func (contextClients) GetClient(ctx context.Context, _ string) (fosite.Client, error) {
	c, ok := ctx.Value(contextClientKey{}).(fositeClient)
	if !ok {
		return nil, fosite.ErrNotFound
	}
	return c, nil
}

func (contextClients) ClientAssertionJWTValid(context.Context, string) error {
	return fosite.ErrJTIKnown
}

func (contextClients) SetClientAssertionJWT(context.Context, string, time.Time) error {
	return fosite.ErrJTIKnown
}

// canonicalResponseType orders the values of a response type, so that
// "token code" and "code token" are one. It returns "" for values that repeat or
// are unknown.
func canonicalResponseType(sent string) string {
	values := strings.Split(sent, " ")
	for _, known := range ResponseTypes {
		if sameSet(values, strings.Split(known, " ")) {
			return known
		}
	}
	return ""
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, v := range b {
		if !slices.Contains(a, v) {
			return false
		}
	}
	return true
}
