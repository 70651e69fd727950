package ui

import (
	"embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// audiences are the sections that the texts of a host may have besides those of this package:
// one for each package below this one that has screens of its own, whether the program links
// it or not.
var audiences = []string{"Credentials", "Desk", "DeskPerson", "DeskPlans", "DeskService", "Developer", "Factors", "Security", "Verification"}

// Audience is what a package of screens adds to a provider: package ui/developer has one, for
// those who write applications. *[Files] implements it.
type Audience interface {
	// Check returns what is wrong with what a host says in its section.
	Check(s *LocaleSet) error
	// Missing returns the keys of its section that a language has no sentence for.
	Missing(l *Locale) []string
	// Assets returns the files that its screens load.
	Assets() []Asset
}

// Files are the texts and the assets of an audience. Its sentences are the fields of T, a
// struct of [Message], of structs, maps, arrays and slices of them, and of strings. They are
// read from text/LANG.json, one file for each language, with the names of the fields as keys;
// go generate packs them.
type Files[T any] struct {
	section string
	files   embed.FS
	assets  func() map[string]Asset
}

// NewFiles returns the files of an audience, which have the folders packed and, if its screens
// load any, assets. The section is the key under which a host says it in words of its own;
// it is one of those that this package knows. Nothing is read before it is asked for.
//
//	//go:embed packed assets
//	var embedded embed.FS
//
//	var files = ui.NewFiles[text]("Developer", embedded)
func NewFiles[T any](section string, files embed.FS) *Files[T] {
	return &Files[T]{section, files, sync.OnceValue(func() map[string]Asset { return readAssets(files) })}
}

// Text returns what a language says to the audience; nil is English. It is read when it is
// first asked for, once in a process for a language of this module.
func (f *Files[T]) Text(l *Locale) *T {
	l = l.OrEnglish()
	read, ok := l.audiences.Load(f)
	if !ok {
		read, _ = l.audiences.LoadOrStore(f, sync.OnceValue(func() *T { return f.read(l) }))
	}
	return read.(func() *T)()
}

func (f *Files[T]) read(l *Locale) *T {
	t := new(T)
	l.speak(f.section, t, func(file textFile) any { return file.says(f.section, f.files) })
	return t
}

// Check returns what is wrong with what a host says to the audience, as [NewLocaleSet] does
// for its other words.
func (f *Files[T]) Check(s *LocaleSet) error {
	var wrong []error
	for _, file := range s.host {
		if content := file.sections[f.section]; content != nil {
			r := textReader{tag: file.tag}
			r.read(f.section, new(T), f.Text(nil), content)
			wrong = append(wrong, r.errors(file)...)
		}
	}
	return errors.Join(wrong...)
}

// Missing returns the keys of the section that the language has no sentence for, so that it
// says them in English, and the plural forms that it lacks: Developer.Home.Heading.
func (f *Files[T]) Missing(l *Locale) []string {
	return missing(l.OrEnglish(), f.section, f.Text(l))
}

// Assets returns the files that the screens of the audience load. They are to be served at
// [Page.AssetPath] followed by their names.
func (f *Files[T]) Assets() []Asset {
	all := make([]Asset, 0, len(f.assets()))
	for _, a := range f.assets() {
		all = append(all, a)
	}
	return all
}

// AssetName returns the name under which a file of assets is served. Another name returns the
// empty string.
func (f *Files[T]) AssetName(file string) string { return f.assets()[file].Name }

// missing returns what a language lacks of a text that it has read.
func missing(l *Locale, section string, text any) []string {
	var lacks []string
	forms := formsOf(l.tag)
	visit(reflect.ValueOf(text).Elem(), section, func(path string, v reflect.Value) {
		m, ok := v.Interface().(Message)
		switch {
		case !ok:
		case m.inEnglish:
			lacks = append(lacks, path)
		case slices.Contains(placeholdersOf(m), "{n}"):
			for _, form := range forms {
				if _, ok := m.forms[form]; !ok {
					lacks = append(lacks, path+"."+formName(form))
				}
			}
		}
	})
	slices.Sort(lacks)
	return lacks
}

// errors returns what a reader has found wrong with a file.
func (r textReader) errors(file textFile) (wrong []error) {
	for _, err := range r.wrong {
		wrong = append(wrong, fmt.Errorf("%s: %w", file.name, err))
	}
	return wrong
}
