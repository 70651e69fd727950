package engine

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Introspection is the response of RFC 7662 section 2.2.
type Introspection struct {
	Active    bool           `json:"active"`
	Scope     string         `json:"scope,omitempty"`
	ClientID  string         `json:"client_id,omitempty"`
	Subject   string         `json:"sub,omitempty"`
	Issuer    string         `json:"iss,omitempty"`
	Audience  issue.Audience `json:"aud,omitempty"`
	TokenType string         `json:"token_type,omitempty"`
	ExpiresAt int64          `json:"exp,omitempty"`
	IssuedAt  int64          `json:"iat,omitempty"`

	// Class and AuthTime are how and when the user has authenticated (RFC 9470 section 6.2).
	Class    string `json:"acr,omitempty"`
	AuthTime int64  `json:"auth_time,omitempty"`

	// Confirmation is the key to which the token is bound (RFC 9449 section 6.2), or nil.
	Confirmation *issue.Confirmation `json:"cnf,omitempty"`

	// Actor is the client that has exchanged a token for this one (RFC 8693 section 4.1), or nil.
	Actor *issue.Actor `json:"act,omitempty"`

	// UserID is the user of the token, or empty.
	UserID string `json:"-"`

	// AskedBy is the requesting client.
	AskedBy string `json:"-"`
}

// AppendJSON writes the response as encoding/json would, without looking at the type.
func (i Introspection) AppendJSON(to []byte) []byte {
	to = strconv.AppendBool(append(slices.Grow(to, 512), `{"active":`...), i.Active)
	text := func(name, value string) {
		if value != "" {
			to = issue.AppendText(append(to, name...), value)
		}
	}
	number := func(name string, value int64) {
		if value != 0 {
			to = strconv.AppendInt(append(to, name...), value, 10)
		}
	}
	text(`,"scope":`, i.Scope)
	text(`,"client_id":`, i.ClientID)
	text(`,"sub":`, i.Subject)
	text(`,"iss":`, i.Issuer)
	if len(i.Audience) > 0 {
		to = i.Audience.AppendJSON(append(to, `,"aud":`...))
	}
	text(`,"token_type":`, i.TokenType)
	number(`,"exp":`, i.ExpiresAt)
	number(`,"iat":`, i.IssuedAt)
	text(`,"acr":`, i.Class)
	number(`,"auth_time":`, i.AuthTime)
	if i.Actor != nil {
		to = i.Actor.AppendJSON(append(to, `,"act":`...))
	}
	if i.Confirmation != nil {
		to = append(issue.AppendText(append(to, `,"cnf":{"jkt":`...), i.Confirmation.JKT), '}')
	}
	return append(to, '}')
}

// Introspect returns the state of an access or refresh token to its confidential client, and that
// of an access token to the introspectors of its resources (RFC 7662). For others the token is
// inactive, so that nobody can test a found token.
func (e *Engine) Introspect(ctx context.Context, r *http.Request) (Introspection, error) {
	form, err := input.ReadForm(r)
	if err != nil {
		return Introspection{}, err
	}
	authenticated, err := e.fosite.AuthenticateClient(ctx, r, form)
	if err != nil {
		return Introspection{}, refusal(err)
	}
	if authenticated.IsPublic() {
		return Introspection{}, clientauth.ErrRefused.Because(diagnosis.IntrospectionPublic)
	}
	if !form.Has("token") {
		return Introspection{}, protocol.Fail(protocol.InvalidRequest, "The parameter token is missing.").Because(diagnosis.ParameterMissing, "parameter", "token")
	}
	for _, kind := range []storage.TokenKind{storage.AccessToken, storage.RefreshToken} {
		a, err := e.active(ctx, kind, form.Get("token"))
		if errors.Is(err, errToken) {
			continue
		}
		if err != nil {
			return Introspection{}, err
		}
		response, ok := e.describe(a, kind, authenticated.GetID())
		if !ok {
			break
		}
		request.InFlow(ctx, a.Grant.Flow)
		response.AskedBy = authenticated.GetID()
		return response, nil
	}
	return Introspection{AskedBy: authenticated.GetID()}, nil
}

// describe returns the description of a token for a client; false if the client may not see it. A
// resource sees only its own part, and no refresh token. What an API has got in exchange it does
// not see: it would take that for a token for itself, if the next API presented it.
func (e *Engine) describe(a Access, kind storage.TokenKind, asks string) (Introspection, bool) {
	scopes, audience := a.Scopes, a.Resources
	if a.Client.ID != asks || len(a.Token.Actors) > 0 {
		audience = e.Resources.Introspectable(audience, asks)
		if kind != storage.AccessToken || len(audience) == 0 {
			return Introspection{}, false
		}
		scopes = e.Resources.Meaningful(scopes, audience)
	} else if a.Own && len(audience) > 0 {
		audience = append(audience, e.Issuer)
	}
	response := Introspection{
		Active: true, Scope: strings.Join(scopes, " "), ClientID: a.holder(),
		Subject: issue.SubjectOf(a.Grant), Issuer: e.Issuer, Audience: audience,
		UserID:    issue.UserOf(a.Grant),
		ExpiresAt: a.Token.ExpiresAt.Unix(), IssuedAt: a.Token.CreatedAt.Unix(),
		Confirmation: issue.ConfirmationOf(a.Token.JKT), Actor: issue.ActorOf(a.Token.Actors),
	}
	if kind == storage.AccessToken {
		response.TokenType = issue.TokenType(a.Token.JKT)
	}
	if !a.Grant.AuthTime.IsZero() {
		response.Class, response.AuthTime = e.Classes.Name(a.Grant), a.Grant.AuthTime.Unix()
	}
	return response, true
}
