package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/storage"
)

// Approval is the decision that an authorization request is answered with.
type Approval struct {
	Subject  string
	AuthTime time.Time
	AMR      []string

	// Flow identifies the request; answering it twice is ErrAnswered.
	Flow storage.Digest
}

// ErrAnswered says that the request has been answered already.
var ErrAnswered = errors.New("engine: this authorization request has been answered")

// Parameter is one member of an authorization response.
type Parameter struct{ Name, Value string }

// Response is an authorization response, success or error, on its way to the
// client.
type Response struct {
	RedirectURI string
	Mode        ResponseMode
	Parameters  []Parameter
}

// Authorize answers a request that ParseAuthorize has returned, once, with what its response type asks for. ErrAnswered
// when its flow has been answered before; an *Error for the client otherwise.
func (e *Engine) Authorize(ctx context.Context, r *AuthorizeRequest, a Approval) (Response, error) {
	s := &issuance{request: r, approval: a}
	s.grant = storage.Grant{
		ID: newGrantID(e.Clock()), Flow: a.Flow,
		ClientID: r.Client.ID, Subject: a.Subject, Scopes: r.Scopes,
		RedirectURI: r.RedirectURI, RedirectSent: r.RedirectSent,
		ResponseType: r.ResponseType, Nonce: r.Nonce, EID: r.EID,
		AuthTime: a.AuthTime, AMR: a.AMR,
	}
	if _, err := e.fosite.NewAuthorizeResponse(ctx, r.checked, s); err != nil {
		if errors.Is(err, ErrAnswered) {
			return Response{}, ErrAnswered
		}
		return Response{}, AsError(err)
	}
	return e.respond(r, s.parameters), nil
}

// Refuse returns the error response for a request (RFC 6749 section 4.1.2.1).
func (e *Engine) Refuse(r *AuthorizeRequest, err error) Response {
	answer := AsError(err)
	return e.respond(r, []Parameter{{"error", answer.Code}, {"error_description", answer.Description}})
}

// respond adds what every response carries: the state that was sent, and the
// issuer, so that a client of several providers cannot be confused (RFC 9207).
func (e *Engine) respond(r *AuthorizeRequest, p []Parameter) Response {
	if r.StateSent {
		p = append(p, Parameter{"state", r.State})
	}
	p = append(p, Parameter{"iss", e.Issuer})
	return Response{RedirectURI: r.RedirectURI, Mode: r.Mode, Parameters: p}
}

// issuance is fosite's session at the authorization endpoint: what its handlers
// work on together.
type issuance struct {
	noSession
	request    *AuthorizeRequest
	approval   Approval
	grant      storage.Grant
	parameters []Parameter
}

// noSession satisfies fosite.Session, of which nothing is used.
type noSession struct{}

func (noSession) SetExpiresAt(fosite.TokenType, time.Time)    {}
func (noSession) GetExpiresAt(fosite.TokenType) (t time.Time) { return t }
func (noSession) GetUsername() string                         { return "" }
func (noSession) GetSubject() string                          { return "" }
func (s noSession) Clone() fosite.Session                     { return s }

// issuer answers all six response types with one write.
type issuer struct{ *Engine }

func (i issuer) HandleAuthorizeEndpointRequest(ctx context.Context, ar fosite.AuthorizeRequester, _ fosite.AuthorizeResponder) error {
	s := ar.GetSession().(*issuance)
	now := i.Clock()
	s.grant.CreatedAt = now
	var tokens []storage.Token
	var code, access string
	if s.request.returns("code") {
		code, tokens = i.issue(tokens, storage.AuthorizationCode, s.grant.ID, now, i.Lifetimes.Code)
		s.grant.ExpiresAt = now.Add(i.Lifetimes.Code + i.afterCode(s.request.Client))
		s.add("code", code)
	}
	if s.request.returns("token") {
		access, tokens = i.issue(tokens, storage.AccessToken, s.grant.ID, now, i.Lifetimes.Access)
		s.grant.ExpiresAt = latest(s.grant.ExpiresAt, now.Add(i.Lifetimes.Access))
		s.add("access_token", access)
		s.add("token_type", tokenType)
		s.add("expires_in", seconds(i.Lifetimes.Access))
		s.add("scope", strings.Join(s.grant.Scopes, " "))
	}
	if s.request.returns("id_token") {
		s.grant.ExpiresAt = latest(s.grant.ExpiresAt, now.Add(i.Lifetimes.ID))
		token, err := i.idToken(ctx, idTokenFor{
			grant: s.grant, client: s.request.Client, now: now, nonce: s.grant.Nonce, access: access, code: code,
		})
		if err != nil {
			return err
		}
		s.add("id_token", token)
	}
	for _, t := range ar.GetResponseTypes() {
		ar.SetResponseTypeHandled(t)
	}
	err := i.Grants.CreateGrant(ctx, s.grant, tokens...)
	switch {
	case errors.Is(err, storage.ErrConflict):
		return ErrAnswered
	case errors.Is(err, storage.ErrEnded): // the account was disabled a moment ago
		return fail(AccessDenied, "The user may not sign in.")
	default:
		return err
	}
}

func (s *issuance) add(name, value string) {
	s.parameters = append(s.parameters, Parameter{name, value})
}

// afterCode is how long what comes of a code can live.
func (e *Engine) afterCode(c *Client) time.Duration {
	switch {
	case c.AllowsGrant(GrantRefreshToken):
		return e.Lifetimes.Grant
	case c.Dialect.AlwaysRefreshToken:
		return e.Lifetimes.Refresh
	default:
		return max(e.Lifetimes.Access, e.Lifetimes.ID)
	}
}

// issue makes a token and appends its record.
func (e *Engine) issue(to []storage.Token, kind storage.TokenKind, grant storage.GrantID, now time.Time, life time.Duration) (string, []storage.Token) {
	token, digest := e.Tokens.New(kind)
	return token, append(to, storage.Token{
		Digest: digest, Kind: kind, GrantID: grant, CreatedAt: now, ExpiresAt: now.Add(life),
	})
}

// tokenType is the access token type of RFC 6750.
const tokenType = "bearer"

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

func latest(a, b time.Time) time.Time {
	return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare)
}

// newGrantID returns a UUID of version 7 (RFC 9562 section 5.7).
func newGrantID(now time.Time) (id storage.GrantID) {
	_, _ = rand.Read(id[:]) // never fails: the program stops when there is no randomness
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}
