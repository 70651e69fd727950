package claims

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// A fact is a recorded attribute; other attributes derive from facts. Users allow facts,
// never handles: otherwise a derived handle could release, now or later, data that the
// screen has not shown. See decision 0018 of docs/adr.

// related checks the references of an attribute to others. One that is the same as another
// has its type.
func (c *Catalogue) related(a catalogue.Attribute) (catalogue.Attribute, *field.Error) {
	if slices.Contains(a.From, "uuid") || a.SameAs == "uuid" || a.Verifies == "uuid" {
		return a, field.Errorf("Handle", "of attribute %q: uuid is recorded nowhere", a.Handle)
	}
	switch {
	case a.SameAs != "" && (len(a.From) > 0 || a.Verifies != "") || len(a.From) > 0 && a.Verifies != "":
		return a, field.Errorf("SameAs", "of attribute %q: SameAs, From and Verifies exclude each other", a.Handle)
	case a.SameAs != "":
		other, ok := c.attributes[a.SameAs]
		if !ok || isDerived(other) {
			return a, field.Errorf("SameAs", "of attribute %q: %q is not an attribute of its own before it", a.Handle, a.SameAs)
		}
		if a.Type != "" && a.Type != other.Type || a.Members != nil || a.MemberNames != nil || a.Sensitive {
			return a, field.Errorf("SameAs", "of attribute %q: it has type, members and sensitivity of %q", a.Handle, a.SameAs)
		}
		a.Type, a.Members, a.MemberNames, a.Sensitive = other.Type, other.Members, other.MemberNames, other.Sensitive
	case a.Verifies != "":
		other, ok := c.attributes[a.Verifies]
		if !ok || isDerived(other) || c.verifiers[a.Verifies] != "" {
			return a, field.Errorf("Verifies", "of attribute %q: %q is not an attribute of its own before it that nothing else verifies", a.Handle, a.Verifies)
		}
		if a.Type != catalogue.Boolean {
			return a, field.Errorf("Type", "of attribute %q: what verifies is a boolean", a.Handle)
		}
	case len(a.From) > 0:
		return a, c.checkFrom(a)
	}
	return a, nil
}

// checkFrom refuses an attribute that compose cannot make.
func (c *Catalogue) checkFrom(a catalogue.Attribute) *field.Error {
	source := catalogue.String
	switch {
	case a.Handle == "age": // says less than its source, which a host could exchange later
		source = catalogue.Date
	case a.Type == "" || a.Type == catalogue.String || a.Type == catalogue.Object && len(a.From) <= len(a.Members):
	default:
		return field.Errorf("From", "of attribute %q: no value of its type and members can be made of these", a.Handle)
	}
	for _, handle := range a.From {
		other, ok := c.attributes[handle]
		if !ok || isDerived(other) || other.Type != source {
			return field.Errorf("From", "of attribute %q: %q is not an attribute of its own before it, and a %s", a.Handle, handle, source)
		}
	}
	return nil
}

// isDerived reports whether an attribute derives from others.
func isDerived(a catalogue.Attribute) bool {
	return a.SameAs != "" || a.Verifies != "" || len(a.From) > 0
}

// isComposed reports whether an attribute can be made of others and has all of their
// content. The years since a date have less: they are a fact of their own.
func isComposed(a catalogue.Attribute) bool {
	return len(a.From) > 0 && a.Type != catalogue.Integer
}

// IsComposed reports whether an attribute can be made of facts with the same content.
func (c *Catalogue) IsComposed(handle string) bool { return isComposed(c.attributes[handle]) }

// Fact returns the handle of a recorded value.
func (c *Catalogue) Fact(handle string) string { return cmp.Or(c.attributes[handle].SameAs, handle) }

// named returns the value of a fact under any of its names.
func (c *Catalogue) named(values map[string]any, fact string) any {
	if value, ok := values[fact]; ok && !isAbsent(value) {
		return value
	}
	for _, name := range c.names[fact] {
		if value, ok := values[name]; ok {
			return value
		}
	}
	return nil
}

// Encode returns the JSON of a value to be recorded, or nil to remove it, and the fact
// under which it is.
func (c *Catalogue) Encode(handle string, value any) (fact string, raw json.RawMessage, err error) {
	a, ok := c.attributes[handle]
	if !ok || handle == "uuid" {
		return "", nil, errors.New("is not an attribute that can be recorded")
	}
	raw, err = Encode(a, value)
	return c.Fact(handle), raw, err
}

// EncodeAll returns the JSON of values to be recorded, by fact; nil removes one. The
// verification of a fact is removed if another value is recorded without it. An error is a
// *field.Error with the handle.
func (c *Catalogue) EncodeAll(values map[string]any) (map[string]json.RawMessage, error) {
	encoded := make(map[string]json.RawMessage, len(values))
	for _, handle := range slices.Sorted(maps.Keys(values)) {
		fact, raw, err := c.Encode(handle, values[handle])
		if err != nil {
			return nil, &field.Error{Field: handle, Err: err}
		}
		if _, twice := encoded[fact]; twice {
			return nil, field.Errorf(handle, "is given under another name as well")
		}
		encoded[fact] = raw
	}
	for fact, verifier := range c.verifiers {
		_, changed := encoded[fact]
		if _, given := encoded[verifier]; changed && !given {
			encoded[verifier] = nil
		}
	}
	return encoded, nil
}

// tells returns the fact that a handle names or verifies, or else the handle itself.
func (c *Catalogue) tells(handle string) string {
	a := c.attributes[handle]
	return cmp.Or(a.SameAs, a.Verifies, handle)
}

// factsOf returns the facts that one handle reveals.
func (c *Catalogue) factsOf(handle string) []string {
	if a := c.attributes[handle]; isComposed(a) {
		return append([]string{handle}, a.From...)
	}
	return []string{c.tells(handle)}
}

// Facts returns the facts that handles reveal, each once, in the order of the attributes.
// A user allows facts.
func (c *Catalogue) Facts(handles []string) []string {
	facts := slices.Grow([]string(nil), len(handles))
	for _, handle := range handles {
		facts = Union(facts, c.factsOf(handle))
	}
	return c.inOrder(facts)
}

// RequestedFor returns the facts and groups that scopes request of a user for an application.
func (c *Catalogue) RequestedFor(client *registry.Client, scopes []string) (facts, groups []string) {
	handles, groups := c.releaseTo(client.Dialect.V3Attributes, scopes)
	return c.Facts(handles), groups
}

// Requested is RequestedFor any application: the most.
func (c *Catalogue) Requested(scopes []string) (facts, groups []string) {
	handles, groups := c.Release(scopes)
	return c.Facts(handles), groups
}

// allowed returns the handles whose facts are all allowed.
func (c *Catalogue) allowed(handles, facts []string) []string {
	return slices.DeleteFunc(slices.Clone(handles), func(h string) bool { return !Covers(facts, c.factsOf(h)) })
}

// sources returns the attributes that the values of handles need: their facts, the
// verifiers of these, and the attributes that they are computed from.
func (c *Catalogue) sources(handles []string) []string {
	read := c.Facts(handles)
	for _, fact := range slices.Clone(read) {
		read = Union(read, c.attributes[fact].From)
		if verifier := c.verifiers[fact]; verifier != "" {
			read = Union(read, []string{verifier})
		}
	}
	return read
}
