package reference

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// Sections returns the reference as it is read.
func (d *Document) Sections() []screens.DocsSection {
	return []screens.DocsSection{
		d.start(), d.flow(), d.addresses(), d.endpoints(), d.payloadSection(), d.vocabulary(), d.errors(), d.dialects(), d.limitSection(),
	}
}

// addresses are the endpoints of both environments at a glance.
func (d *Document) addresses() screens.DocsSection {
	columns := []string{"Endpoint", "Method", "Production"}
	if d.SandboxURL != "" {
		columns = append(columns, "Sandbox")
	}
	table := screens.DocsTable{Caption: "Addresses", Columns: columns}
	for _, e := range d.Endpoints {
		row := []string{e.Title, strings.Join(e.Methods, ", "), code(d.BaseURL + e.Path)}
		if d.SandboxURL != "" {
			row = append(row, code(d.SandboxURL+e.Path))
		}
		table.Rows = append(table.Rows, row)
	}
	return screens.DocsSection{ID: "addresses", Title: "Addresses", Tables: []screens.DocsTable{table}}
}

func (d *Document) endpoints() screens.DocsSection {
	s := screens.DocsSection{ID: "endpoints", Title: "Endpoints"}
	for _, e := range d.Endpoints {
		s.Parts = append(s.Parts, d.endpointSection(e))
	}
	return s
}

func (d *Document) endpointSection(e Endpoint) screens.DocsSection {
	s := screens.DocsSection{ID: anchor("endpoint", e.ID), Title: e.Title}
	s.Text = append(s.Text, code(strings.Join(e.Methods, ", ")+" "+d.BaseURL+e.Path))
	s.Text = append(s.Text, e.Text...)
	s.Text = append(s.Text, e.facts()...)
	if len(e.Parameters) > 0 {
		s.Tables = append(s.Tables, parameterTable(e.Parameters))
	}
	if table := d.answerTable(e); len(table.Rows) > 0 {
		s.Tables = append(s.Tables, table)
	}
	if example := d.example(e); example != "" {
		s.Code = append(s.Code, screens.DocsCode{Caption: "Example of a request", Text: example})
	}
	return s
}

// facts says in sentences how an endpoint is asked.
func (e Endpoint) facts() []string {
	var facts []string
	switch e.Auth {
	case ClientAuth:
		facts = append(facts, "Authenticate with HTTP Basic, or with `client_id` and `client_secret` in the form. An application with a key of its own sends `client_assertion` and `client_assertion_type` instead, and a public client its `client_id` alone.")
	case ConfidentialAuth:
		facts = append(facts, "Authenticate with HTTP Basic, or with `client_id` and `client_secret` in the form. An application with a key of its own sends `client_assertion` and `client_assertion_type` instead.")
	case BearerAuth:
		facts = append(facts, "Send the access token as `Authorization: Bearer`.")
	case RegistrationAuth:
		facts = append(facts, "Send the token as `Authorization: Bearer`, and nowhere else.")
	case NoAuth:
	}
	if e.Origins != NoOrigin {
		facts = append(facts, "Web origins whose scripts may read the answer (CORS): "+string(e.Origins)+".")
	}
	if e.Standard != "" {
		facts = append(facts, "Defined in "+e.Standard+".")
	}
	return facts
}

func parameterTable(parameters []Parameter) screens.DocsTable {
	table := screens.DocsTable{Caption: "Parameters", Columns: []string{"Parameter", "Required", "Meaning"}}
	for _, p := range parameters {
		name, needed, meaning := code(p.Name), p.Needed, p.Meaning
		if p.Header {
			name += " (header)"
		}
		if p.Path {
			name += " (path)"
		}
		if needed == "" {
			needed = "no"
		}
		if len(p.Values) > 0 {
			meaning += " Values: " + codes(p.Values) + "."
		}
		if p.List {
			meaning += " Separated by spaces."
		}
		table.Rows = append(table.Rows, []string{name, needed, meaning})
	}
	return table
}

func (d *Document) answerTable(e Endpoint) screens.DocsTable {
	table := screens.DocsTable{Caption: "Answers", Columns: []string{"Status", "Body", "When"}}
	for _, a := range e.Answers {
		body := "none"
		if a.Type != "" {
			body = code(a.Type)
		}
		if a.Payload != "" {
			body = strings.TrimPrefix(body+": ", "none: ") + d.payload(a.Payload).Title
		}
		when := a.When
		if when == "" {
			when = "the request is in order"
		}
		table.Rows = append(table.Rows, []string{strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), body, when})
	}
	return table
}

// payloadSection are the members of all objects.
func (d *Document) payloadSection() screens.DocsSection {
	s := screens.DocsSection{ID: "payloads", Title: "Payloads", Text: []string{
		"Members may come in any order, and new ones may be added at any time: ignore what you do not know.",
	}}
	for _, p := range d.Payloads {
		table := screens.DocsTable{Caption: "Members", Columns: []string{"Member", "Type", "There", "Meaning"}}
		for _, m := range p.Members {
			there := m.When
			if m.Always {
				there = "always"
			}
			table.Rows = append(table.Rows, []string{code(m.Name), d.typeText(m), there, m.Meaning})
		}
		part := screens.DocsSection{ID: anchor("payload", p.Name), Title: p.Title, Text: p.Text, Tables: []screens.DocsTable{table}}
		if example := d.exampleOf(p); example != "" {
			part.Code = []screens.DocsCode{{Caption: "Example", Text: example}}
		}
		s.Parts = append(s.Parts, part)
	}
	return s
}

