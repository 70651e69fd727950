package engine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// TokenResponse is the answer of the token endpoint (RFC 6749 section 5.1, OpenID
// Connect Core section 3.1.3.3).
type TokenResponse struct {
	AccessToken      string
	ExpiresIn        time.Duration
	RefreshToken     string
	RefreshExpiresIn time.Duration
	Scopes           []string
	IDToken          string
	Dialect          Dialect
}

// JSON returns the token payload in the client's dialect. It is put together as an
// ID token is: it is on the same path.
func (t TokenResponse) JSON() []byte {
	lifetime := func(b []byte, name string, d time.Duration) []byte {
		if t.Dialect.LifetimesAsStrings {
			return appendString(appendName(b, name), seconds(d))
		}
		return appendNumber(b, name, int64(d/time.Second))
	}
	b := make([]byte, 0, 2048)
	b = append(b, `{"access_token":`...)
	b = appendString(b, t.AccessToken)
	b = appendIfSet(b, "token_type", tokenType)
	b = lifetime(b, "expires_in", t.ExpiresIn)
	if t.RefreshToken != "" {
		b = appendIfSet(b, "refresh_token", t.RefreshToken)
		b = lifetime(b, "refresh_expires_in", t.RefreshExpiresIn)
	}
	b = appendString(appendName(b, "scope"), strings.Join(t.Scopes, " "))
	b = appendIfSet(b, "id_token", t.IDToken)
	return append(b, '}')
}

// Token answers a request to the token endpoint. Its errors are *Error.
func (e *Engine) Token(ctx context.Context, r *http.Request) (TokenResponse, error) {
	form, err := ReadForm(r)
	if err != nil {
		return TokenResponse{}, err
	}
	switch form.Get("grant_type") {
	case GrantAuthorizationCode, GrantRefreshToken:
	case "":
		return TokenResponse{}, fail(InvalidRequest, "The parameter grant_type is missing.")
	default:
		return TokenResponse{}, fail(UnsupportedGrantType, "This grant_type is not supported.")
	}
	s := &exchange{}
	requester, err := e.fosite.NewAccessRequest(ctx, cleanPost(r, form), s)
	if err != nil {
		return TokenResponse{}, AsError(err)
	}
	if _, err := e.fosite.NewAccessResponse(ctx, requester); err != nil {
		return TokenResponse{}, AsError(err)
	}
	return s.response, nil
}

// cleanPost shows fosite the form that was read, and the credentials.
func cleanPost(r *http.Request, form url.Values) *http.Request {
	return &http.Request{Method: http.MethodPost, Header: http.Header{"Authorization": r.Header["Authorization"]}, Form: form, PostForm: form}
}

// exchange is fosite's session at the token endpoint: the token that was
// presented, its grant, and the answer as it grows.
type exchange struct {
	noSession
	client *Client
	*Issued

	// scopes is what the new access token is good for.
	scopes []string

	// reissue answers once more for a refresh token that was used a moment ago.
	reissue bool

	response TokenResponse
}

var errGrant = fail(InvalidGrant, "The code or token is unknown, expired, used or revoked, or belongs to another application.")

// load reads the presented token with its grant, and refuses what belongs to
// somebody else before anything else happens: another application's token must not
// be harmed by whoever presents it.
func (e *Engine) load(ctx context.Context, kind storage.TokenKind, presented string, s *exchange) error {
	digest, ok := e.Tokens.Parse(kind, presented)
	if !ok {
		return errGrant
	}
	found, err := e.Grants.Issued(ctx, kind, digest)
	if errors.Is(err, storage.ErrNotFound) {
		return errGrant
	}
	if err != nil {
		return err
	}
	if found.Grant.ClientID != s.client.ID || !found.Grant.RevokedAt.IsZero() {
		return errGrant
	}
	s.Issued, s.scopes = found, found.Grant.Scopes
	return nil
}

// replayed ends the grant of a code or refresh token that came a second time: one
// of the two who presented it has stolen it (RFC 6749 section 10.5, RFC 9700
// section 4.14.2).
func (e *Engine) replayed(ctx context.Context, s *exchange) error {
	if _, err := e.Grants.RevokeGrants(ctx, storage.GrantFilter{ID: s.Grant.ID}, e.Clock()); err != nil {
		return err
	}
	e.Reused(ctx, s.Grant, s.Token.Kind)
	return errGrant
}

// tokens makes what the exchange answers with, and its records.
func (e *Engine) tokens(ctx context.Context, s *exchange, refresh bool) ([]storage.Token, error) {
	now := e.Clock()
	left := s.Grant.ExpiresAt.Sub(now)
	s.response = TokenResponse{Dialect: s.client.Dialect, Scopes: s.scopes, ExpiresIn: min(e.Lifetimes.Access, left)}
	var issued []storage.Token
	s.response.AccessToken, issued = e.issue(issued, storage.AccessToken, s.Grant.ID, now, s.response.ExpiresIn)
	if len(s.scopes) < len(s.Grant.Scopes) {
		issued[0].Scopes = s.scopes
	}
	if refresh {
		s.response.RefreshExpiresIn = min(e.Lifetimes.Refresh, left)
		s.response.RefreshToken, issued = e.issue(issued, storage.RefreshToken, s.Grant.ID, now, s.response.RefreshExpiresIn)
	}
	if !slices.Contains(s.scopes, ScopeOpenID) {
		return issued, nil
	}
	narrowed := s.Grant
	narrowed.Scopes = s.scopes
	f := idTokenFor{grant: narrowed, client: s.client, now: now, access: s.response.AccessToken}
	if s.Token.Kind == storage.AuthorizationCode {
		f.nonce = s.Grant.Nonce
	}
	var err error
	s.response.IDToken, err = e.idToken(ctx, f)
	return issued, err
}
