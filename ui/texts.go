package ui

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// textFile is what one file says in a language.
type textFile struct {
	name string // such as de.json
	lang string
	tag  language.Tag

	// own is for a file of this module, whose sentences are packed.
	own bool

	// sections are what the file of a host says: to people under the empty name, and to each
	// audience of a package of its own.
	sections map[string]any
}

// says returns what a file says in a section, whose packed files are given; nil for nothing.
func (f textFile) says(section string, packed embed.FS) any {
	if f.own {
		return unpack(packed, "packed/"+f.lang+".json.gz")
	}
	return f.sections[section]
}

// language returns what a file says about the language itself.
func (f textFile) language() (said languageText) {
	if f.own {
		return ownLanguages()[f.lang]
	}
	if people, ok := f.sections[""].(map[string]any); ok && people["Language"] != nil {
		(&textReader{}).read("Language", &said, nil, people["Language"])
	}
	return said
}

// NewLocaleSet returns the languages of this module, with what a host says in words of its
// own. Its files are called after their language, such as de.json, and have any part of
// what text/en.json of this package has, in the same structure. One in a language that this
// module does not have adds it, and says what it is called in itself (Language.Name) and
// in which direction it is written (Language.Dir, "ltr" or "rtl"). What a language does
// not say, it has from the one that it is a variant of, as de-AT from de, and else from
// English.
//
// Sentences are text, never HTML. They may leave out a placeholder, such as {client}. A
// key that text/en.json does not have, a placeholder that the sentence does not have
// there, and a plural form that the language does not have are errors, which name file and
// key. What is below Developer is for the dashboard, and an error of [Files.Check] in a program
// that has it. A nil overlay leaves the languages of this module as they are.
//
// The sentences of this module are read when a language is first asked for, once in a
// process.
func NewLocaleSet(overlay fs.FS) (*LocaleSet, error) {
	if overlay == nil {
		return defaults(), nil
	}
	files, err := readTexts(overlay)
	if err != nil {
		return nil, err
	}
	if err := checkTexts(files); err != nil {
		return nil, err
	}
	s := newLocaleSet(append(ownFiles(), files...))
	s.host = files
	return s, nil
}

func newLocaleSet(files []textFile) *LocaleSet {
	s := &LocaleSet{}
	var tags []language.Tag
	for _, tag := range languagesOf(files) {
		s.all, tags = append(s.all, newLocale(tag, files)), append(tags, tag)
	}
	s.matcher = language.NewMatcher(tags)
	return s
}

// readTexts reads the files of a host.
func readTexts(folder fs.FS) ([]textFile, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	var files []textFile
	for _, entry := range entries {
		if entry.IsDir() || path.Ext(entry.Name()) != ".json" {
			continue
		}
		f, err := readText(folder, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		files = append(files, f)
	}
	return files, nil
}

func readText(folder fs.FS, name string) (textFile, error) {
	f := textFile{name: name, lang: strings.TrimSuffix(name, ".json")}
	var err error
	f.tag, err = language.Parse(f.lang)
	switch base, _ := f.tag.Base(); {
	case err != nil || f.tag == language.Und || base.String() == "und":
		return f, errors.New("is not called after a language, as de.json and pt-BR.json are")
	case f.tag.String() != f.lang:
		return f, fmt.Errorf("is called %s.json in BCP 47", f.tag)
	}
	data, err := fs.ReadFile(folder, name)
	if err != nil {
		return f, err
	}
	var people any
	if err := json.Unmarshal(data, &people); err != nil {
		return f, err
	}
	f.sections = map[string]any{"": people}
	if members, ok := people.(map[string]any); ok {
		for _, section := range audiences {
			f.sections[section] = members[section]
			delete(members, section)
		}
	}
	return f, nil
}

// checkTexts returns what is wrong with the files of a host.
func checkTexts(files []textFile) error {
	english := MatchLocale("en", "").OrEnglish()
	var wrong []error
	for _, f := range files {
		var t text
		r := textReader{tag: f.tag}
		r.read("", &t, english.text, f.sections[""])
		isNew := !slices.ContainsFunc(ownFiles(), func(o textFile) bool { return o.lang == f.lang })
		if t.Language.Name == "" && isNew {
			r.fail("Language.Name", "is missing: what the language is called in itself")
		}
		if t.Language.Dir == "" && isNew || t.Language.Dir != "" && t.Language.Dir != "ltr" && t.Language.Dir != "rtl" {
			r.fail("Language.Dir", `must be "ltr" or "rtl"`)
		}
		wrong = append(wrong, r.errors(f)...)
	}
	return errors.Join(wrong...)
}

// languagesOf returns the languages of the files, English first.
func languagesOf(files []textFile) []language.Tag {
	tags := map[string]language.Tag{}
	for _, f := range files {
		tags[f.lang] = f.tag
	}
	rank := func(lang string) string {
		if lang == "en" {
			return ""
		}
		return lang
	}
	var list []language.Tag
	for _, lang := range slices.SortedFunc(maps.Keys(tags), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) }) {
		list = append(list, tags[lang])
	}
	return list
}

// newLocale returns a language as the files speak it: that of every process where no host
// says any of it.
func newLocale(tag language.Tag, files []textFile) *Locale {
	l := &Locale{Lang: tag.String(), tag: tag, files: spoken(tag, files)}
	if len(l.files) == 1 && l.files[0].own {
		return ownLocales()[l.Lang]
	}
	for _, f := range l.files {
		said := f.language()
		l.Dir, l.Name = cmp.Or(said.Dir, l.Dir), cmp.Or(said.Name, l.Name)
	}
	return l
}

// spoken returns the files that make a language, each before those that go beyond it: what
// it stands on, then its own. Languages of this module stand on none, for they lack nothing.
func spoken(tag language.Tag, files []textFile) (all []textFile) {
	for _, layer := range layersOf(tag, files) {
		for _, f := range files {
			switch {
			case f.tag != layer:
			case f.own:
				all = []textFile{f}
			default:
				all = append(all, f)
			}
		}
	}
	return all
}

// layersOf returns the languages that one stands on, and itself at the end.
func layersOf(tag language.Tag, files []textFile) []language.Tag {
	layers := []language.Tag{tag}
	for parent := tag.Parent(); parent != language.Und; parent = parent.Parent() {
		if slices.ContainsFunc(files, func(f textFile) bool { return f.tag == parent }) {
			layers = append(layers, parent)
		}
	}
	if !slices.Contains(layers, language.English) {
		layers = append(layers, language.English)
	}
	slices.Reverse(layers)
	return layers
}

// speak puts into a text what the files of a language say, by what one of them says.
func (l *Locale) speak(key string, into any, said func(textFile) any) {
	spoken, _ := l.tag.Base()
	for _, f := range l.files {
		base, _ := f.tag.Base()
		if content := said(f); content != nil {
			r := textReader{tag: f.tag, inEnglish: base != spoken}
			r.read(key, into, nil, content)
		}
	}
}
