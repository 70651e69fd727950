package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// newFosite returns fosite with the handlers of the engine. Its two lists of handlers are all
// grants and response types of the endpoints, and those of discovery and registration, but for the
// one that PreAuthorize adds.
func newFosite(e *Engine) *fosite.Fosite {
	return fositeWith(e, codeGrant{e}, refreshGrant{e}, clientGrant{e}, jwtGrant{e}, deviceGrant{e}, exchangeGrant{e})
}

// fositeWith returns fosite with these handlers of the token endpoint.
func fositeWith(e *Engine, grants ...fosite.TokenEndpointHandler) *fosite.Fosite {
	return &fosite.Fosite{
		Store: fositeClients{e},
		Config: &fosite.Config{
			ScopeStrategy:                e.scopeAllowed,
			MinParameterEntropy:          1, // the least; see readByFosite
			ClientAuthenticationStrategy: e.authenticate,
			// An audience is a resource, which was checked before.
			AudienceMatchingStrategy: func([]string, []string) error { return nil },
			// fosite sets its defaults at first use, where the first requests would race.
			ClientSecretsHasher: noHashes{},
			JWKSFetcherStrategy: noKeySets{},
			AuthorizeEndpointHandlers: fosite.AuthorizeEndpointHandlers{
				pkceChallenge{},
				issuer{e},
			},
			TokenEndpointHandlers: grants,
			RevocationHandlers:    fosite.RevocationHandlers{revocation{e}},
		},
	}
}

// authenticate implements fosite.ClientAuthenticationStrategy.
func (e *Engine) authenticate(ctx context.Context, r *http.Request, form url.Values) (fosite.Client, error) {
	client, err := e.auth.Authenticate(ctx, r, form)
	if err != nil {
		return nil, err
	}
	return fositeClient{client}, nil
}

// refusal returns the error response of an error of fosite, whose own text repeats input: line
// breaks and markup would reach logs and pages.
func refusal(err error) *protocol.Error {
	var ours *protocol.Error
	var theirs *fosite.RFC6749Error
	if errors.As(err, &ours) || protocol.IsUnavailable(err) || !errors.As(err, &theirs) || theirs.CodeField >= http.StatusInternalServerError {
		return protocol.AsError(err)
	}
	response := protocol.Refused(theirs.ErrorField)
	response.Cause = err
	return response
}

// scopeAllowed implements fosite.ScopeStrategy by exact match: wildcards and
// hierarchies would let an application ask for what its owner never saw.
func (e *Engine) scopeAllowed(registered []string, scope string) bool {
	return registry.Allows(registered, scope) && (scope == protocol.ScopeOpenID || e.ScopeKnown(scope))
}

// fositeClients implements fosite.Storage.
type fositeClients struct{ *Engine }

func (c fositeClients) GetClient(ctx context.Context, id string) (fosite.Client, error) {
	if named, ok := requestedIn(ctx, id); ok && named.redirectURI != "" {
		return matchedClient{fositeClient{named.Client}, named.redirectURI}, nil
	} else if ok {
		return fositeClient{named.Client}, nil
	}
	client, err := c.Client(ctx, id)
	if err != nil {
		return nil, err
	}
	return fositeClient{client}, nil
}

var errNoAssertions = errors.New("engine: client assertions are not supported")

func (fositeClients) ClientAssertionJWTValid(context.Context, string) error { return errNoAssertions }

func (fositeClients) SetClientAssertionJWT(context.Context, string, time.Time) error {
	return errNoAssertions
}

// fositeClient is a client for fosite.
type fositeClient struct{ *registry.Client }

var _ fosite.ResponseModeClient = fositeClient{}

func (c fositeClient) GetID() string { return c.ID }

// GetHashedSecret returns nothing: authenticate compares secrets, which are encrypted.
func (c fositeClient) GetHashedSecret() []byte { return nil }

// GetRedirectURIs returns the addresses as readByFosite names them.
func (c fositeClient) GetRedirectURIs() []string {
	if !c.Dialect.StateInRedirectURI {
		return c.RedirectURIs
	}
	uris := slices.Clone(c.RedirectURIs)
	for i := range uris {
		uris[i] = registry.WithoutState(uris[i])
	}
	return uris
}

