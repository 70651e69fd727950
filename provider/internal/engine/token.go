package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// TokenResponse is the token payload (RFC 6749 section 5.1, OpenID Connect Core section
// 3.1.3.3), encoded as JSON in the dialect of the client.
type TokenResponse struct {
	AccessToken      string `json:"access_token"`
	TokenType        string `json:"token_type"`
	ExpiresIn        any    `json:"expires_in"` // of Dialect.lifetime
	RefreshToken     string `json:"refresh_token,omitempty"`
	RefreshExpiresIn any    `json:"refresh_expires_in,omitempty"` // of Dialect.lifetime
	Scope            string `json:"scope,omitempty"`
	IDToken          string `json:"id_token,omitempty"`
	IssuedTokenType  string `json:"issued_token_type,omitempty"` // of RFC 8693 section 2.2.1

	// Details are the credentials that the request has asked for in detail; nil for none.
	Details []grantedDetail `json:"authorization_details,omitempty"`

	// ClientID and Subject are the client and the user of the token; Subject is empty without
	// a user.
	ClientID string `json:"-"`
	Subject  string `json:"-"`

	// LooksStandard reports whether an OpenID Connect library seems to have made the
	// request of a client whose dialect is another.
	LooksStandard bool `json:"-"`

	// DPoPNonce is for the next proof of the client, or empty.
	DPoPNonce string `json:"-"`
}

// AppendJSON writes the response as encoding/json would, without looking at the type.
func (r TokenResponse) AppendJSON(to []byte) []byte {
	to = slices.Grow(to, 256+len(r.AccessToken)+len(r.RefreshToken)+len(r.Scope)+len(r.IDToken))
	to = issue.AppendText(append(to, `{"access_token":`...), r.AccessToken)
	to = issue.AppendText(append(to, `,"token_type":`...), r.TokenType)
	to = appendLifetime(append(to, `,"expires_in":`...), r.ExpiresIn)
	text := func(name, value string) {
		if value != "" {
			to = issue.AppendText(append(to, name...), value)
		}
	}
	text(`,"refresh_token":`, r.RefreshToken)
	if r.RefreshExpiresIn != nil {
		to = appendLifetime(append(to, `,"refresh_expires_in":`...), r.RefreshExpiresIn)
	}
	text(`,"scope":`, r.Scope)
	text(`,"id_token":`, r.IDToken)
	text(`,"issued_token_type":`, r.IssuedTokenType)
	if len(r.Details) > 0 {
		details, _ := json.Marshal(r.Details) // texts
		to = append(append(to, `,"authorization_details":`...), details...)
	}
	return append(to, '}')
}

// grantedDetail is a credential as a token answer has it (OpenID for Verifiable Credential
// Issuance 1.0 section 6.2). A configuration has one data set, of its name.
type grantedDetail struct {
	Type        string   `json:"type"`
	ID          string   `json:"credential_configuration_id"`
	Identifiers []string `json:"credential_identifiers"`
}

// grantedDetails returns the details of the answer to a token request: those that it has named, or
// else those of the authorization request.
func (e *Engine) grantedDetails(s *exchange, scopes string) (granted []grantedDetail) {
	if e.Details == nil {
		return nil
	}
	of := input.ScopeValues(scopes)
	details := authorization.DetailsWithin(s.details, of)
	if s.details == nil {
		details = authorization.DetailsOf(s.Grant, of)
	}
	for _, d := range details {
		granted = append(granted, grantedDetail{protocol.DetailType, d.ID, []string{d.ID}})
	}
	return granted
}

// narrow leaves a token request the credentials that it asks for in detail, of those that were
// granted (RFC 9396 section 6); one that names none has all.
func (e *Engine) narrow(r fosite.AccessRequester, s *exchange) (err error) {
	if s.details, err = e.requests.DetailsIn(r.GetRequestForm(), s.client); err != nil || s.details == nil {
		return err
	}
	asked, granted := make([]string, len(s.details)), r.GetGrantedScopes()
	for i, d := range s.details {
		if asked[i] = d.Scope; !granted.Has(d.Scope) {
			return protocol.Fail(protocol.InvalidDetails, "Ask for no more credentials than the user allowed.").
				Because(diagnosis.ScopeWider, "scope", d.Scope, "allowed", strings.Join(granted, " "))
		}
	}
	r.(*fosite.AccessRequest).GrantedScope = slices.DeleteFunc(slices.Clone(granted), func(scope string) bool {
		return e.Resources.IsItself(scope) && !slices.Contains(asked, scope)
	})
	return nil
}

// appendLifetime writes what Dialect.Lifetime has returned.
func appendLifetime(to []byte, lifetime any) []byte {
	switch l := lifetime.(type) {
	case int64:
		return strconv.AppendInt(to, l, 10)
	case string:
		return issue.AppendText(to, l)
	default:
		return append(to, "null"...)
	}
}

