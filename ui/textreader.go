package ui

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// textReader puts what a file says into a text.
type textReader struct {
	tag language.Tag

	// inEnglish is for sentences that a language lacks.
	inEnglish bool

	// wrong is what is wrong with the file, with keys.
	wrong []error
}

func (r *textReader) fail(key, format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Errorf("%s: %w", key, fmt.Errorf(format, args...)))
}

// read puts what a file says at a key into a text. English is the text that it is checked
// against; nil reads without a check. Both are pointers to the same type.
func (r *textReader) read(key string, into, english, content any) {
	var known reflect.Value
	if english != nil {
		known = reflect.ValueOf(english).Elem()
	}
	r.value(key, reflect.ValueOf(into).Elem(), known, content)
}

// value reads one value of a file. English is the same value there, if it is to be checked.
func (r *textReader) value(key string, into, english reflect.Value, content any) {
	switch {
	case into.Type() == reflect.TypeFor[Message]():
		r.message(key, into.Addr().Interface().(*Message), english, content)
	case into.Kind() == reflect.String:
		if s, ok := content.(string); ok && r.isSentence(key, s) {
			into.SetString(s)
		} else if !ok {
			r.fail(key, "is a text")
		}
	case into.Kind() == reflect.Struct, into.Kind() == reflect.Map:
		r.section(key, into, english, content)
	default:
		r.list(key, into, english, content)
	}
}

// section reads what has keys.
func (r *textReader) section(key string, into, english reflect.Value, content any) {
	members, ok := content.(map[string]any)
	if !ok {
		r.fail(cmp.Or(key, "the file"), "is an object")
		return
	}
	if into.Kind() == reflect.Map && into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := strings.TrimPrefix(key+"."+name, ".")
		if into.Kind() == reflect.Struct {
			if _, ok := into.Type().FieldByName(name); !ok {
				r.fail(at, "is not a key of en.json")
				continue
			}
			r.value(at, into.FieldByName(name), member(english, name), members[name])
			continue
		}
		id := reflect.ValueOf(name).Convert(into.Type().Key())
		if english.IsValid() && !english.MapIndex(id).IsValid() {
			r.fail(at, "is not a key of en.json")
			continue
		}
		element := reflect.New(into.Type().Elem()).Elem()
		if former := into.MapIndex(id); former.IsValid() {
			element.Set(former)
		}
		r.value(at, element, member(english, name), members[name])
		into.SetMapIndex(id, element)
	}
}

// member returns a member of a struct or a map.
func member(of reflect.Value, name string) reflect.Value {
	switch {
	case !of.IsValid():
		return of
	case of.Kind() == reflect.Struct:
		return of.FieldByName(name)
	default:
		return of.MapIndex(reflect.ValueOf(name).Convert(of.Type().Key()))
	}
}

// list reads the names of months, of which there are twelve, or paragraphs. Those may
// divide what they say in another way than the English ones.
func (r *textReader) list(key string, into, english reflect.Value, content any) {
	elements, ok := content.([]any)
	switch {
	case !ok:
		r.fail(key, "is a list")
		return
	case into.Kind() == reflect.Array && len(elements) != into.Len():
		r.fail(key, "has %d elements of %d", len(elements), into.Len())
		return
	case into.Kind() == reflect.Slice:
		into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
	}
	var together reflect.Value
	if english.IsValid() {
		all := make([]string, english.Len())
		for i := range all {
			all[i] = english.Index(i).Interface().(Message).forms[plural.Other]
		}
		together = reflect.ValueOf(Message{forms: map[plural.Form]string{plural.Other: strings.Join(all, " ")}})
	}
	for i, element := range elements {
		r.value(fmt.Sprintf("%s.%d", key, i), into.Index(i), together, element)
	}
}

// message reads a string, or an object with a string for each form.
func (r *textReader) message(key string, into *Message, english reflect.Value, content any) {
	named, ok := content.(map[string]any)
	if !ok {
		named = map[string]any{"other": content}
	}
	m, failed := Message{forms: map[plural.Form]string{}, inEnglish: r.inEnglish}, len(r.wrong)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		form, isForm := pluralForms[name]
		sentence, isText := named[name].(string)
		switch {
		case !isForm:
			r.fail(key, "has a plural form %q, which no language has", name)
		case !isText:
			r.fail(key, "is a sentence, or one for each plural form")
		case r.isSentence(key, sentence):
			m.forms[form] = sentence
		}
	}
	if _, ok := m.forms[plural.Other]; !ok && failed == len(r.wrong) {
		r.fail(key, `lacks the plural form "other"`)
	}
	if failed < len(r.wrong) {
		return
	}
	if english.IsValid() {
		r.check(key, m, english.Interface().(Message))
	}
	*into = m
}

// isSentence reports whether there is something to say, on one line.
func (r *textReader) isSentence(key, s string) bool {
	switch {
	case strings.TrimSpace(s) == "":
		r.fail(key, "is empty")
	case strings.ContainsFunc(s, unicode.IsControl):
		r.fail(key, "has a line break or another control character")
	default:
		return true
	}
	return false
}

// check compares a sentence with the English one.
func (r *textReader) check(key string, m, english Message) {
	filled := placeholdersOf(english)
	for _, p := range placeholdersOf(m) {
		if !slices.Contains(filled, p) {
			r.fail(key, "has %s, which is not filled in; what is: %q", p, filled)
		}
	}
	counts := slices.Contains(filled, "{n}") || slices.Contains(filled, "{day}")
	if !counts && len(m.forms) > 1 {
		r.fail(key, "has plural forms and counts nothing")
	}
	for form := range m.forms {
		if counts && form != plural.Other && !slices.Contains(formsOf(r.tag), form) {
			r.fail(key, "has the plural form %q, which the language does not have", formName(form))
		}
	}
}

var braced = regexp.MustCompile(`\{[^}]*\}?`)

// placeholdersOf returns what is in braces, each once.
func placeholdersOf(m Message) []string {
	var all []string
	for _, s := range m.forms {
		all = append(all, braced.FindAllString(s, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// formsOf returns the forms that a language counts whole numbers in.
func formsOf(tag language.Tag) []plural.Form {
	forms := map[plural.Form]bool{}
	for n := range 1000 {
		forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = true
	}
	return slices.Sorted(maps.Keys(forms))
}

func formName(form plural.Form) string {
	for name, f := range pluralForms {
		if f == form {
			return name
		}
	}
	return ""
}
