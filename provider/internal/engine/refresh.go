package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// refreshGrant exchanges a refresh token for its successor (RFC 6749 section 6).
// Every token can be used once. One that comes again within the grace gets another
// successor, because the first response may have been lost. As soon as one successor is
// used, the others are spent: a thief who repeats a request of the owner and the owner
// cannot both continue. A token that comes again later was stolen, by the one who came
// first or by this one, and ends the grant (RFC 9700 section 4.14.2).
//
// HandleTokenEndpointRequest decides by the token as it was read. Requests race, so the
// writes of PopulateTokenEndpointResponse decide again: Exchange and Reissue of
// storage.Grants have the rule as their conditions (storage/sqlstore/grant.go). The key to which
// a token is bound never changes, so no write asks for it.
//
// A client whose profile has it so keeps its refresh token: a thief would need its key as well,
// and a response that is lost costs it nothing (FAPI 2.0 Security Profile section 5.3.2.1).
type refreshGrant struct{ *Engine }

func (refreshGrant) CanHandleTokenEndpointRequest(_ context.Context, r fosite.AccessRequester) bool {
	return r.GetGrantTypes().ExactOne(protocol.GrantRefreshToken)
}

func (refreshGrant) CanSkipClientAuth(context.Context, fosite.AccessRequester) bool { return false }

func (g refreshGrant) HandleTokenEndpointRequest(ctx context.Context, r fosite.AccessRequester) error {
	s, form := r.GetSession().(*exchange), r.GetRequestForm()
	if err := s.begin(r); err != nil {
		return err
	}
	if !s.client.AllowsGrant(protocol.GrantRefreshToken) {
		if s.client.Dialect.GrantsUnknown {
			return protocol.Fail(protocol.UnsupportedGrantType, "This grant_type is not supported.").Because(diagnosis.RefreshNotRegistered)
		}
		return protocol.Fail(protocol.UnauthorizedClient, "This application may not use this grant.").Because(diagnosis.RefreshNotRegistered)
	}
	if !form.Has("refresh_token") {
		return protocol.Fail(protocol.InvalidRequest, "The parameter refresh_token is missing.").
			Because(diagnosis.ParameterMissing, "parameter", "refresh_token")
	}
	if err := g.load(ctx, storage.RefreshToken, form.Get("refresh_token"), s); err != nil {
		return err
	}
	now, other := g.Clock(), s.holds()
	if !s.presented.Token.SpentAt.IsZero() {
		if other != nil || !clock.Within(now, s.presented.Token.SpentAt, g.Lifetimes.RefreshGrace) {
			return g.replayed(ctx, s)
		}
		s.reissue = true
	}
	if other != nil {
		return other
	}
	if !now.Before(s.presented.Token.ExpiresAt) {
		return errGrant.Because(diagnosis.RefreshExpired)
	}
	if !s.client.AllowsScopes(s.Grant.Scopes) {
		return errGrant.Because(diagnosis.ScopeWithdrawn, "scope", strings.Join(s.Grant.Scopes, " "))
	}
	asked := g.stillKnown(input.ScopeValues(form.Get("scope")), s.client)
	if len(asked) == 0 {
		asked = s.Grant.Scopes
	}
	if slices.ContainsFunc(asked, func(v string) bool { return !slices.Contains(s.Grant.Scopes, v) }) {
		return protocol.Fail(protocol.InvalidScope, "Ask for no more scopes than the user allowed.").
			Because(diagnosis.ScopeWider, "scope", strings.Join(asked, " "), "allowed", strings.Join(s.Grant.Scopes, " "))
	}
	grantScopes(r, s.Grant, asked)
	var err error
	if s.resources, err = g.Resources.Narrowed(form, s.client, g.Resources.Granted(s.Grant)); err != nil {
		return err
	}
	if err := g.strongEnough(s.Grant, s.client, asked); err != nil {
		return err
	}
	if err := g.admitted(ctx, r, s.client); err != nil {
		return err
	}
	return g.userExists(ctx, r)
}

