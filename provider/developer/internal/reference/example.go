package reference

import (
	"encoding/json"
	"slices"
	"strings"
)

// values are those of the user in the examples.
var values = map[string]string{
	"uuid": `"f3a1c9d27b5e4c0e8a6f"`, "email": `"maria@example.com"`, "email_verified": `true`,
	"fname": `"Maria"`, "lname": `"Silva"`, "zip": `"22030"`, "birthdate": `"1990-04-02"`,
}

// text returns a string as JSON.
func text(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // cannot happen: every string has a form in JSON
	}
	return string(raw)
}

// exampleOf returns an example of a payload as JSON, indented; empty for one that has
// none.
func (d *Document) exampleOf(p Payload) string {
	var members []string
	for _, m := range p.Members {
		if m.Example == "" {
			continue
		}
		value := strings.ReplaceAll(m.Example, "\n", "\n  ")
		members = append(members, "  "+text(m.Name)+": "+value)
	}
	if len(members) == 0 {
		return ""
	}
	return "{\n" + strings.Join(members, ",\n") + "\n}"
}

// valueExample is a value of an attribute that the example scope releases.
func (i Installation) valueExample(handle string) string {
	released := handle
	if handle == "email_verified" {
		released = "email"
	}
	for _, s := range i.Scopes {
		if s.Name == i.exampleScope() && slices.Contains(s.Attributes, released) {
			return values[handle]
		}
	}
	return ""
}

// statusList is the member status of the example.
func (i Installation) statusList() string {
	group, subgroups, verified := i.statusExample()
	if group == "" {
		return "[]"
	}
	return "[{" + `"group": ` + group + `, "subgroups": ` + subgroups + `, "verified": ` + verified + `}]`
}

// statusExample is a verified member of the group that the example scope releases.
func (i Installation) statusExample() (group, subgroups, verified string) {
	for _, s := range i.Scopes {
		for _, g := range i.Groups {
			if s.Name != i.exampleScope() || len(s.Groups) == 0 || s.Groups[0] != g.Name {
				continue
			}
			if len(g.Subgroups) == 0 {
				return text(g.Name), "[]", "true"
			}
			return text(g.Name), "[" + text(g.Subgroups[len(g.Subgroups)/2]) + "]", "true"
		}
	}
	return "", "", ""
}
