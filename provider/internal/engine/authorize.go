package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Approval is the decision on an authorization request.
type Approval struct {
	Subject  string
	AuthTime time.Time
	AMR      []string

	// Assurance is the level that the authentication has reached, Classes are those of the
	// requested classes.
	Assurance storage.Assurance
	Classes   []string

	// EnrolledAt is since when the account has had what was presented.
	EnrolledAt time.Time

	// Attributes and Groups are what the user allowed to be released, Claims the names of
	// the claims among them that were asked for one by one.
	Attributes []string
	Groups     []string
	Claims     []string

	// SID names the session to the client, or is empty.
	SID string

	// Basis is what the decision rests on; when that is over by the time of the
	// response, nothing is issued and the error is storage.ErrEnded.
	Basis storage.Basis

	Flow Flow
}

// Flow identifies an authorization request; a second response to it is ErrAnswered.
type Flow struct {
	Digest storage.Digest

	// ExpiresAt is until when the request may come back.
	ExpiresAt time.Time
}

// ErrAnswered says that the request has had its response.
var ErrAnswered = errors.New("engine: this authorization request has been answered")

// Authorize issues what the response type of a request asks for, once; the request comes
// from ParseAuthorize. ErrAnswered when its flow has had a response before,
// storage.ErrEnded when what the approval rests on is over, ErrNoClient when the
// application is gone, an *Error for the client otherwise.
func (e *Engine) Authorize(ctx context.Context, r *AuthorizeRequest, a Approval) (issue.Response, error) {
	if r.MustPick() {
		return issue.Response{}, protocol.AsError(errors.New("engine: the request is answered before a scope value was picked"))
	}
	for _, scope := range r.read.GetRequestedScopes() {
		r.read.GrantScope(scope)
	}
	asked, err := r.Claims.Record(a.Claims, a.Classes, r.read.GetGrantedScopes())
	if err != nil {
		return issue.Response{}, protocol.AsError(err)
	}
	s := &issuance{request: r, flow: a.Flow, basis: a.Basis}
	s.Grant = storage.Grant{
		ID: random.SortedID(e.Clock()), Flow: a.Flow.Digest,
		ClientID: r.Client.ID, Subject: a.Subject, Scopes: r.read.GetGrantedScopes(), Resources: r.Resources,
		Attributes: a.Attributes, Groups: a.Groups,
		RedirectURI: r.RedirectURI, RedirectSent: r.RedirectSent,
		ResponseType: r.ResponseType, Nonce: r.Nonce, EID: r.EID, Claims: asked,
		AuthTime: a.AuthTime, AMR: a.AMR, Assurance: a.Assurance, EnrolledAt: a.EnrolledAt, SID: a.SID,
	}
	response, err := e.fosite.NewAuthorizeResponse(ctx, r.read, s)
	if err != nil {
		for _, own := range []error{ErrAnswered, storage.ErrEnded, registry.ErrNoClient} {
			if errors.Is(err, own) {
				return issue.Response{}, own
			}
		}
		return issue.Response{}, refusal(err)
	}
	return e.maker.Respond(&r.Request, issue.InOrder(response.GetParameters()))
}

// EndFlow records that the response to a request is an error, so that it gets no other
// afterwards. ErrAnswered when it has had one before.
func (e *Engine) EndFlow(ctx context.Context, r *AuthorizeRequest, f Flow) error {
	now := e.Clock()
	err := e.Grants.CreateGrant(ctx, storage.Grant{
		ID: random.SortedID(now), Flow: f.Digest, ClientID: r.Client.ID, Subject: issue.Nobody,
		RedirectURI: r.RedirectURI, ResponseType: r.ResponseType,
		CreatedAt: now, ExpiresAt: latest(f.ExpiresAt, now), RevokedAt: now,
	}, storage.Basis{})
	switch {
	case errors.Is(err, storage.ErrConflict):
		return ErrAnswered
	case errors.Is(err, storage.ErrNotFound) && r.Client.IsUnknown():
		return nil // nobody has decided about the client, and a stranger's request stores nothing
	case errors.Is(err, storage.ErrNotFound):
		return registry.ErrNoClient
	default:
		return err
	}
}

