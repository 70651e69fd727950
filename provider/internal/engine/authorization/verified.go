package authorization

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// VerifiedReader reads requests for verified_claims (OpenID Connect for Identity Assurance 1.0).
type VerifiedReader interface {
	// Parse returns a request in the one form in which a grant keeps it, and the groups that it
	// asks for; neither if there are none. The error of a malformed one is for its client.
	Parse(request json.RawMessage) (canonical json.RawMessage, groups []string, err error)
}

// VerifiedRequest is a request for verified_claims in its one form, and the groups that it asks
// for.
type VerifiedRequest struct {
	Groups  []string        `json:"groups"`
	Request json.RawMessage `json:"request"`
}

// verifiedClaims is the claim, and verifiedPrefix begins the name under which a request for it
// asks for a group: no claim of the catalogue has a slash in its name.
const (
	verifiedClaims = "verified_claims"
	verifiedPrefix = verifiedClaims + "/"
)

// maxVerifiedNesting is how deep the parameter claims may be with verified_claims: that of the
// values of an evidence_classification, within a list of requests.
const maxVerifiedNesting = 14

// members are the places as the parameter claims names them.
var members = [...]string{InIDToken: "id_token", InUserinfo: "userinfo"}

// VerifiedName is the name under which verified_claims about a group are asked for and allowed.
func VerifiedName(group string) string { return verifiedPrefix + group }

// VerifiedGroup returns the group of a VerifiedName, and reports false for any other name.
func VerifiedGroup(name string) (string, bool) { return strings.CutPrefix(name, verifiedPrefix) }

// VerifiedIn returns the request for verified_claims in a place, without groups if there is none.
func (r ClaimsRequest) VerifiedIn(in Place) VerifiedRequest { return r.Verified[members[in]] }

// takeVerified takes verified_claims out of the parameter claims, of which the rest is read as
// if they had not been there.
func (r *ClaimsRequest) takeVerified(sent map[string]json.RawMessage, read VerifiedReader) error {
	r.Verified = map[string]VerifiedRequest{}
	for _, place := range members[InIDToken:] {
		var claims map[string]json.RawMessage
		if json.Unmarshal(sent[place], &claims) != nil || claims == nil {
			continue // whoever reads the rest finds what is wrong
		}
		if asked, ok := claims[verifiedClaims]; ok && string(asked) != "null" {
			canonical, groups, err := read.Parse(asked)
			if err != nil {
				return err
			}
			if len(groups) > 0 {
				r.Verified[place] = VerifiedRequest{groups, canonical}
			}
		}
		maps.DeleteFunc(claims, func(name string, _ json.RawMessage) bool {
			return name == verifiedClaims || strings.HasPrefix(name, verifiedPrefix)
		})
		sent[place], _ = json.Marshal(claims) // which came from JSON
	}
	return nil
}

// verifiedNames appends the names of the groups that are asked for in a place.
func (r ClaimsRequest) verifiedNames(names []string, in Place) []string {
	for place, asked := range r.Verified {
		if in != InAny && place != members[in] {
			continue
		}
		for _, group := range asked.Groups {
			names = append(names, VerifiedName(group))
		}
	}
	return names
}

// verifiedWithin returns the requests for the groups that were allowed by name.
func (r ClaimsRequest) verifiedWithin(allowed []string) map[string]VerifiedRequest {
	kept := maps.Clone(r.Verified)
	for place, asked := range kept {
		asked.Groups = slices.DeleteFunc(slices.Clone(asked.Groups), func(g string) bool { return !slices.Contains(allowed, VerifiedName(g)) })
		if kept[place] = asked; len(asked.Groups) == 0 {
			delete(kept, place)
		}
	}
	return kept
}
