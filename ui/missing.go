package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Missing returns the keys of text/en.json that the language has no sentence for, so that
// it says them in English, and the plural forms that it lacks: SignIn.Heading,
// Date.DaysAgo.few. A language of this module lacks none; whoever adds one tests that
// theirs does not either.
func (l *Locale) Missing() []string {
	l = l.OrEnglish()
	var missing []string
	forms := formsOf(l.tag)
	visitText(l, func(path string, v reflect.Value) {
		m, ok := v.Interface().(Message)
		switch {
		case !ok:
		case m.inEnglish:
			missing = append(missing, path)
		case slices.Contains(placeholdersOf(m), "{n}"):
			for _, form := range forms {
				if _, ok := m.forms[form]; !ok {
					missing = append(missing, path+"."+formName(form))
				}
			}
		}
	})
	slices.Sort(missing)
	return missing
}

// visitText calls f with every message and string of a language, those of the dashboard
// where there is one.
func visitText(l *Locale, f func(path string, v reflect.Value)) {
	visit(reflect.ValueOf(l.OrEnglish().text).Elem(), "", f)
	if dashboard != nil {
		visit(reflect.ValueOf(dashboard(l)).Elem(), developerKey, f)
	}
}

// visit calls f with every message and string of a text.
func visit(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch {
	case v.Type() == reflect.TypeFor[Message]() || v.Kind() == reflect.String:
		f(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), at(v.Type().Field(i).Name), f)
		}
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			visit(v.MapIndex(key), at(key.String()), f)
		}
	default:
		for i := range v.Len() {
			visit(v.Index(i), at(fmt.Sprint(i)), f)
		}
	}
}