// Token handles a request to the token endpoint. Its errors are *Error.
func (e *Engine) Token(ctx context.Context, r *http.Request) (response TokenResponse, err error) {
	form, err := input.ReadTokenRequest(r)
	if err != nil {
		return TokenResponse{}, err
	}
	handlers := e.fosite
	switch form.Get("grant_type") {
	case protocol.GrantAuthorizationCode, protocol.GrantRefreshToken, protocol.GrantClientCredentials, protocol.GrantJWTBearer, protocol.GrantDeviceCode, protocol.GrantTokenExchange:
	case "":
		return TokenResponse{}, protocol.Fail(protocol.InvalidRequest, "The parameter grant_type is missing.").Because(diagnosis.ParameterMissing, "parameter", "grant_type")
	default:
		if handlers = e.anyWallet.Load().handlersOf(r, form); handlers == nil {
			return TokenResponse{}, protocol.Fail(protocol.UnsupportedGrantType, "This grant_type is not supported.").
				Because(diagnosis.GrantTypeUnsupported, "grant_type", form.Get("grant_type"))
		}
	}
	nonce, err := e.withProof(ctx, r, form, func(proof *dpop.Proof) error {
		if err := e.demandProof(ctx, r, form, proof); err != nil {
			return err
		}
		s := &exchange{proof: proof}
		issued, err := e.exchange(ctx, r, s, handlers)
		if err != nil {
			return refusal(err)
		}
		response = tokenResponse(issued, s)
		response.Details = e.grantedDetails(s, response.Scope)
		return nil
	})
	response.DPoPNonce = nonce
	return response, err
}

// exchange has fosite check a request, and issues what it gets.
func (e *Engine) exchange(ctx context.Context, r *http.Request, s *exchange, handlers *fosite.Fosite) (fosite.AccessResponder, error) {
	accepted, err := handlers.NewAccessRequest(ctx, r, s)
	if err == nil {
		err = e.narrow(accepted, s)
	}
	if err != nil {
		return nil, err
	}
	if err := e.spendProof(ctx, s.proof); err != nil {
		return nil, err
	}
	return handlers.NewAccessResponse(ctx, accepted)
}

// exchange is the session of fosite at the token endpoint.
type exchange struct {
	session
	client *registry.Client

	// proof is that of the request, or nil.
	proof *dpop.Proof

	// presented is the code, refresh token or subject token with its grant, that of the session.
	presented *Issued

	// resources are those of the request; nil for none.
	resources []string

	// details are the credentials that the request asks for; nil for none.
	details []authorization.Detail

	// basis is the basis of a new grant.
	basis storage.Basis

	// reissue reports that the refresh token was used a moment ago, and gets another
	// successor.
	reissue bool
}

var errGrant = protocol.Fail(protocol.InvalidGrant, "The code or token is unknown, expired, used or revoked, or belongs to another application.")

// mistakesWith are the diagnoses of a code or a refresh token. All have the same response.
var mistakesWith = map[storage.TokenKind]struct{ unknown, used, expired, revoked, foreign diagnosis.Name }{
	storage.AuthorizationCode: {diagnosis.CodeUnknown, diagnosis.CodeUsed, diagnosis.CodeExpired, diagnosis.CodeRevoked, diagnosis.CodeOfAnother},
	storage.RefreshToken:      {diagnosis.RefreshUnknown, diagnosis.RefreshUsed, diagnosis.RefreshExpired, diagnosis.RefreshRevoked, diagnosis.RefreshOfAnother},
}

// load reads the presented token with its grant. It refuses that of another application before
// anything else, so that presenting it does no harm.
func (e *Engine) load(ctx context.Context, kind storage.TokenKind, presented string, s *exchange) error {
	digest, ok := e.Tokens.Parse(kind, presented)
	if !ok {
		return errGrant.Because(mistakesWith[kind].unknown)
	}
	return e.loadBy(ctx, kind, digest, s)
}

// loadBy is load for the digest of a token.
func (e *Engine) loadBy(ctx context.Context, kind storage.TokenKind, digest storage.Digest, s *exchange) error {
	wrong := mistakesWith[kind]
	found, err := e.Grants.Issued(ctx, kind, digest)
	if errors.Is(err, storage.ErrNotFound) {
		return errGrant.Because(wrong.unknown)
	}
	if err != nil {
		return err
	}
	if found.Grant.ClientID != s.client.ID {
		return errGrant.Because(wrong.foreign)
	}
	request.InFlow(ctx, found.Grant.Flow)
	switch {
	case !found.Grant.RevokedAt.IsZero() && !found.Token.SpentAt.IsZero():
		return errGrant.Because(wrong.used)
	case !found.Grant.RevokedAt.IsZero(), found.Grant.CreatedAt.Before(s.client.GrantsSince):
		return errGrant.Because(wrong.revoked)
	}
	s.presented, s.Grant = found, found.Grant
	return nil
}

