package authflow

import (
	"context"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// decisionAbout returns a record if it is a decision of the user about an application of
// this name; else nil. A decision about an application of another name was about another
// application.
func decisionAbout(clientName string, recorded *storage.Consent) *storage.Consent {
	if recorded == nil || recorded.DecidedAt.IsZero() || recorded.ClientName != clientName {
		return nil
	}
	return recorded
}

// declinedBy returns the scopes that a record, which may be nil, has as declined and that
// are still optional.
func declinedBy(c *registry.Client, recorded *storage.Consent) []string {
	decided := decisionAbout(c.Called(), recorded)
	if decided == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(decided.LeftOut), func(s string) bool { return !c.IsOptional(s) })
}

// lostBy returns the facts and groups that a record, which may be nil, does not allow
// because the scopes that release them were declined.
func (e *consents) lostBy(c *registry.Client, recorded *storage.Consent) (facts, groups []string) {
	declined := declinedBy(c, recorded)
	if len(declined) == 0 {
		return nil, nil
	}
	facts, groups = e.Claims.Catalogue.RequestedFor(c, declined)
	return claims.Without(facts, recorded.Attributes), claims.Without(groups, recorded.Groups)
}

// declined returns the scopes that the user has declined: in this flow, or in the decision
// in force, which another tab may have made since. A user who is to be asked again is asked
// for all.
func (s authState) declined(inFlow []string) []string {
	decided := declinedBy(s.request.Client, s.consent)
	switch {
	case s.allowed == s.user.UserID:
		return claims.Union(decided, inFlow)
	case s.request.HasPrompt(authorization.PromptConsent):
		return nil
	default:
		return decided
	}
}

// termsFor returns the terms for the user: without declined scopes, unless nothing else
// remains. takesBack reports whether they release something that the user has declined.
func (e *consents) termsFor(s authState, declined []string) (t terms, takesBack bool) {
	if t = e.termsOf(s.request, declined); len(t.Scopes) == 0 {
		t = e.termsOf(s.request, nil)
	}
	facts, groups := e.lostBy(s.request.Client, s.consent)
	return t, len(claims.Intersection(t.Scopes, declinedBy(s.request.Client, s.consent)))+
		len(claims.Intersection(t.Attributes, facts))+len(claims.Intersection(t.Groups, groups)) > 0
}

// asShown returns the state that a consent screen shows: the whole request, so that the user
// can allow what was declined before.
func (e *consents) asShown(ctx context.Context, s authState) authState {
	s.requested = e.termsOf(s.request, nil)
	host.AskFor(ctx, s.hostRequest())
	return s
}

// decide returns the user's decision to allow these terms, in addition to former ones.
// Scopes that the terms lack are no longer allowed, nor what only they release.
func (e *consents) decide(s authState, allowed terms) storage.Consent {
	c := allowed.beside(decisionAbout(s.request.Client.Called(), s.consent))
	c.Subject, c.ClientID = s.user.UserID, s.request.Client.ID
	c.CreatedAt, c.DecidedAt, c.LastUsedAt = s.now, s.now, s.now
	c.LeftOut = claims.Without(claims.Union(declinedBy(s.request.Client, s.consent), allowed.LeftOut), allowed.Scopes)
	c.Scopes = claims.Without(c.Scopes, c.LeftOut)
	facts, groups := e.Claims.Catalogue.RequestedFor(s.request.Client, c.Scopes)
	lostFacts, lostGroups := e.Claims.Catalogue.RequestedFor(s.request.Client, c.LeftOut)
	c.Attributes = claims.Without(c.Attributes, claims.Without(lostFacts, claims.Union(facts, allowed.Attributes)))
	c.Groups = claims.Without(c.Groups, claims.Without(lostGroups, claims.Union(groups, allowed.Groups)))
	for _, group := range claims.Without(claims.VerifiedAmong(c.Attributes), c.Groups) {
		c.Attributes = claims.Without(c.Attributes, []string{authorization.VerifiedName(group)})
	}
	return c
}
