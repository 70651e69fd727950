package claims

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/text/language"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/ui"
)

// The words of the catalogue in the language of a screen are the host's translations, or
// those of the default catalogue.

// ScopeWords returns title and description of a scope, for an application that gets V3Attributes
// or one that does not. Without words of its own the description is what the scope releases, so
// that it promises no less.
func (c *Catalogue) ScopeWords(l *ui.Locale, name string, v3 bool) (title, description ui.Label) {
	s := c.Scope(name)
	if s == nil {
		return ui.Label{Text: name, Lang: ui.Undetermined}, ui.Label{}
	}
	words, _ := translation(s.Translations, l)
	title, description = word(l, words.Title, cmp.Or(s.Title, s.Name)), word(l, words.Description, s.Description)
	if s.Title == "" && c.IsCredential(name) {
		title = ui.Label{Text: l.InWallet(c.GroupWords(l, s.Groups[0]))}
	}
	if description.Text != "" {
		return title, description
	}
	var released []ui.Label
	handles, groups := c.releaseTo(v3, []string{name})
	for _, fact := range c.Facts(handles) {
		if !c.IsComposed(fact) {
			released = append(released, c.AttributeWords(l, fact))
		}
	}
	for _, group := range groups {
		released = append(released, c.GroupWords(l, group))
	}
	return title, l.Row(released)
}

// AttributeWords returns the name of an attribute, or of how a group was verified.
func (c *Catalogue) AttributeWords(l *ui.Locale, handle string) ui.Label {
	if group, ok := authorization.VerifiedGroup(handle); ok {
		return ui.Label{Text: l.HowVerified(c.GroupWords(l, group))}
	}
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

// GroupPhrase returns the name of a group's status within a sentence of the screen's
// language; empty if that language has none.
func (c *Catalogue) GroupPhrase(l *ui.Locale, name string) ui.Label {
	g := c.groups[name]
	if words, _ := translation(g.Translations, l); words.Phrase != "" {
		return ui.Label{Text: words.Phrase}
	}
	return l.Phrase(cmp.Or(g.Title, name))
}

// SubgroupWords returns the names of subgroups.
func (c *Catalogue) SubgroupWords(l *ui.Locale, group string, subgroups []string) []ui.Label {
	words, _ := translation(c.groups[group].Translations, l)
	labels := make([]ui.Label, len(subgroups))
	for i, s := range subgroups {
		labels[i] = word(l, words.Subgroups[s], s)
	}
	return labels
}

// word returns a translation, or else the original, marked as such.
func word(l *ui.Locale, translated, original string) ui.Label {
	if translated != "" {
		return ui.Label{Text: translated}
	}
	return l.Word(original)
}

// translation returns the best translation for the language of a screen: that language, a
// parent of it, such as pt for pt-BR, or another variant.
func translation[T any](translations map[string]T, l *ui.Locale) (found T, ok bool) {
	if found, ok = translations[l.Lang]; ok || len(translations) == 0 {
		return found, ok
	}
	screen := language.Make(l.Lang)
	for t := screen; t != language.Und; t = t.Parent() {
		if found, ok = translations[t.String()]; ok {
			return found, true
		}
	}
	base, _ := screen.Base()
	script, _ := screen.Script()
	for _, tag := range slices.Sorted(maps.Keys(translations)) {
		other := language.Make(tag)
		itsBase, _ := other.Base()
		itsScript, _ := other.Script()
		if itsBase == base && itsScript == script { // who reads zh cannot read all of zh-TW
			return translations[tag], true
		}
	}
	return found, false
}

// checkTranslations refuses a tag that is no language: nobody would see the translation.
func checkTranslations[T any](translations map[string]T) *field.Error {
	for _, tag := range slices.Sorted(maps.Keys(translations)) {
		if t, err := language.Parse(tag); err != nil || t == language.Und {
			return field.Errorf("Translations", "%q is no language, as de and pt-BR are", tag)
		} else if t.String() != tag {
			return field.Errorf("Translations", "%q is %q in BCP 47", tag, t)
		}
	}
	return nil
}

// checkGroupTranslations also refuses a translation of an unknown subgroup: the intended one
// would stay untranslated.
func checkGroupTranslations(g catalogue.Group) *field.Error {
	if err := checkTranslations(g.Translations); err != nil {
		return err
	}
	for _, tag := range slices.Sorted(maps.Keys(g.Translations)) {
		for _, subgroup := range slices.Sorted(maps.Keys(g.Translations[tag].Subgroups)) {
			if !slices.Contains(g.Subgroups, subgroup) {
				return field.Errorf("Translations", "%s: group %q has no subgroup %q", tag, g.Name, subgroup)
			}
		}
	}
	return nil
}
