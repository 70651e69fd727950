package claims

import (
	"cmp"

	"golang.org/x/text/language"

	"github.com/bonafide-id/bonafide/ui"
)

// What the catalogue is called in the language of a screen: by the host's translations, or
// by those of the default catalogue.

// ScopeWords returns title and description of a scope.
func (c *Catalogue) ScopeWords(l *ui.Locale, name string) (title, description ui.Label) {
	s := c.Scope(name)
	if s == nil {
		return ui.Label{Text: name, Lang: ui.Undetermined}, ui.Label{}
	}
	words, _ := translation(s.Translations, l)
	return word(l, words.Title, cmp.Or(s.Title, s.Name)), word(l, words.Description, s.Description)
}

// AttributeWords returns the name of an attribute.
func (c *Catalogue) AttributeWords(l *ui.Locale, handle string) ui.Label {
	a := c.attributes[handle]
	name, _ := translation(a.Translations, l)
	return word(l, name, cmp.Or(a.Name, handle))
}

// GroupWords returns the title of a group.
func (c *Catalogue) GroupWords(l *ui.Locale, name string) ui.Label {
	g := c.groups[name]
	words, _ := translation(g.Translations, l)
	return word(l, words.Title, cmp.Or(g.Title, name))
}

// SubgroupWords returns what these parts of a group are called.
func (c *Catalogue) SubgroupWords(l *ui.Locale, group string, subgroups []string) []ui.Label {
	words, _ := translation(c.groups[group].Translations, l)
	labels := make([]ui.Label, len(subgroups))
	for i, s := range subgroups {
		labels[i] = word(l, words.Subgroups[s], s)
	}
	return labels
}

// word returns a text in the language of a screen, or else the original.
func word(l *ui.Locale, translated, original string) ui.Label {
	if translated != "" {
		return ui.Label{Text: translated}
	}
	return l.Word(original)
}

// translation returns the best of some translations for the language of a screen.
func translation[T any](translations map[string]T, l *ui.Locale) (found T, ok bool) {
	if found, ok = translations[l.Lang]; ok {
		return found, true
	}
	want, _ := language.Make(l.Lang).Base()
	for tag, t := range translations { // fr-CA will do for fr
		if base, _ := language.Make(tag).Base(); base == want {
			return t, true
		}
	}
	return found, false
}
