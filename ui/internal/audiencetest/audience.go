// Package audiencetest has the tests of a package of screens for an audience, and sample data
// for its fixtures.
package audiencetest

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/uitest"
)

// Fixture is a screen in one state. Every fixture is a golden file and a page of the gallery.
type Fixture struct {
	Name string
	// Render puts the state into a page, which brings language and surroundings.
	Render func(p ui.Page) templ.Component
}

// Audience is what is tested.
type Audience struct {
	// Section is the key of its texts in the files of a host, and in small letters what the
	// names of its pages in the gallery begin with.
	Section  string
	Files    ui.Audience
	Fixtures []Fixture
	// One is the fixture that a browser looks at in every language.
	One string
	// Beside are the English files of what the screens say of others, by their sections; ""
	// is that of people.
	// Defaults to that of people in the folder above.
	Beside map[string]string
}

// pages are the fixtures in languages.
func (a Audience) pages(locales ...*ui.Locale) []uitest.Page {
	var all []uitest.Page
	for _, l := range locales {
		for _, f := range a.Fixtures {
			all = append(all, uitest.Page{Name: f.Name, Lang: l.Lang, Dir: l.Dir, Component: f.Render(Page(l))})
		}
	}
	return all
}

// Golden compares the fixtures with testdata/golden, which -update writes.
func (a Audience) Golden(t *testing.T) { uitest.Golden(t, a.pages(ui.MatchLocale("en", ""))) }

// Markup looks for what breaks a fixture in a browser or for a screen reader, in every language.
func (a Audience) Markup(t *testing.T) { uitest.Markup(t, a.pages(ui.Locales()...)) }

// Gallery writes the fixtures to the folder of -gallery, beside those of package ui.
func (a Audience) Gallery(t *testing.T) {
	files := map[string][]byte{}
	for _, asset := range a.Files.Assets() {
		files["assets/"+asset.Name] = asset.Bytes
	}
	if !slices.ContainsFunc(a.Fixtures, func(f Fixture) bool { return f.Name == a.One }) {
		t.Errorf("there is no fixture %q", a.One)
	}
	uitest.Gallery(t, strings.ToLower(a.Section)+"-", a.One, a.pages(ui.Locales()...), files)
}

// Texts checks the file of each language: its structure, placeholders and plural forms, what it
// lacks, what nobody says, and whether it is packed.
func (a Audience) Texts(t *testing.T) {
	uitest.Languages(t, a.Section, func(overlay fs.FS) error {
		s, err := ui.NewLocaleSet(overlay)
		if err != nil {
			return err
		}
		return a.Files.Check(s)
	}, func(lang string) []string { return a.Files.Missing(ui.MatchLocale(lang, "")) })
	if languages, _ := uitest.Words(t); languages != len(ui.Locales()) {
		t.Errorf("%d languages of %d", languages, len(ui.Locales()))
	}
	uitest.Packed(t)
}

// Said checks that the fixtures say nothing but sentences of the catalogues, and that they and
// more components, in the same language, say all of the audience's. Known is what else they
// may say.
func (a Audience) Said(t *testing.T, more func(l *ui.Locale) []templ.Component, known ...string) {
	sections := map[string]string{"": "../text/en.json"}
	if a.Beside != nil {
		sections = maps.Clone(a.Beside)
	}
	sections[a.Section] = "text/en.json"
	s, err := ui.NewLocaleSet(uitest.Pseudo(t, sections))
	if err != nil {
		t.Fatal(err)
	}
	l := s.Match(uitest.PseudoLang, "")
	for _, l := range ui.Locales() {
		known = append(known, l.Name)
	}
	uitest.SaysOnlyTexts(t, a.pages(l), append(known, sampleSource)...)
	said := []byte(uitest.Said(t, a.pages(l)))
	if more != nil {
		for _, c := range more(l) {
			said = append(said, uitest.Render(t, c)...)
		}
	}
	uitest.SaysAllTexts(t, a.Section, string(said))
}
