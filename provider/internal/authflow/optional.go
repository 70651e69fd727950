package authflow

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// decisionAbout returns a record when it is a decision of the user, and about an
// application of this name; else nil. What was decided about an application of another name
// was decided about another.
func decisionAbout(clientName string, recorded *storage.Consent) *storage.Consent {
	if recorded == nil || recorded.DecidedAt.IsZero() || recorded.ClientName != clientName {
		return nil
	}
	return recorded
}

// leftOutBy returns the scopes that a record, which may be nil, leaves out and that the
// application still lets users leave out.
func leftOutBy(c *registry.Client, recorded *storage.Consent) []string {
	decided := decisionAbout(c.Name, recorded)
	if decided == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(decided.LeftOut), func(s string) bool { return !c.IsOptional(s) })
}

// lostBy returns the facts and groups that a record, which may be nil, does not allow
// because the scopes that release them are left out.
func (e *Endpoint) lostBy(c *registry.Client, recorded *storage.Consent) (facts, groups []string) {
	leftOut := leftOutBy(c, recorded)
	if len(leftOut) == 0 {
		return nil, nil
	}
	facts, groups = e.Claims.Catalogue.Asks(leftOut)
	return claims.Without(facts, recorded.Attributes), claims.Without(groups, recorded.Groups)
}

// leftOut returns the scopes that the user has left out: in this flow, and by the decision
// that is in force, which another tab may have made since. Who is to be asked again is
// asked for all.
func (s authState) leftOut(inFlow []string) []string {
	decided := leftOutBy(s.request.Client, s.consent)
	switch {
	case s.allowed == s.user.UserID:
		return claims.Union(decided, inFlow)
	case s.request.HasPrompt(authorization.PromptConsent):
		return nil
	default:
		return decided
	}
}

// readTerms reads what the request asks its user for: without what the user has left out,
// unless nothing else remains.
func (e *Endpoint) readTerms(s *authState, leftOut []string) {
	if s.asks = e.termsOf(s.request, leftOut); len(s.asks.Scopes) == 0 {
		s.asks = e.termsOf(s.request, nil)
	}
	facts, groups := e.lostBy(s.request.Client, s.consent)
	s.takesBack = len(claims.Intersection(s.asks.Scopes, leftOutBy(s.request.Client, s.consent)))+
		len(claims.Intersection(s.asks.Attributes, facts))+len(claims.Intersection(s.asks.Groups, groups)) > 0
}

// decide returns the decision of the user to allow these terms, beside what was allowed
// before. What they leave out is not allowed any more, nor what only that releases.
func (e *Endpoint) decide(s authState, allowed terms) storage.Consent {
	c := allowed.beside(decisionAbout(s.request.Client.Name, s.consent))
	c.Subject, c.ClientID = s.user.UserID, s.request.Client.ID
	c.CreatedAt, c.DecidedAt, c.LastUsedAt = s.now, s.now, s.now
	c.LeftOut = claims.Without(claims.Union(leftOutBy(s.request.Client, s.consent), allowed.LeftOut), allowed.Scopes)
	c.Scopes = claims.Without(c.Scopes, c.LeftOut)
	facts, groups := e.Claims.Catalogue.Asks(c.Scopes)
	lostFacts, lostGroups := e.Claims.Catalogue.Asks(c.LeftOut)
	c.Attributes = claims.Without(c.Attributes, claims.Without(lostFacts, claims.Union(facts, allowed.Attributes)))
	c.Groups = claims.Without(c.Groups, claims.Without(lostGroups, claims.Union(groups, allowed.Groups)))
	return c
}
