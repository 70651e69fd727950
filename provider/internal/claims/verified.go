package claims

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// Verified is the claim verified_claims (OpenID Connect for Identity Assurance 1.0). Package
// verifiedclaims has it.
type Verified interface {
	authorization.VerifiedReader

	// Answer returns what a request in its one form gets about verified statuses; nil for
	// nothing. The Origin of a status is the process that the application knows.
	Answer(issuer string, request json.RawMessage, statuses []storage.Status, now time.Time) (json.RawMessage, error)

	// Groups are those that can be asked for.
	Groups() []string

	// Metadata are members of the discovery document.
	Metadata(issuer string) map[string]any
}

// isVerifiedName reports whether a claim or fact is that of verified_claims about a group.
func isVerifiedName(name string) bool {
	_, ok := authorization.VerifiedGroup(name)
	return ok
}

// VerifiedAmong returns the groups of which facts tell how and when they were verified.
func VerifiedAmong(facts []string) (groups []string) {
	for _, fact := range facts {
		if group, ok := authorization.VerifiedGroup(fact); ok {
			groups = append(groups, group)
		}
	}
	return groups
}

// verifiedIn returns the request of a grant for verified_claims in a place, with those of its
// groups that the application may ask for and the user has allowed, both as a group and as a
// fact.
func (s *Source) verifiedIn(in authorization.Place, g storage.Grant, single []string) authorization.VerifiedRequest {
	if s.Verified == nil || !slices.ContainsFunc(single, isVerifiedName) {
		return authorization.VerifiedRequest{}
	}
	asked := authorization.ClaimsOf(g).VerifiedIn(in)
	allowed := Intersection(VerifiedAmong(g.Attributes), VerifiedAmong(single))
	asked.Groups = Intersection(Intersection(asked.Groups, allowed), g.Groups)
	return asked
}

// verifiedClaims returns the claim verified_claims, or nothing. Of a status it passes on only
// what an application may ever learn.
func (s *Source) verifiedClaims(ctx context.Context, g storage.Grant, asked authorization.VerifiedRequest, r *Released) ([]issue.Claim, error) {
	released, err := s.Release(ctx, g.Subject, nil, asked.Groups, "")
	if err != nil {
		return nil, err
	}
	var statuses []storage.Status
	for _, status := range released.Statuses {
		if !status.Verified {
			continue
		}
		told := storage.Status{
			Group: status.Group, Subgroups: status.Subgroups, Verified: true, VerifiedAt: status.VerifiedAt, Method: status.Method,
		}
		if status.Origin != "" {
			told.Origin = s.Process(g.ClientID, status.Origin)
		}
		statuses = append(statuses, told)
	}
	answer, err := s.Verified.Answer(s.Issuer, asked.Request, statuses, s.Clock())
	if err != nil || answer == nil {
		return nil, err
	}
	r.endsBy(released.Until)
	return []issue.Claim{{Name: "verified_claims", Value: answer}}, nil
}
