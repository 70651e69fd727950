package verifiedclaims

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// element is a request about one verification, or, with what is known in the place of what is
// asked for, the answer (Schema Definition section 5.2).
type element struct {
	Verification map[string]any `json:"verification"`
	Claims       map[string]any `json:"claims"`
}

// Answer returns the claim as a request in its one form asks for it, about verified statuses,
// whose Origin is the verification_process; nil for no claim. Each element of a request is
// answered by itself (section 5.6), and groups with different verifications in different
// elements, because what is said of a verification is said of all claims beside it.
func (c *Claims) Answer(issuer string, request json.RawMessage, statuses []storage.Status, now time.Time) (json.RawMessage, error) {
	isList := len(request) > 0 && request[0] == '['
	if !isList {
		request = slices.Concat([]byte("["), request, []byte("]"))
	}
	var asked, told []element
	if err := json.Unmarshal(request, &asked); err != nil {
		return nil, err
	}
	for _, e := range asked {
		begin := len(told)
		for _, s := range statuses {
			claim, found := c.find(e, s, issuer, now)
			if found == nil {
				continue
			}
			i := begin
			for i < len(told) && !reflect.DeepEqual(told[i].Verification, found) {
				i++
			}
			if i == len(told) {
				told = append(told, element{found, map[string]any{}})
			}
			told[i].Claims[claim] = append([]string{}, s.Subgroups...)
		}
	}
	switch {
	case len(told) == 0:
		return nil, nil
	case len(told) == 1 && !isList:
		return json.Marshal(told[0])
	default:
		return json.Marshal(told)
	}
}

// find returns the claim of a status and what is told of its verification; nil if it is not
// asked for, or does not meet a restriction.
func (c *Claims) find(e element, s storage.Status, issuer string, now time.Time) (claim string, verification map[string]any) {
	claim = claimPrefix + s.Group
	asked, ok := e.Claims[claim]
	restriction, _ := asked.(map[string]any)
	if ok && c.cfg.Frameworks[s.Group] != "" && isAmong(restriction, s.Subgroups) {
		found, _ := filter{now}.fit(e.Verification, c.known(issuer, s, now))
		verification, _ = found.(map[string]any)
	}
	return claim, verification
}

// known returns all that is ever told of the verification of a status. The time of day would
// help to find the same person elsewhere; one ahead comes from another clock and counts as now.
func (c *Claims) known(issuer string, s storage.Status, now time.Time) map[string]any {
	v := map[string]any{"trust_framework": c.cfg.Frameworks[s.Group]}
	if at := s.VerifiedAt.UTC(); at.Year() > 1 {
		if at.After(now) {
			at = now.UTC()
		}
		v["time"] = at.Truncate(24 * time.Hour).Format(time.RFC3339)
	}
	if s.Origin != "" {
		v["verification_process"] = s.Origin
	}
	if e, ok := c.cfg.Evidence[s.Method]; ok {
		evidence := map[string]any{"type": e.Type, detailsOf[e.Type]: map[string]any{"type": c.kind(issuer, s.Method)}}
		if e.CheckMethod != "" {
			evidence["check_details"] = []any{map[string]any{"check_method": e.CheckMethod}}
		}
		v["evidence"] = []any{evidence}
	}
	return v
}

// filter filters at a moment.
type filter struct{ now time.Time }

// fit returns the part of what is known that is asked for, nil for none. It reports false if a
// restriction is not met, also one on what is not known: none is ever ignored (section 5.5.1).
// Nothing that the schema requires is missing in a part: Parse has it asked for, or it is all
// that is known.
func (f filter) fit(asked, known any) (any, bool) {
	text, isText := known.(string)
	switch asked := asked.(type) {
	case []any:
		return f.fitAny(asked, known)
	case map[string]any:
		if !f.meets(asked, text) {
			return nil, false
		}
		members, _ := known.(map[string]any)
		found := map[string]any{}
		for member, below := range asked {
			if slices.Contains(words, member) {
				continue
			}
			part, ok := f.fit(below, members[member])
			if !ok {
				return nil, false
			}
			if part != nil {
				found[member] = part
			}
		}
		if len(found) > 0 {
			return found, true
		}
	}
	if isText {
		return text, true
	}
	return nil, true // what is deeper has to be asked for by name (section 5.4)
}

// fitAny returns of a list that is known the entries that fit one of the alternatives, each with
// what all that it fits ask for.
func (f filter) fitAny(alternatives []any, known any) (any, bool) {
	entries, _ := known.([]any)
	if len(entries) == 0 {
		entries = []any{nil}
	}
	var found []any
	fits := false
	for _, entry := range entries {
		merged := map[string]any{}
		for _, alternative := range alternatives {
			part, ok := f.fit(alternative, entry)
			fits = fits || ok
			if object, isObject := part.(map[string]any); isObject {
				maps.Copy(merged, object)
			}
		}
		if len(merged) > 0 {
			found = append(found, merged)
		}
	}
	if len(found) == 0 {
		return nil, fits
	}
	return found, true
}

// meets reports whether a text, empty for what is not known, meets a restriction.
func (f filter) meets(asked map[string]any, text string) bool {
	if value, ok := asked["value"]; ok && (text == "" || value != text) {
		return false
	}
	if values, ok := asked["values"].([]any); ok && (text == "" || !slices.Contains(values, any(text))) {
		return false
	}
	if age, ok := asked["max_age"].(float64); ok {
		at, err := time.Parse(time.RFC3339, text)
		return err == nil && float64(f.now.Unix()-at.Unix()) <= age
	}
	return true
}

// isAmong reports whether subgroups, whose order means nothing, meet the restriction of a claim.
func isAmong(asked map[string]any, subgroups []string) bool {
	same := func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) == len(subgroups) && !slices.ContainsFunc(subgroups, func(s string) bool { return !slices.Contains(list, any(s)) })
	}
	value, hasValue := asked["value"]
	values, hasValues := asked["values"].([]any)
	_, hasAge := asked["max_age"] // of a claim that is no date
	return !hasAge && (!hasValue || same(value)) && (!hasValues || slices.ContainsFunc(values, same))
}
