package authorization

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/storage"
)

// Place is where released claims go.
type Place int

// The places. InAny stands for all of them.
const (
	InAny Place = iota
	InIDToken
	InUserinfo
)

// ClaimsRequest is the parameter claims: what is asked for beside the scopes, claim by
// claim and by where it goes (OpenID Connect Core section 5.5).
type ClaimsRequest struct {
	IDToken  map[string]*ClaimRequest `json:"id_token,omitempty"`
	Userinfo map[string]*ClaimRequest `json:"userinfo,omitempty"`

	// Verified are those for verified_claims by place, which are read on their own.
	Verified map[string]VerifiedRequest `json:"verified,omitempty"`

	// Details are what authorization_details ask for, which belongs to no place.
	Details []Detail `json:"details,omitempty"`
}

// ClaimRequest says what matters about a claim; nil that it is asked for, and no more.
type ClaimRequest struct {
	// Essential says that the application cannot do without the claim.
	Essential bool `json:"essential,omitempty"`

	// Values are those that will do, the best first; any, when there are none.
	Values []string `json:"values,omitempty"`
}

// Claims whose values the protocol gives a meaning to.
const (
	claimSubject = "sub"
	claimACR     = "acr"
)

// maxNesting is how deep the parameter claims may be: that of the values of a claim, each
// of which may be an object with lists.
const maxNesting = 6

var errNesting = errors.New("engine: nested too deep, or a name comes twice")

// parseClaims reads the parameter claims, with that for verified_claims if somebody reads them.
// Members that mean nothing here are ignored, as the standard has it; what is ambiguous is
// refused.
func parseClaims(sent string, verified VerifiedReader) (ClaimsRequest, error) {
	var r ClaimsRequest
	if sent == "" {
		return r, nil
	}
	malformed := protocol.Fail(protocol.InvalidRequest, "The parameter claims is not a JSON object as OpenID Connect Core section 5.5 has it.").
		Because(diagnosis.ClaimsMalformed)
	d, levels := json.NewDecoder(bytes.NewReader([]byte(sent))), maxNesting
	if verified != nil {
		levels = maxVerifiedNesting
	}
	if !utf8.ValidString(sent) || checkNesting(d, levels) != nil { // other bytes are no JSON (RFC 8259 section 8.1)
		return r, malformed
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, malformed
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(sent), &members); err != nil || members == nil {
		return r, malformed
	}
	if verified != nil {
		if err := r.takeVerified(members, verified); err != nil {
			malformed.Description = "The parameter claims has other verified_claims than OpenID Connect for Identity Assurance section 5 allows: " + err.Error() + "."
			return ClaimsRequest{}, malformed
		}
	}
	for name, into := range map[string]*map[string]*ClaimRequest{"id_token": &r.IDToken, "userinfo": &r.Userinfo} {
		if raw, ok := members[name]; ok && json.Unmarshal(raw, into) != nil {
			return ClaimsRequest{}, malformed
		}
	}
	return r, nil
}

// checkNesting reads one value, and refuses one that is nested deeper than that, and two
// members of one name, of which two readers may each believe another.
func checkNesting(d *json.Decoder, levels int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	opening, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if levels == 0 {
		return errNesting
	}
	names := map[json.Token]bool{}
	for d.More() {
		if opening == '{' {
			name, err := d.Token()
			if err != nil || names[name] {
				return errNesting
			}
			names[name] = true
		}
		if err := checkNesting(d, levels-1); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
}

// UnmarshalJSON implements json.Unmarshaler for a claim as the parameter has it.
func (c *ClaimRequest) UnmarshalJSON(raw []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	if essential, ok := members["essential"]; ok {
		if err := json.Unmarshal(essential, &c.Essential); err != nil {
			return err
		}
	}
	value, hasValue := members["value"]
	values, hasValues := members["values"]
	switch {
	case hasValue && hasValues:
		return errors.New("engine: value and values")
	case hasValue:
		values = slices.Concat([]byte("["), value, []byte("]"))
	case !hasValues:
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(values, &list); err != nil {
		return err
	}
	for _, one := range list {
		var text string
		if json.Unmarshal(one, &text) != nil {
			text = string(one) // no text: nobody's subject, and no class
		}
		c.Values = append(c.Values, text)
	}
	return nil
}

// ClaimsOf returns what a grant was asked for claim by claim.
func ClaimsOf(g storage.Grant) ClaimsRequest {
	if g.Claims == "" {
		return ClaimsRequest{}
	}
	var r ClaimsRequest
	_ = json.Unmarshal([]byte(g.Claims), &r) // written by record
	return r
}

// Record returns the request in the one form in which a grant keeps it, "" for none: the
// claims with these names, which were allowed, the classes of authentication that were
// reached, and the details of these scopes.
func (r ClaimsRequest) Record(allowed, reached, scopes []string) (string, error) {
	kept := ClaimsRequest{
		within(r.IDToken, allowed), within(r.Userinfo, allowed), r.verifiedWithin(allowed), DetailsWithin(r.Details, scopes),
	}.withClasses(reached)
	if len(kept.IDToken)+len(kept.Userinfo)+len(kept.Verified)+len(kept.Details) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(kept) // sorted by name
	return string(raw), err
}

// within returns those of the claims with these names, each of them nil: what else was
// said of them has been answered.
func within(asked map[string]*ClaimRequest, names []string) map[string]*ClaimRequest {
	kept := map[string]*ClaimRequest{}
	for name := range asked {
		if slices.Contains(names, name) {
			kept[name] = nil
		}
	}
	return kept
}

// Names returns the names of the claims that are asked for in a place, sorted; of verified_claims
// one for each group.
func (r ClaimsRequest) Names(in Place) []string {
	var names []string
	if in != InUserinfo {
		names = slices.AppendSeq(names, maps.Keys(r.IDToken))
	}
	if in != InIDToken {
		names = slices.AppendSeq(names, maps.Keys(r.Userinfo))
	}
	names = r.verifiedNames(names, in)
	slices.Sort(names)
	return slices.Compact(names)
}

// Handles returns the names of the attributes among the claims that a grant keeps.
func (r ClaimsRequest) Handles() []string {
	return slices.DeleteFunc(r.Names(InAny), func(name string) bool { return name == claimACR })
}

// Excludes reports whether the request names users, and not this one: then nobody else may
// be the subject of the response (OpenID Connect Core section 3.1.2.2).
func (r ClaimsRequest) Excludes(userID string) bool {
	for _, in := range []map[string]*ClaimRequest{r.IDToken, r.Userinfo} {
		if sub := in[claimSubject]; sub != nil && len(sub.Values) > 0 && !slices.Contains(sub.Values, userID) {
			return true
		}
	}
	return false
}

// NamesUsers reports whether the request says who the user has to be.
func (r ClaimsRequest) NamesUsers() bool { return r.Excludes("") }
