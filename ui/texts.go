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

//go:embed text/*.json
var ownTexts embed.FS

// textFile is what one file says in a language.
type textFile struct {
	name    string // such as de.json
	lang    string
	tag     language.Tag
	content any
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
// key. A nil overlay leaves the languages of this module as they are.
func NewLocaleSet(overlay fs.FS) (*LocaleSet, error) {
	own, err := fs.Sub(ownTexts, "text")
	if err != nil {
		return nil, err
	}
	files, err := readTexts(own)
	if err != nil {
		return nil, err
	}
	if overlay != nil {
		more, err := readTexts(overlay)
		if err != nil {
			return nil, err
		}
		if err := checkTexts(more, files); err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	s := &LocaleSet{}
	var tags []language.Tag
	for _, tag := range languagesOf(files) {
		s.all, tags = append(s.all, newLocale(tag, files)), append(tags, tag)
	}
	s.matcher = language.NewMatcher(tags)
	return s, nil
}

// readTexts reads the files of a folder.
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
	return f, json.Unmarshal(data, &f.content)
}

// checkTexts returns what is wrong with the files of a host.
func checkTexts(files, own []textFile) error {
	english := newText(language.English, own)
	var wrong []error
	for _, f := range files {
		var t text
		r := textReader{tag: f.tag, english: &english}
		r.read(&t, f.content)
		isNew := !slices.ContainsFunc(own, func(o textFile) bool { return o.lang == f.lang })
		if t.Language.Name == "" && isNew {
			r.fail("Language.Name", "is missing: what the language is called in itself")
		}
		if t.Language.Dir == "" && isNew || t.Language.Dir != "" && t.Language.Dir != "ltr" && t.Language.Dir != "rtl" {
			r.fail("Language.Dir", `must be "ltr" or "rtl"`)
		}
		for _, err := range r.wrong {
			wrong = append(wrong, fmt.Errorf("%s: %w", f.name, err))
		}
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

func newLocale(tag language.Tag, files []textFile) *Locale {
	t := newText(tag, files)
	return &Locale{Lang: tag.String(), Dir: t.Language.Dir, Name: t.Language.Name, tag: tag, text: t}
}

// newText returns what the files say in a language: first what it stands on, then its own.
func newText(tag language.Tag, files []textFile) text {
	var t text
	spoken, _ := tag.Base()
	for _, layer := range layersOf(tag, files) {
		base, _ := layer.Base()
		for _, f := range files {
			if f.tag == layer {
				r := textReader{tag: f.tag, inEnglish: base != spoken}
				r.read(&t, f.content)
			}
		}
	}
	return t
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
