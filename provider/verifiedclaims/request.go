package verifiedclaims

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
)

// claimPrefix begins the claim of a group.
const claimPrefix = "group_"

// words say what matters about an element; any other member is an element below it. lists are
// the elements of which a request has alternatives, and leaves some with nothing below: written
// as a text they would look as if they restricted the answer.
var (
	words  = []string{"essential", "value", "values", "max_age"}
	lists  = []string{"evidence", "check_details"}
	leaves = []string{"trust_framework", "assurance_level", "time", "verification_process", "type", "check_method", "check_id", "organization"}
)

var (
	errElement   = errors.New("a request is an object with the objects verification and claims")
	errFramework = errors.New("a verification has a trust_framework")
	errNode      = errors.New("an element is null or an object, and evidence and check_details are lists of objects")
	errRestrict  = errors.New("a restriction is a value, a list of values or a max_age in seconds, and essential is true or false")
	errType      = errors.New("an evidence has one value for its type")
)

// Parse returns a request in its one form, which Answer reads, and the groups that it asks for,
// sorted; neither if there are none. It refuses what section 5 and the schema of requests do not
// have, and ignores what is unknown.
func (c *Claims) Parse(request json.RawMessage) (canonical json.RawMessage, groups []string, err error) {
	var sent any
	if json.Unmarshal(request, &sent) != nil {
		return nil, nil, errElement
	}
	elements, isList := sent.([]any)
	if !isList {
		elements = []any{sent}
	}
	var kept []any
	for _, e := range elements {
		element, err := c.readElement(e)
		if err != nil {
			return nil, nil, err
		}
		if len(element.Claims) == 0 {
			continue
		}
		kept = append(kept, element)
		for claim := range element.Claims {
			groups = append(groups, strings.TrimPrefix(claim, claimPrefix))
		}
	}
	if len(kept) == 0 {
		return nil, nil, nil
	}
	if sent = kept; !isList {
		sent = kept[0]
	}
	canonical, err = json.Marshal(sent)
	return canonical, distinct(groups), err
}

// readElement checks a request about one verification, and keeps of its claims those of groups
// that can be asked for.
func (c *Claims) readElement(sent any) (element, error) {
	members, _ := sent.(map[string]any)
	verification, ok := members["verification"].(map[string]any)
	claims, isObject := members["claims"].(map[string]any)
	if !ok || !isObject && members["claims"] != nil {
		return element{}, errElement
	}
	if _, ok := verification["trust_framework"]; !ok {
		return element{}, errFramework
	}
	if err := checkNode("verification", verification); err != nil {
		return element{}, err
	}
	kept := map[string]any{}
	for name, asked := range claims {
		restriction, isObject := asked.(map[string]any)
		if !isObject && asked != nil {
			return element{}, errNode
		}
		if err := checkRestriction(restriction); err != nil {
			return element{}, err
		}
		if group, ok := strings.CutPrefix(name, claimPrefix); ok && c.cfg.Frameworks[group] != "" {
			kept[name] = asked
		}
	}
	return element{verification, kept}, nil
}

// checkNode refuses an element that could be read in two ways. Each evidence has to name its type
// (section 5.4).
func checkNode(name string, node any) error {
	alternatives, isList := node.([]any)
	members, isObject := node.(map[string]any)
	mustList, isLeaf := slices.Contains(lists, name), slices.Contains(leaves, name)
	if mustList && !isList || isList && (isLeaf || len(alternatives) == 0) || isLeaf && node != nil && !isObject {
		return errNode
	}
	for _, one := range alternatives {
		alternative, ok := one.(map[string]any)
		if !ok {
			return errNode
		}
		kind, _ := alternative["type"].(map[string]any)
		if _, ok := kind["value"].(string); name == "evidence" && !ok {
			return errType
		}
		if err := checkNode("", alternative); err != nil {
			return err
		}
	}
	for member, below := range members {
		if slices.Contains(words, member) {
			continue
		}
		if err := checkNode(member, below); err != nil {
			return err
		}
	}
	return checkRestriction(members)
}

// checkRestriction checks what is said about an element (OpenID Connect Core section 5.5.1).
func checkRestriction(of map[string]any) error {
	_, hasValue := of["value"]
	sent, hasValues := of["values"]
	values, _ := sent.([]any)
	age, hasAge := of["max_age"]
	seconds, isNumber := age.(float64)
	_, isBool := of["essential"].(bool)
	if of["essential"] != nil && !isBool || hasValues && (hasValue || len(values) == 0) ||
		hasAge && (!isNumber || seconds < 0 || seconds != math.Trunc(seconds)) {
		return errRestrict
	}
	return nil
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
