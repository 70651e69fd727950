package authflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// leftOutBy returns the scopes that a decision, which may be nil, leaves out and that the
// application still lets users leave out. What was decided about an application of another
// name was decided about another.
func leftOutBy(c *engine.Client, consent *storage.Consent) []string {
	if consent == nil || consent.Decision.IsZero() || consent.DecidedAt.IsZero() || consent.ClientName != c.Name {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(consent.LeftOut), func(s string) bool { return !c.IsOptional(s) })
}

// leftOut returns the scopes that the user has left out: in this flow, and by the decision
// that is in force, which another tab may have made since. Who is to be asked again is
// asked for all.
func (s authState) leftOut(inFlow []string) []string {
	decided := leftOutBy(s.request.Client, s.consent)
	switch {
	case s.allowed == s.user.UserID:
		return claims.Union(decided, inFlow)
	case s.request.HasPrompt(engine.PromptConsent):
		return nil
	default:
		return decided
	}
}

// leaveOut takes scopes out of the request of a flow, so that nothing of what follows knows
// of them, in place of those that were taken out before.
func (e *Endpoint) leaveOut(ctx context.Context, f *Flow, s *authState, scopes []string) error {
	if err := e.Engine.LeaveOut(ctx, f.request, scopes); err != nil {
		return &redirectError{f.request, err, f}
	}
	s.asks = e.termsOf(f.request)
	host.AskFor(ctx, e.hostRequest(f.request))
	return nil
}

// decide returns the decision of the user to allow what is asked for now, beside what was
// allowed before. What is left out is not allowed any more, nor what only that releases.
func (e *Endpoint) decide(s authState) storage.Consent {
	c := s.asks.decide(s.user.UserID, s.request.Client.ID, s.consent, s.now)
	c.LeftOut = without(claims.Union(leftOutBy(s.request.Client, s.consent), s.request.LeftOut), s.asks.Scopes)
	c.Scopes = without(c.Scopes, c.LeftOut)
	facts, groups := e.Claims.Catalogue.Asks(c.Scopes)
	lostFacts, lostGroups := e.Claims.Catalogue.Asks(c.LeftOut)
	c.Attributes = without(c.Attributes, without(lostFacts, claims.Union(facts, s.asks.Attributes)))
	c.Groups = without(c.Groups, without(lostGroups, claims.Union(groups, s.asks.Groups)))
	return c
}

// remember records the decision of a user. What the user takes back by it is taken back from
// what was issued before, too: those tokens end, and the application asks anew.
func (e *Endpoint) remember(ctx context.Context, f *Flow, s authState) error {
	decision := e.decide(s)
	err := e.saveConsent(ctx, decision, f, s)
	if err != nil || s.consent == nil || claims.Covers(decision.Scopes, s.consent.Scopes) {
		return err
	}
	if err := e.Store.RevokeConsent(ctx, decision.Subject, decision.ClientID, s.now); err != nil {
		return fmt.Errorf("end what was issued: %w", err)
	}
	s.consent = nil
	return e.saveConsent(ctx, decision, f, s)
}

// without returns what of a list is not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(v string) bool { return slices.Contains(other, v) })
}
