package claims

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/ui"
)

// Told is one row of a screen: one fact, or several that make one thing, such as first and
// last name.
type Told struct {
	ui.ConsentAttribute
	// Facts are the handles of the facts in the row.
	Facts []string
}

// Tell formats attributes for people, each fact once. Facts that make up another attribute
// of the catalogue, such as the parts of an address, share a row. Identifiers come last. A
// nil Value is not known yet.
func (c *Catalogue) Tell(l *ui.Locale, attributes []Attribute) []Told {
	attributes = slices.DeleteFunc(slices.Clone(attributes), func(a Attribute) bool { return a.Composed })
	var told, numbers []Told
	for len(attributes) > 0 {
		first := attributes[0]
		if t, facts := c.tellTogether(l, first.Handle, attributes); facts != nil {
			told = append(told, Told{t, facts})
			attributes = slices.DeleteFunc(attributes, func(a Attribute) bool { return slices.Contains(facts, a.Handle) })
			continue
		}
		t := Told{c.tellOne(l, c.attributes[first.Handle], first.Value), []string{first.Handle}}
		switch {
		case !isIdentifier(first.Handle), first.Value == nil:
			told = append(told, t)
		case len(numbers) > 0: // all identifiers have the same words
			numbers[0].Facts = append(numbers[0].Facts, t.Facts...)
		default:
			numbers = append(numbers, t)
		}
		attributes = attributes[1:]
	}
	return append(told, numbers...)
}

// isIdentifier reports whether the value of an attribute means nothing to people.
func isIdentifier(handle string) bool { return handle == "uuid" || handle == "eid" }

// tellTogether formats a fact together with those that make up one attribute with it, and
// returns their handles; nil if there are none.
func (c *Catalogue) tellTogether(l *ui.Locale, handle string, attributes []Attribute) (t ui.ConsentAttribute, facts []string) {
	known := func(handle string) json.RawMessage {
		i := slices.IndexFunc(attributes, func(a Attribute) bool { return a.Handle == handle })
		if i < 0 {
			return nil
		}
		return attributes[i].Value
	}
	for _, whole := range c.Attributes {
		if !isComposed(whole) || !slices.Contains(whole.From, handle) && whole.Handle != handle {
			continue
		}
		parts := slices.DeleteFunc(slices.Clone(whole.From), func(part string) bool { return known(part) == nil })
		if len(parts) < 2 {
			continue
		}
		raw, _, err := compose(whole, known, time.Time{})
		if err != nil || raw == nil {
			continue
		}
		t = c.tellOne(l, whole, raw)
		own := known(whole.Handle)
		if own != nil && !reflect.DeepEqual(c.tellOne(l, whole, own), t) {
			continue // the host's own value differs
		}
		if own != nil {
			parts = append(parts, whole.Handle)
		}
		t.Sensitive = slices.ContainsFunc(parts, func(part string) bool { return c.attributes[part].Sensitive })
		return t, parts
	}
	return t, nil
}

// Recorded formats one recorded attribute.
func (c *Catalogue) Recorded(l *ui.Locale, handle string, raw json.RawMessage) ui.ConsentAttribute {
	return c.tellOne(l, c.attributes[handle], raw)
}

// tellOne formats one attribute; raw may be nil.
func (c *Catalogue) tellOne(l *ui.Locale, a catalogue.Attribute, raw json.RawMessage) ui.ConsentAttribute {
	t := ui.ConsentAttribute{
		Handle: a.Handle, Label: c.AttributeWords(l, a.Handle), Phrase: l.Phrase(a.Name), Sensitive: a.Sensitive,
	}
	if raw == nil {
		return t
	}
	switch a.Type {
	case catalogue.Boolean:
		var truth bool
		if json.Unmarshal(raw, &truth) == nil {
			t.Truth = &truth
		}
	case catalogue.Strings:
		var list []string
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			t.Values = []string{strings.Join(list, ", ")}
		}
	case catalogue.Object:
		t.Values, t.Records = records(l, a, append(append([]byte("["), raw...), ']'))
	case catalogue.Objects:
		t.Values, t.Records = records(l, a, raw)
	case catalogue.Integer:
		t.Values = numberOf(l, a, raw)
	default:
		if text, ok := textOf(raw); ok {
			t.Values = []string{written(l, text)}
		}
	}
	if isIdentifier(a.Handle) {
		t.Values = []string{l.StandsForYou()}
	}
	return t
}

// records formats objects: member by member, or in lines if no member has a name for people.
func records(l *ui.Locale, a catalogue.Attribute, raw json.RawMessage) (lines []string, records []ui.ConsentRecord) {
	var objects []map[string]string
	if json.Unmarshal(raw, &objects) != nil {
		return nil, nil
	}
	for _, object := range objects {
		record := recordOf(l, a, object)
		if len(record) == 0 {
			continue
		}
		if len(a.MemberNames) > 0 {
			records = append(records, record)
			continue
		}
		lines = append(lines, record.Line())
	}
	return lines, records
}

// recordOf formats the members of an object in their order, after its whole text if it has
// one: members that the text leaves out are released as well. A member without a name is
// dropped if it is a flag or repeats a text, such as a normalized street.
func recordOf(l *ui.Locale, a catalogue.Attribute, object map[string]string) (record ui.ConsentRecord) {
	var seen []string
	whole := object[formatted]
	if whole != "" {
		record = ui.ConsentRecord{{Label: l.Word(a.MemberNames[formatted]), Value: strings.ReplaceAll(whole, "\n", ", ")}}
	}
	for _, member := range a.Members {
		text, label := object[member], l.Word(a.MemberNames[member])
		same := func(s string) bool { return strings.EqualFold(s, text) }
		isFlag := text == "true" || text == "false"
		switch {
		case text == "", member == formatted:
			continue
		case label.Text == "" && (isFlag || slices.ContainsFunc(seen, same) || strings.Contains(strings.ToLower(whole), strings.ToLower(text))):
			continue
		case isFlag:
			text = l.Truth(text == "true")
		}
		seen = append(seen, text)
		record = append(record, ui.ConsentMember{Label: label, Value: written(l, text)})
	}
	return record
}

// numberOf formats a number with all its digits. updated_at is a time (OpenID Connect Core
// section 5.1).
func numberOf(l *ui.Locale, a catalogue.Attribute, raw json.RawMessage) []string {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	if err != nil {
		return nil
	}
	if at := time.Unix(n, 0).UTC(); a.Handle == "updated_at" && inCalendar(at) {
		return []string{l.Date(at)}
	}
	return []string{l.Number(n)}
}

// written formats a text. A date or a time gets the form of the language; a time stays in
// its own zone.
func written(l *ui.Locale, text string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return l.Date(day)
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return l.DateTime(at)
	}
	return text
}
