package ui

import (
	"fmt"
	"reflect"
	"strings"
)

// Missing returns the keys of text/en.json of this package that the language has no sentence for, so that
// it says them in English, and the plural forms that it lacks: SignIn.Heading,
// Date.DaysAgo.few. A language of this module lacks none; whoever adds one tests that
// theirs does not either.
func (l *Locale) Missing() []string {
	l = l.OrEnglish()
	return missing(l, "", l.text)
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
