package verification

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReadPolicies reads policies from the JSON of a config file. Their rules name the verifiers,
// which the program makes:
//
//	[{
//		"group": "student",
//		"rule": {"any_of": ["email_domain", {"all_of": ["roster", "document"]}]},
//		"holds": {"": "365d", "High School": "180d"},
//		"reviewers": 2,
//		"tries": {"short": 5, "short_period": "6h", "long": 10, "long_period": "30d"}
//	}]
//
// The other fields are renew_from, finish, promise and keep, which are durations such as 48h
// or 30d, framework and ended. Holds is one duration, or one for each subgroup, of which that
// of the empty name is for all others; "never" is no end. An unknown field, and an unknown
// verifier, is a provider.FieldError; New checks the rest.
func ReadPolicies(file []byte, verifiers ...Verifier) (Policies, error) {
	var texts []json.RawMessage
	if err := json.Unmarshal(file, &texts); err != nil {
		return nil, fmt.Errorf("verification: policies: %w", err)
	}
	known := map[string]Verifier{}
	for _, v := range verifiers {
		known[v.Name] = v
	}
	policies := make(Policies, len(texts))
	for i, text := range texts {
		field := fmt.Sprintf("Policies[%d]", i)
		var f policyFile
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&f); err != nil {
			return nil, fmt.Errorf("verification: %w", wrongField(field, "%w", err))
		}
		rule, err := f.Rule.rule(field+".Rule", known)
		if err != nil {
			return nil, fmt.Errorf("verification: %w", err)
		}
		policies[i] = Policy{
			Group: f.Group, Rule: rule, Holds: f.Holds.holds(),
			RenewFrom: time.Duration(f.RenewFrom), Finish: time.Duration(f.Finish), Promise: time.Duration(f.Promise),
			Reviewers: f.Reviewers, Keep: time.Duration(f.Keep), Framework: f.Framework, Ended: f.Ended,
			Tries: Tries{
				Short: f.Tries.Short, ShortPeriod: time.Duration(f.Tries.ShortPeriod),
				Long: f.Tries.Long, LongPeriod: time.Duration(f.Tries.LongPeriod),
			},
		}
	}
	return policies, nil
}

// policyFile is a policy in a file.
type policyFile struct {
	Group     string    `json:"group"`
	Rule      ruleFile  `json:"rule"`
	Holds     holdsFile `json:"holds"`
	RenewFrom duration  `json:"renew_from"`
	Finish    duration  `json:"finish"`
	Promise   duration  `json:"promise"`
	Reviewers int       `json:"reviewers"`
	Tries     triesFile `json:"tries"`
	Keep      duration  `json:"keep"`
	Framework string    `json:"framework"`
	Ended     bool      `json:"ended"`
}

type triesFile struct {
	Short       int      `json:"short"`
	ShortPeriod duration `json:"short_period"`
	Long        int      `json:"long"`
	LongPeriod  duration `json:"long_period"`
}

// duration is text such as 48h or 30d.
type duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := parseDuration(string(text))
	*d = duration(parsed)
	return err
}

var errNoDuration = errors.New("is no duration such as 48h or 30d") // and not which text: it may be a secret in the wrong place

func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, errNoDuration
		}
		return time.Duration(n) * day, nil
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return 0, errNoDuration
	}
	return parsed, nil
}

// ruleFile is a rule in a file: the name of a verifier, or any_of or all_of.
type ruleFile struct {
	by           string
	anyOf, allOf []ruleFile
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *ruleFile) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.by) == nil {
		return nil
	}
	var several struct {
		AnyOf []ruleFile `json:"any_of"`
		AllOf []ruleFile `json:"all_of"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&several); err != nil {
		return fmt.Errorf("a rule is the name of a verifier, any_of or all_of: %w", err)
	}
	r.anyOf, r.allOf = several.AnyOf, several.AllOf
	return nil
}

func (r ruleFile) rule(field string, known map[string]Verifier) (Rule, error) {
	if r.by != "" {
		v, ok := known[r.by]
		if !ok {
			return Rule{}, wrongField(field, "%q is none of the verifiers %s", r.by, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		return By(v), nil
	}
	if (len(r.anyOf) == 0) == (len(r.allOf) == 0) {
		return Rule{}, wrongField(field, "is the name of a verifier, or one of any_of and all_of")
	}
	var rules []Rule
	for _, of := range slices.Concat(r.anyOf, r.allOf) {
		rule, err := of.rule(field, known)
		if err != nil {
			return Rule{}, err
		}
		rules = append(rules, rule)
	}
	return Rule{rules: rules, all: len(r.allOf) > 0}, nil
}

// holdsFile is how long memberships hold, by subgroup; zero for ever.
type holdsFile map[string]time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (h *holdsFile) UnmarshalJSON(text []byte) error {
	texts := map[string]string{}
	var one string
	if json.Unmarshal(text, &one) == nil {
		texts[""] = one
	} else if err := json.Unmarshal(text, &texts); err != nil {
		return fmt.Errorf("holds is a duration, or one for each subgroup: %w", err)
	}
	*h = holdsFile{}
	for subgroup, text := range texts {
		if text == "never" {
			(*h)[subgroup] = 0
			continue
		}
		parsed, err := parseDuration(text)
		if err == nil && parsed <= 0 {
			err = errNoDuration
		}
		if err != nil {
			return err
		}
		(*h)[subgroup] = parsed
	}
	return nil
}

// holds returns Policy.Holds; nil for its default.
func (h holdsFile) holds() func(string, time.Time) time.Time {
	if len(h) == 0 {
		return nil
	}
	return func(subgroup string, verified time.Time) time.Time {
		for _, name := range []string{subgroup, ""} {
			if lasts, ok := h[name]; ok && lasts == 0 {
				return time.Time{}
			} else if ok {
				return verified.Add(lasts)
			}
		}
		return (Policy{}).withDefaults().Holds(subgroup, verified)
	}
}
