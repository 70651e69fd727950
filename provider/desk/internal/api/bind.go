package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
)

// member is a member of a JSON object, as the tags of a struct describe it: json has its name
// and whether it may be missing, doc what it means, max the most characters or values, enum the
// values that there are, and format that of JSON Schema.
type member struct {
	name     string
	optional bool
	doc      string
	max      int
	enum     []string
	format   string
	field    int
}

// defaultMax is the most characters of a text.
const defaultMax = 255

// membersOf returns the members of a struct.
func membersOf(t reflect.Type) (all []member) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		m := member{name: name, optional: options != "", doc: f.Tag.Get("doc"), max: defaultMax, format: f.Tag.Get("format"), field: i}
		if most, err := strconv.Atoi(f.Tag.Get("max")); err == nil {
			m.max = most
		}
		if values := f.Tag.Get("enum"); values != "" {
			m.enum = strings.Split(values, ",")
		}
		all = append(all, m)
	}
	return all
}

// bind sets the fields of a struct to the members of a body. What is unknown, missing or of
// another type is a problem, all of it in one.
func bind(tree any, into any) error {
	of := reflect.ValueOf(into).Elem()
	given := tree.(map[string]any) //nolint:forcetypeassert // readBody returns nothing else
	var faults []fault
	known := map[string]bool{}
	for _, m := range membersOf(of.Type()) {
		known[m.name] = true
		got, ok := given[m.name]
		switch {
		case ok:
			if what := m.set(got, of.Field(m.field)); what != "" {
				faults = append(faults, fault{pointer(m.name), what})
			}
		case !m.optional:
			faults = append(faults, fault{pointer(m.name), "is missing"})
		}
	}
	return refused(append(faults, unknown(given, known)...))
}

// unknown returns a fault for each member that there is not.
func unknown(given map[string]any, known map[string]bool) (faults []fault) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !known[name] {
			faults = append(faults, fault{pointer(name), "is unknown"})
		}
	}
	return faults
}

func refused(faults []fault) error {
	if len(faults) == 0 {
		return nil
	}
	return &problem{kind: kindBody, Faults: faults}
}

// set sets a field to a value, and returns what is wrong with it.
func (m member) set(got any, field reflect.Value) string {
	switch field.Kind() {
	case reflect.String:
		text, what := m.text(got)
		field.SetString(text)
		return what
	case reflect.Slice:
		list, ok := got.([]any)
		switch {
		case !ok:
			return "is no array"
		case len(list) > m.max:
			return fmt.Sprintf("has more than %d values", m.max)
		}
		one := member{max: defaultMax}
		for i, v := range list {
			text, what := one.text(v)
			if what != "" {
				return fmt.Sprintf("%s, at place %d", what, i)
			}
			field.Set(reflect.Append(field, reflect.ValueOf(text)))
		}
		return ""
	case reflect.Map:
		values, ok := got.(map[string]any)
		if !ok {
			return "is no object"
		}
		field.Set(reflect.ValueOf(map[string]string{}))
		for _, name := range slices.Sorted(maps.Keys(values)) {
			text, what := member{max: maxValue}.text(values[name])
			if what != "" {
				return what + ", in " + strconv.Quote(name)
			}
			field.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(text))
		}
		return ""
	default:
		panic("api: a body has a member of type " + field.Type().String())
	}
}

// maxValue is the most characters of a value of an action.
const maxValue = 1000

// text returns a value as the text that it has to be.
func (m member) text(got any) (text, wrong string) {
	text, ok := got.(string)
	switch {
	case !ok:
		return "", "is no string"
	case utf8.RuneCountInString(text) > m.max:
		return "", fmt.Sprintf("has more than %d characters", m.max)
	case strings.ContainsFunc(text, isControl):
		return "", "has control characters"
	case m.enum != nil && !slices.Contains(m.enum, text):
		return "", "is none of " + strings.Join(m.enum, ", ")
	}
	return text, ""
}

func isControl(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }

// bindValues reads the values of an action.
func bindValues(tree any, fields []action.Field) (map[string]string, error) {
	given := tree.(map[string]any) //nolint:forcetypeassert // readBody returns nothing else
	values, known := map[string]string{}, map[string]bool{}
	var faults []fault
	for _, f := range fields {
		known[f.Name] = true
		got, ok := given[f.Name]
		if !ok {
			if f.Required {
				faults = append(faults, fault{pointer(f.Name), "is missing"})
			}
			continue
		}
		text, what := member{max: maxValue}.text(got)
		switch {
		case what != "":
			faults = append(faults, fault{pointer(f.Name), what})
		case f.Required && strings.TrimSpace(text) == "":
			faults = append(faults, fault{pointer(f.Name), "is empty"})
		default:
			values[f.Name] = text
		}
	}
	return values, refused(append(faults, unknown(given, known)...))
}

// nothing is a body without a member.
type nothing struct{}