func (g refreshGrant) userExists(ctx context.Context, r fosite.AccessRequester) error {
	if slices.Contains(r.GetGrantedScopes(), protocol.ScopeOpenID) {
		return nil // the ID token will ask
	}
	s := r.GetSession().(*exchange)
	_, err := g.Claims(ctx, s.Grant, s.client, authorization.InAny)
	if errors.Is(err, issue.ErrNoUser) {
		return errGrant.Because(diagnosis.UserGone)
	}
	return err
}

func (g refreshGrant) PopulateTokenEndpointResponse(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	if !g.CanHandleTokenEndpointRequest(ctx, r) {
		return nil
	}
	s := r.GetSession().(*exchange)
	keeps := s.client.Profile.KeepsRefreshToken && !s.reissue
	if err := g.issueTokens(ctx, r, response, !keeps); err != nil {
		return err
	}
	if keeps {
		return g.renew(ctx, r, response)
	}
	err := storage.ErrSpent
	if !s.reissue {
		err = g.Grants.Exchange(ctx, s.presented, g.Clock(), s.Issued...)
	}
	if errors.Is(err, storage.ErrSpent) && g.Lifetimes.RefreshGrace > 0 {
		err = g.Grants.Reissue(ctx, s.presented, g.grace(g.Clock()), s.Issued...)
	}
	switch {
	case errors.Is(err, storage.ErrSpent):
		return g.replayed(ctx, s)
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrLimit):
		return errGrant.Because(diagnosis.RefreshRevoked)
	default:
		return err
	}
}

// renew issues what comes of a refresh token that stays. Each use puts off its end, as a successor
// would.
func (g refreshGrant) renew(ctx context.Context, r fosite.AccessRequester, response fosite.AccessResponder) error {
	s, now := r.GetSession().(*exchange), g.Clock()
	life := g.refreshLife(s.client, s.Grant.ExpiresAt.Sub(now))
	response.SetExtra(extraRefreshToken, r.GetRequestForm().Get("refresh_token"))
	response.SetExtra(extraRefreshExpiresIn, int64(life/time.Second))
	err := g.Grants.Renew(ctx, s.presented, now.Add(life), s.Issued...)
	switch {
	case errors.Is(err, storage.ErrSpent):
		return errGrant.Because(diagnosis.RefreshUsed)
	case errors.Is(err, storage.ErrEnded), errors.Is(err, storage.ErrNotFound):
		return errGrant.Because(diagnosis.RefreshRevoked)
	default:
		return err
	}
}

// unusedOfUnknown is how long a refresh token of a client that nobody has registered lasts
// without use.
const unusedOfUnknown = 30 * 24 * time.Hour

// refreshLife is how long a refresh token lasts without use when so much is left of its grant.
func (e *Engine) refreshLife(c *registry.Client, left time.Duration) time.Duration {
	life := min(e.Lifetimes.Refresh, left)
	if c.IsUnknown() {
		life = min(life, unusedOfUnknown)
	}
	return life
}

// maxSuccessors is the maximum number of refresh tokens that replace one. Many tabs of a browser
// that wake up together repeat a request as often.
const maxSuccessors = 10

// grace returns the limits within which a spent refresh token gets another successor: those of
// clock.Within, as a condition of the write.
func (e *Engine) grace(now time.Time) storage.Grace {
	return storage.Grace{
		NotBefore:  now.Add(time.Microsecond - e.Lifetimes.RefreshGrace),
		NotAfter:   now.Add(min(clock.Skew, e.Lifetimes.RefreshGrace-time.Microsecond)),
		Successors: maxSuccessors,
	}
}

// stillKnown drops the unknown scopes of a refresh, which the authorization request was not
// granted either. It does not drop all.
func (e *Engine) stillKnown(asked []string, c *registry.Client) []string {
	if !c.Dialect.IgnoresScopes {
		return asked
	}
	known := slices.DeleteFunc(slices.Clone(asked), func(scope string) bool { return !e.requests.Knows(scope) })
	if len(known) == 0 {
		return asked
	}
	return known
}
