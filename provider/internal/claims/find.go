package claims

import (
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// mostFindable is the maximum length of a value by which people are found, in bytes.
const mostFindable = 255

// checkFindable refuses attributes by which nobody is found: those with few values, and those
// that follow from others.
func checkFindable(a catalogue.Attribute) *field.Error {
	switch {
	case !a.Findable:
		return nil
	case a.Type != catalogue.String && a.Type != catalogue.Integer:
		return field.Errorf("Findable", "attribute %q is a %s: only a string or an integer can be", a.Handle, a.Type)
	case a.SameAs != "" || a.Verifies != "" || len(a.From) > 0:
		return field.Errorf("Findable", "attribute %q follows from another", a.Handle)
	default:
		return nil
	}
}

// FindText returns the one spelling of a recorded value by which people are found, or "" if
// they are not found by it.
func (c *Catalogue) FindText(handle string, value json.RawMessage) string {
	if !c.attributes[handle].Findable {
		return ""
	}
	text, ok := textOf(value)
	if !ok {
		return ""
	}
	return c.FindSpelling(text)
}

// FindSpelling is the one spelling of a value by which people are found; empty for one that is
// too long, or has nothing to be found by.
func (c *Catalogue) FindSpelling(text string) string {
	spelled := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\u00a0-./()", r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKC.String(text)))
	if len(spelled) > mostFindable {
		return ""
	}
	return spelled
}

// IsFindable reports whether people are found by any attribute.
func (c *Catalogue) IsFindable() bool {
	return slices.ContainsFunc(c.Attributes, func(a catalogue.Attribute) bool { return a.Findable })
}
