package ui

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
)

// A language whose sentence was mended has to be packed again: go generate ./ui.
func TestPackedTextsSayWhatTheFilesSay(t *testing.T) {
	files := sources(t)
	for _, f := range files {
		packed := textFile{lang: f.lang, own: true}
		if diff := cmp.Diff(f.people, packed.forPeople()); diff != "" {
			t.Errorf("%s says to people (-written +packed):\n%s", f.name, diff)
		}
		if diff := cmp.Diff(f.developers, packed.forDevelopers()); diff != "" {
			t.Errorf("%s says to developers (-written +packed):\n%s", f.name, diff)
		}
		if written := f.language(); written != packed.language() {
			t.Errorf("%s is %+v, packed %+v", f.name, written, packed.language())
		}
	}
	for _, packed := range []fs.FS{peopleTexts, developerTexts} {
		if names, err := fs.Glob(packed, "packed/*/*"); err != nil || len(names) != len(files) {
			t.Errorf("%d files, error %v: %q", len(files), err, names)
		}
	}
}

// A second provider of the process says what the first has read, also beside words of a host.
func TestLanguagesAreReadOnce(t *testing.T) {
	first, err := NewLocaleSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewLocaleSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	german := first.Match("de", "").OrEnglish()
	if second.Match("de", "") != german {
		t.Error("a second set has read German again")
	}
	if own := overlaid(t, map[string]string{"fr.json": `{"SignIn": {"Heading": "Bonjour"}}`}); own.Match("de", "") != german {
		t.Error("a set with words of a host in French has read German again")
	}
}

// A language is read when a screen says it, for whom the screen is.
func TestNoLanguageIsReadBeforeItIsAskedFor(t *testing.T) {
	l := &Locale{Lang: "de", tag: language.German, files: []textFile{{lang: "de", tag: language.German, own: true}}}
	l = (&LocaleSet{all: []*Locale{l}, matcher: language.NewMatcher([]language.Tag{l.tag})}).Match("de", "")
	if l.text != nil || l.dashboard != nil {
		t.Error("a language is read before a screen is")
	}
	if l.OrEnglish(); l.text == nil || l.dashboard != nil {
		t.Error("a screen for people reads the text for people, and no other")
	}
	if l.developer(); l.dashboard == nil {
		t.Error("the dashboard has no text")
	}
}

// What a host says in the dashboard counts for nothing where there is none.
func TestTextsOfTheDashboardAreCheckedWhereItIs(t *testing.T) {
	wrong := folder(map[string]string{"de.json": `{"Developer": {"Home": {"Headin": "x"}}}`})
	if _, err := NewLocaleSet(wrong); err == nil || err.Error() != "de.json: Developer.Home.Headin: is not a key of en.json" {
		t.Errorf("with the dashboard: %v", err)
	}
	defer func(with func(*Locale) any) { dashboard = with }(dashboard)
	dashboard = nil
	s, err := NewLocaleSet(wrong)
	if err != nil {
		t.Fatalf("without the dashboard: %v", err)
	}
	if missing := s.Match("de", "").Missing(); len(missing) > 0 {
		t.Errorf("lacks %q", missing)
	}
}