// typeText says the type of a member, in both dialects.
func (d *Document) typeText(m Member) string {
	text := string(m.Type)
	if name, ok := strings.CutPrefix(text, string(typeObjects)); ok {
		text = string(typeObjects) + d.payload(name).Title
	} else if name, ok := strings.CutPrefix(text, string(typeObject)); ok {
		text = string(typeObject) + d.payload(name).Title
	}
	if m.Type == TypeDate {
		text = "string, YYYY-MM-DD"
	}
	if m.InV3 != "" {
		text += "; in `v3` " + string(m.InV3)
		if m.Type == TypeInteger {
			text += " of digits"
		}
	}
	return text
}

func (d *Document) vocabulary() screens.DocsSection {
	scopes := screens.DocsTable{Caption: "Scope values", Columns: []string{"Scope", "Title", "Attributes", "Groups"}}
	scopes.Rows = append(scopes.Rows,
		[]string{code("openid"), "OpenID Connect: who has signed in", code("sub"), ""},
		[]string{code("offline_access"), "Use without the user at hand", "", ""})
	for _, s := range d.Scopes {
		scopes.Rows = append(scopes.Rows, []string{code(s.Name), s.Title, codes(s.Attributes), codes(s.Groups)})
	}
	known := screens.DocsTable{Caption: "Attributes", Columns: []string{"Handle", "Label", "Type"}}
	for _, a := range d.handles() {
		known.Rows = append(known.Rows, []string{code(a.Handle), a.Name, d.attributeType(a)})
	}
	s := screens.DocsSection{ID: "scopes", Title: "Scopes, attributes and groups", Tables: []screens.DocsTable{scopes, known}}
	if len(d.Groups) > 0 {
		groups := screens.DocsTable{Caption: "Groups", Columns: []string{"Group", "Title", "Subgroups"}}
		for _, g := range d.Groups {
			groups.Rows = append(groups.Rows, []string{code(g.Name), g.Title, strings.Join(g.Subgroups, ", ")})
		}
		s.Tables = append(s.Tables, groups)
	}
	return s
}

func (d *Document) attributeType(a catalogue.Attribute) string {
	switch a.Type {
	case catalogue.Objects:
		return "list of objects with " + codes(a.Members)
	case catalogue.Object:
		return "object with " + codes(a.Members)
	}
	return d.typeText(Member{Type: typeOf(a)})
}

func (d *Document) dialects() screens.DocsSection {
	table := screens.DocsTable{Caption: "Differences", Columns: []string{"", "`standard`", "`v3`"}}
	for _, x := range d.Differences {
		table.Rows = append(table.Rows, []string{x.What, x.Standard, x.V3})
	}
	return screens.DocsSection{ID: "dialects", Title: "Two dialects", Text: []string{
		"An application is registered for one of two wire forms. With an OpenID Connect library, use `standard`.",
	}, Tables: []screens.DocsTable{table}}
}

func (d *Document) limitSection() screens.DocsSection {
	table := screens.DocsTable{Caption: "Limits", Columns: []string{"Of", "At most"}}
	for _, l := range d.Limits {
		table.Rows = append(table.Rows, []string{l.What, l.Bound})
	}
	return screens.DocsSection{ID: "limits", Title: "Limits and lifetimes", Text: []string{
		"Believe `expires_in`, not this table: the operator may change lifetimes. Tokens and codes are opaque words of the characters `0-9A-Za-z_`.",
	}, Tables: []screens.DocsTable{table}}
}

// example is a request as curl sends it.
func (d *Document) example(e Endpoint) string {
	if len(e.Example) == 0 {
		return ""
	}
	address := d.BaseURL + e.Path
	if slices.Contains(e.Methods, http.MethodGet) && e.Auth == NoAuth {
		parts := make([]string, len(e.Example))
		for i, p := range e.Example {
			parts[i] = p.Name + "=" + strings.ReplaceAll(p.Value, " ", "%20")
		}
		return address + "\n  ?" + strings.Join(parts, "\n  &")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "curl '%s'", address)
	var members []Pair
	for _, p := range e.Example {
		switch {
		case p.Name == "Authorization":
			fmt.Fprintf(&b, " \\\n  -H '%s: %s'", p.Name, p.Value)
		case e.JSON:
			members = append(members, p)
		default:
			fmt.Fprintf(&b, " \\\n  --data-urlencode '%s=%s'", p.Name, p.Value)
		}
	}
	if len(members) > 0 {
		fmt.Fprintf(&b, " \\\n  -H 'Content-Type: %s' \\\n  -d '%s'", mediaJSON, jsonObject(members))
	}
	return b.String()
}

// jsonObject writes values of JSON as the members of an object.
func jsonObject(members []Pair) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = fmt.Sprintf("%q: %s", m.Name, m.Value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func code(s string) string { return "`" + s + "`" }

func codes(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = code(s)
	}
	return strings.Join(parts, ", ")
}

func anchor(kind, name string) string { return kind + "-" + strings.ToLower(name) }
