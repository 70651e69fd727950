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

// Told is how people are told one or several facts that make one thing, such as first and
// last name.
type Told struct {
	ui.ConsentAttribute
	// Facts are the handles of what is told.
	Facts []string
}

// Tell writes attributes for people, each fact once: those that make up another attribute
// of the catalogue, as the parts of an address do, in one row, and last what stands for the
// person. A nil Value is what nobody knows yet.
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
		case len(numbers) > 0: // one will do, for it says the same in words
			numbers[0].Facts = append(numbers[0].Facts, t.Facts...)
		default:
			numbers = append(numbers, t)
		}
		attributes = attributes[1:]
	}
	return append(told, numbers...)
}

// isIdentifier reports whether the value of an attribute says nothing to people.
func isIdentifier(handle string) bool { return handle == "uuid" || handle == "eid" }

// tellTogether tells a fact together with others that make up the same, and which these
// are; nil when it stands for itself.
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
			continue // they say different things
		}
		if own != nil {
			parts = append(parts, whole.Handle)
		}
		t.Sensitive = slices.ContainsFunc(parts, func(part string) bool { return c.attributes[part].Sensitive })
		return t, parts
	}
	return t, nil
}

// Recorded tells one attribute that is recorded about somebody, by itself.
func (c *Catalogue) Recorded(l *ui.Locale, handle string, raw json.RawMessage) ui.ConsentAttribute {
	return c.tellOne(l, c.attributes[handle], raw)
}

// tellOne tells one attribute, of which raw may be nil.
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

// records tells objects: by lines where no member has a name for people, and else member by
// member.
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

// recordOf tells the members of an object in their order, behind a text for people that
// has them as one: whatever that leaves out is released as well. What has no name says
// nothing more to people as a flag, or as the same text again, as of a street that somebody
// has normalized.
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

// numberOf tells a number with all its digits. The one of the last change is a time
// (OpenID Connect Core section 5.1).
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

// written tells a text, and a date or a time in it as people write it, a time as the clock
// showed it where it was taken.
func written(l *ui.Locale, text string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return l.Date(day)
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return l.DateTime(at)
	}
	return text
}
