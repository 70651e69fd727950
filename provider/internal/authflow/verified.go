package authflow

import (
	"context"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// next decides the next step of a request. It reads whether the user is verified, where the
// application requires that, only after all earlier steps: the host may not know a user who
// has yet to sign in again.
func (e *groups) next(ctx context.Context, s authState) (authState, decision, error) {
	d := nextStep(s)
	if d.step != stepIssue && d.step != stepConsent {
		return s, d, nil
	}
	s, err := e.readVerified(ctx, s)
	return s, nextStep(s), err
}

// readVerified returns the state that knows whether the user is verified as the application
// requires.
func (e *groups) readVerified(ctx context.Context, s authState) (authState, error) {
	if !e.demandsVerified(s.request.Client, s.requested.Scopes) {
		return s, nil
	}
	// Asked for all at once: what follows is read from this.
	if _, err := e.Claims.Person(ctx, s.user.UserID, claims.Union(slices.Clone(s.requested.Attributes), claims.AccountHandles), s.requested.Groups); err != nil {
		return s, err
	}
	lacks, err := e.lacking(ctx, s)
	s.unverified = len(lacks) > 0
	return s, err
}

// demandsVerified reports whether only a verified user can allow a request: of an application that
// is registered so, or for a credential, which says nothing else.
func (e *groups) demandsVerified(c *registry.Client, scopes []string) bool {
	return c.RequireVerified || slices.ContainsFunc(scopes, e.Claims.Catalogue.IsCredential)
}

// notVerified is the error for an application that requires verified users.
func notVerified() *protocol.Error {
	return &protocol.Error{Code: protocol.AccessDenied, Description: "The user is not a verified member of the group.",
		Diagnosis: diagnosis.UserNotVerified}
}

// isVerified reports whether a user is verified in the groups that the registration of an
// application requires.
func (e *groups) isVerified(ctx context.Context, c *registry.Client, scopes, single []string, userID string) (bool, error) {
	if !c.RequireVerified {
		return true, nil
	}
	lacks, err := e.lackingFor(ctx, scopes, single, userID)
	return len(lacks) == 0, err
}

// lacking returns the statuses of groups in one of which the user of a request has to be verified,
// and is not.
func (e *groups) lacking(ctx context.Context, s authState) ([]storage.Status, error) {
	if s.request.Client.RequireVerified {
		return e.lackingFor(ctx, s.requested.Scopes, s.requested.Claims, s.user.UserID)
	}
	return e.lackingFor(ctx, claims.Intersection(s.requested.Scopes, e.Claims.Catalogue.Credentials()), nil, s.user.UserID)
}

// lackingFor returns the statuses of the groups of the first scope, or else of the single claims,
// in none of whose groups the user is a verified member: one would suffice.
func (e *groups) lackingFor(ctx context.Context, scopes, single []string, userID string) ([]storage.Status, error) {
	for _, scope := range scopes {
		facts, groups := e.Claims.Catalogue.Requested([]string{scope})
		if lacks, err := e.unverified(ctx, userID, facts, groups); err != nil || len(lacks) > 0 {
			return lacks, err
		}
	}
	if groups := claims.VerifiedAmong(single); len(groups) > 0 {
		return e.unverified(ctx, userID, nil, groups)
	}
	return nil, nil
}

// unverified returns the statuses of groups in none of which the user is a verified member.
func (e *groups) unverified(ctx context.Context, userID string, facts, groups []string) ([]storage.Status, error) {
	r, err := e.Claims.Release(ctx, userID, facts, groups, "")
	if err != nil || slices.ContainsFunc(r.Statuses, func(s storage.Status) bool { return s.Verified }) {
		return nil, err
	}
	return r.Statuses, nil
}

// requiredGroups shows the groups in one of which a user must be a verified member.
func (e *groups) requiredGroups(r *http.Request, s authState) ([]ui.ConsentGroup, error) {
	lacks, err := e.lacking(r.Context(), s)
	if err != nil {
		return nil, err
	}
	groups := make([]ui.ConsentGroup, len(lacks))
	for i, lack := range lacks {
		if groups[i], err = e.GroupView(r, s.user.UserID, lack); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// GroupView shows a status, as it is released now, to its user.
func (e *groups) GroupView(r *http.Request, userID string, s storage.Status) (group ui.ConsentGroup, err error) {
	l := e.Site.Locale(r)
	group = ui.ConsentGroup{
		Name: s.Group, Label: e.Claims.Catalogue.GroupWords(l, s.Group), Phrase: e.Claims.Catalogue.GroupPhrase(l, s.Group),
		Subgroups: e.Claims.Catalogue.SubgroupWords(l, s.Group, s.Subgroups), CanVerify: e.CanVerify(s),
	}
	if !s.Verified && !s.Pending {
		if group.Declined, err = e.Declined(r.Context(), userID, s.Group); err != nil {
			return group, err
		}
	}
	switch {
	case s.Verified:
		group.State, group.Since, group.Expires = ui.GroupVerified, s.VerifiedAt, s.ExpiresAt
	case s.Pending:
		group.State = ui.GroupPending
	case !group.Declined && !s.ExpiresAt.IsZero() && !e.Clock().Before(s.ExpiresAt):
		group.State, group.Expires = ui.GroupExpired, s.ExpiresAt
	default:
		group.State, group.Reason = ui.GroupUnverified, s.Reason
	}
	return group, nil
}
