package authflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// AllowedBefore returns which of these scopes, or of all if none is given, a user has
// allowed an application that requests tokens without the user: those of the decision in
// force, or, for one of the host's own applications, all that it may request.
// engine.ErrNoUser if there is no such user, engine.ErrNotAllowed if there are none.
func (e *consents) AllowedBefore(ctx context.Context, userID string, c *registry.Client, asked []string) (allowed engine.Allowed, err error) {
	for range maxTries {
		if allowed, err = e.allowedNow(ctx, userID, c, asked); !errors.Is(err, storage.ErrChanged) {
			return allowed, err
		}
	}
	return allowed, protocol.Unavailable(err) // others of its requests succeed; this one may be retried
}

// allowedNow is AllowedBefore once. storage.ErrChanged if another request of the
// application, or the user, has changed the record of its use.
func (e *consents) allowedNow(ctx context.Context, userID string, c *registry.Client, asked []string) (engine.Allowed, error) {
	none := engine.Allowed{}
	known, err := e.Personas.Knows(ctx, userID, c.ID)
	if err != nil || !known {
		return none, errors.Join(err, issue.ErrNoUser)
	}
	var consent *storage.Consent
	found, err := e.Store.Consent(ctx, userID, c.ID)
	if err == nil {
		consent = &found
	} else if !errors.Is(err, storage.ErrNotFound) {
		return none, fmt.Errorf("read consent: %w", err)
	}
	t := e.termsBefore(c, consent, asked)
	if len(t.Scopes) == 0 {
		return none, engine.ErrNotAllowed
	}
	if err := e.admitAbsent(ctx, userID, c, t); err != nil {
		return none, err
	}
	if c.SkipConsent && t.unrecorded(consent) {
		use := t.use(userID, c.ID, consent, e.Clock())
		if err := e.saveConsent(ctx, use, storage.ConsentBasis{Replaced: decisionOf(consent)}); err != nil {
			return none, err
		}
		consent = &use
	}
	return engine.Allowed{
		Scopes: t.Scopes, Attributes: t.Attributes, Groups: t.Groups, Resources: consent.Resources, Basis: storage.Basis{Consent: *consent},
	}, nil
}

// termsBefore returns what a decision, which may be nil, allows an application: no scope
// that it has lost since, and no attribute that the user was not shown. The use of an
// application without a consent screen is not a decision, nor is an approval under another
// name. offline_access needs a refresh token, and there is none.
func (e *consents) termsBefore(c *registry.Client, consent *storage.Consent, asked []string) terms {
	decided := decisionAbout(c.Called(), consent) != nil && !consent.Decision.IsZero()
	may := c.Scopes
	switch {
	case !c.SkipConsent && !decided:
		return terms{}
	case !c.SkipConsent:
		may = consent.Scopes
	case len(may) == 0:
		may = asked
	}
	if len(asked) == 0 {
		asked = may
	}
	asked = claims.Without(asked, declinedBy(c, consent))
	t := terms{ClientName: c.Called()}
	for _, scope := range asked {
		if scope != claims.OfflineAccess && slices.Contains(may, scope) && c.AllowsScopes([]string{scope}) && e.Claims.Catalogue.Known(scope) {
			t.Scopes = claims.Union(t.Scopes, []string{scope})
		}
	}
	t.Attributes, t.Groups = e.Claims.Catalogue.RequestedFor(c, t.Scopes)
	if !c.SkipConsent {
		t.Attributes = claims.Intersection(t.Attributes, consent.Attributes)
		t.Groups = claims.Intersection(t.Groups, consent.Groups)
	}
	facts, groups := e.lostBy(c, consent)
	t.Attributes, t.Groups = claims.Without(t.Attributes, facts), claims.Without(t.Groups, groups)
	return t
}

// admitAbsent applies the checks for a present user to an absent one.
func (e *consents) admitAbsent(ctx context.Context, userID string, c *registry.Client, t terms) error {
	_, err := e.Claims.Person(ctx, userID, t.Attributes, t.Groups)
	if errors.Is(err, host.ErrNoUser) {
		return issue.ErrNoUser
	}
	if err != nil {
		return err
	}
	return e.AdmitStill(ctx, storage.Grant{Subject: userID, ClientID: c.ID, Scopes: t.Scopes}, c, t.Scopes)
}