// Refuse returns the error response for a request (RFC 6749 section 4.1.2.1). It fails if the
// response has to be signed, and cannot be.
func (e *Engine) Refuse(r *AuthorizeRequest, err error) (issue.Response, error) {
	refused := protocol.AsError(err)
	return e.maker.Respond(&r.Request, []issue.Parameter{{Name: "error", Value: refused.Code}, {Name: "error_description", Value: refused.Description}})
}

// issuance is the session of fosite at the authorization endpoint.
type issuance struct {
	session
	request *AuthorizeRequest
	flow    Flow
	basis   storage.Basis
}

// issuer implements fosite.AuthorizeEndpointHandler for all response types, with one write.
type issuer struct{ *Engine }

func (i issuer) HandleAuthorizeEndpointRequest(ctx context.Context, ar fosite.AuthorizeRequester, response fosite.AuthorizeResponder) error {
	s := ar.GetSession().(*issuance)
	client := clientOf(ar.GetClient())
	now := i.Clock()
	s.Grant.CreatedAt = now
	// The grant is the record that the flow has had its response.
	s.Grant.ExpiresAt = s.flow.ExpiresAt
	var code, access string
	var err error
	if s.request.Returns("code") {
		code = i.maker.Token(&s.Batch, storage.AuthorizationCode, now, client.Profile.Code(i.Lifetimes.Code))
		s.Grant.ExpiresAt = latest(s.Grant.ExpiresAt, s.GetExpiresAt(fosite.AuthorizeCode).Add(i.afterCode(client)))
		s.Issued[len(s.Issued)-1].JKT = s.request.JKT
		response.AddParameter("code", code)
		ar.SetResponseTypeHandled("code")
	}
	if s.request.Returns("token") {
		// This request is the only one for it: what it names bounds the token.
		var scopes []string
		access, scopes, err = i.maker.AccessToken(&s.Batch, issue.AccessTokenFor{Client: client, Scopes: s.Grant.Scopes, Resources: s.request.Resources, Now: now, Life: i.Lifetimes.Access})
		if err != nil {
			return err
		}
		s.Grant.ExpiresAt = latest(s.Grant.ExpiresAt, s.GetExpiresAt(fosite.AccessToken))
		response.AddParameter("access_token", access)
		response.AddParameter("token_type", issue.TokenType(storage.Digest{}))
		response.AddParameter("expires_in", seconds(i.Lifetimes.Access))
		response.AddParameter("scope", strings.Join(scopes, " "))
		ar.SetResponseTypeHandled("token")
	}
	if s.request.Returns("id_token") {
		s.Grant.ExpiresAt = latest(s.Grant.ExpiresAt, now.Add(i.Lifetimes.ID))
		token, err := i.idToken(ctx, issue.IDTokenFor{
			Grant: s.Grant, Client: client, Now: now, Nonce: s.Grant.Nonce, Access: access, Code: code,
		})
		if err != nil {
			return err
		}
		response.AddParameter("id_token", token)
		ar.SetResponseTypeHandled("id_token")
	}
	err = i.Grants.CreateGrant(ctx, s.Grant, s.basis, s.Issued...)
	switch {
	case errors.Is(err, storage.ErrConflict):
		return ErrAnswered
	case errors.Is(err, storage.ErrNotFound):
		return registry.ErrNoClient
	default:
		return err
	}
}

// afterCode is how long what comes of a code can live.
func (e *Engine) afterCode(c *registry.Client) time.Duration {
	switch {
	case c.AllowsGrant(protocol.GrantRefreshToken):
		return e.Lifetimes.Grant
	case c.Dialect.AlwaysRefreshToken:
		return e.Lifetimes.Refresh
	default:
		return max(e.Lifetimes.Access, e.Lifetimes.ID)
	}
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

func latest(a, b time.Time) time.Time {
	return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare)
}