func (c fositeClient) GetGrantTypes() fosite.Arguments    { return c.AllowedGrantTypes() }
func (c fositeClient) GetResponseTypes() fosite.Arguments { return c.AllowedResponseTypes() }
func (c fositeClient) GetScopes() fosite.Arguments        { return c.AllowedScopes() }
func (c fositeClient) IsPublic() bool                     { return c.Public }
func (c fositeClient) GetAudience() fosite.Arguments      { return nil }

func (c fositeClient) GetResponseModes() []fosite.ResponseModeType {
	return []fosite.ResponseModeType{
		fosite.ResponseModeQuery, fosite.ResponseModeFragment, fosite.ResponseModeFormPost,
	}
}

// matchedClient is a client with the redirect URI of its request, which has been matched by
// rules that fosite does not have.
type matchedClient struct {
	fositeClient
	redirectURI string
}

// GetRedirectURIs returns the one that was matched.
func (c matchedClient) GetRedirectURIs() []string { return []string{c.redirectURI} }

// clientOf returns the client that fosite was given.
func clientOf(c fosite.Client) *registry.Client {
	if matched, ok := c.(matchedClient); ok {
		return matched.Client
	}
	return c.(fositeClient).Client
}

// noHashes implements fosite.Hasher: no secret is kept as a hash, and none fits.
type noHashes struct{}

var errNoHashes = errors.New("engine: client secrets are not hashed")

func (noHashes) Compare(context.Context, []byte, []byte) error { return errNoHashes }

func (noHashes) Hash(context.Context, []byte) ([]byte, error) { return nil, errNoHashes }

// noKeySets implements fosite.JWKSFetcherStrategy: fosite fetches nothing from a client's address.
type noKeySets struct{}

func (noKeySets) Resolve(context.Context, string, bool) (*jose.JSONWebKeySet, error) {
	return nil, errors.New("engine: key sets of clients are not fetched")
}

// session is the session of fosite at both endpoints: the new or presented grant, and the issued
// tokens.
type session struct{ issue.Batch }

// GetSubject implements fosite.Session.
func (s *session) GetSubject() string { return s.Grant.Subject }

// GetUsername implements fosite.Session: a grant knows no other name of its subject.
func (s *session) GetUsername() string { return "" }

// GetExpiresAt implements fosite.Session: when the token of a kind that was issued
// expires, or the zero time.
func (s *session) GetExpiresAt(kind fosite.TokenType) time.Time {
	if t := s.token(kind); t != nil {
		return t.ExpiresAt
	}
	return time.Time{}
}

// SetExpiresAt implements fosite.Session.
func (s *session) SetExpiresAt(kind fosite.TokenType, at time.Time) {
	if t := s.token(kind); t != nil {
		t.ExpiresAt = at
	}
}

// Clone implements fosite.Session.
func (s *session) Clone() fosite.Session {
	return &session{issue.Batch{Grant: s.Grant, Issued: append([]storage.Token(nil), s.Issued...)}}
}

func (s *session) token(kind fosite.TokenType) *storage.Token {
	for i := range s.Issued {
		if fositeTypes[s.Issued[i].Kind] == kind {
			return &s.Issued[i]
		}
	}
	return nil
}

var fositeTypes = map[storage.TokenKind]fosite.TokenType{
	storage.AuthorizationCode: fosite.AuthorizeCode,
	storage.AccessToken:       fosite.AccessToken,
	storage.RefreshToken:      fosite.RefreshToken,
}

// pkceChallenge keeps the challenge with the new grant.
type pkceChallenge struct{}

func (pkceChallenge) HandleAuthorizeEndpointRequest(_ context.Context, ar fosite.AuthorizeRequester, _ fosite.AuthorizeResponder) error {
	ar.GetSession().(*issuance).Grant.Challenge = ar.GetRequestForm().Get("code_challenge")
	return nil
}