// admitted asks whether the application of a grant may still have data about the user: the host was asked
// up to a minute ago, at the authorization endpoint.
func (e *Engine) admitted(ctx context.Context, r fosite.AccessRequester, c *registry.Client) error {
	s := r.GetSession().(*exchange)
	err := e.Admits(ctx, s.presented, c, r.GetGrantedScopes())
	switch {
	case errors.Is(err, issue.ErrNoUser):
		return errGrant.Because(diagnosis.UserRefused)
	case errors.Is(err, ErrNotAllowed):
		return errGrant.Because(diagnosis.UserNotVerified)
	}
	return err
}

// replayed ends the grant of a code or refresh token that was presented twice: one of the two
// presenters has stolen it (RFC 6749 section 10.5, RFC 9700 section 4.14.2).
func (e *Engine) replayed(ctx context.Context, s *exchange) error {
	err := e.RecordReuse(ctx, s.Grant, s.presented.Token.Kind, func(ctx context.Context) error {
		_, err := e.Grants.RevokeGrants(ctx, storage.GrantFilter{ID: s.Grant.ID}, e.Clock())
		return err
	})
	if err != nil {
		return err
	}
	return errGrant.Because(mistakesWith[s.presented.Token.Kind].used)
}

// grantScopes grants all requested scopes that the grant has.
func grantScopes(r fosite.AccessRequester, g storage.Grant, asked []string) {
	for _, scope := range g.Scopes {
		if slices.Contains(asked, scope) {
			r.GrantScope(scope)
		}
	}
}

// Members of the token payload that fosite has no setter for.
const (
	extraRefreshToken     = "refresh_token"
	extraRefreshExpiresIn = "refresh_expires_in"
	extraIDToken          = "id_token"
	extraIssuedTokenType  = "issued_token_type"
)

// issueTokens adds an access token for the granted scopes to the response, with the tokens that
// accompany it.
func (e *Engine) issueTokens(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder, refresh bool) error {
	s, scopes, now := r.GetSession().(*exchange), r.GetGrantedScopes(), e.Clock()
	left := s.Grant.ExpiresAt.Sub(now)
	s.Issued = make([]storage.Token, 0, 2) // an access token and a refresh token
	life := min(e.Lifetimes.Access, left)
	access, of, err := e.maker.AccessToken(&s.Batch, issue.AccessTokenFor{Client: s.client, Scopes: scopes, Resources: s.resources, JKT: s.jkt(), Now: now, Life: life})
	if err != nil {
		return err
	}
	response.SetAccessToken(access)
	response.SetTokenType(issue.TokenType(s.jkt()))
	response.SetExpiresIn(life)
	response.SetScopes(of)
	if refresh {
		life := e.refreshLife(s.client, left)
		response.SetExtra(extraRefreshToken, e.maker.Token(&s.Batch, storage.RefreshToken, now, life))
		s.Issued[len(s.Issued)-1].JKT = s.refreshKey()
		response.SetExtra(extraRefreshExpiresIn, int64(life/time.Second))
	}
	if !slices.Contains(scopes, protocol.ScopeOpenID) {
		return nil
	}
	narrowed := s.Grant
	narrowed.Scopes = scopes
	f := issue.IDTokenFor{Grant: narrowed, Client: s.client, Now: now, Access: access}
	if s.presented.Token.Kind == storage.AuthorizationCode {
		f.Nonce = s.Grant.Nonce
	}
	idToken, err := e.idToken(ctx, f)
	response.SetExtra(extraIDToken, idToken)
	return err
}

// tokenResponse returns the token payload of a response.
func tokenResponse(issued fosite.AccessResponder, s *exchange) TokenResponse {
	d := s.client.Dialect
	text := func(name string) string {
		value, _ := issued.GetExtra(name).(string)
		return value
	}
	return TokenResponse{
		AccessToken: issued.GetAccessToken(), TokenType: issued.GetTokenType(), ExpiresIn: d.Lifetime(issued.GetExtra("expires_in")),
		RefreshToken: text(extraRefreshToken), RefreshExpiresIn: d.Lifetime(issued.GetExtra(extraRefreshExpiresIn)),
		Scope: text("scope"), IDToken: text(extraIDToken), IssuedTokenType: text(extraIssuedTokenType), ClientID: s.client.ID, Subject: issue.UserOf(s.Grant),
		LooksStandard: authorization.SeemsStandard(s.client, s.Grant.Scopes, s.Grant.Nonce, s.Grant.Challenge),
	}
}

// IDToken returns a signed ID token; invalid_grant if the user of the grant is gone.
func (e *Engine) idToken(ctx context.Context, f issue.IDTokenFor) (string, error) {
	token, err := e.maker.IDToken(ctx, f)
	if errors.Is(err, issue.ErrNoUser) {
		return "", errGrant.Because(diagnosis.UserGone)
	}
	return token, err
}
