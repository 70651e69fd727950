package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
)

// decodeStrict decodes JSON into v, with the values of variables in the place of
// ${NAME}. It refuses keys that v has no field for, all at once, and keys that are there twice, of
// which encoding/json would take the last. Errors name the key with its place, as in
// clients[0].redirect_urls; encoding/json would say the last part only, and takes
// Listen for listen.
func decodeStrict(text []byte, v any, variable func(name string) string) error {
	if !utf8.Valid(text) {
		return errors.New("is not UTF-8 text") // its passwords would become others
	}
	var syntax any
	if err := json.Unmarshal(text, &syntax); err != nil {
		return syntaxError(text, err)
	}
	if _, object := syntax.(map[string]any); !object {
		return errors.New("is not a JSON object, as {} is")
	}
	tree, err := decodeTree(text)
	if err != nil {
		return err
	}
	if tree, err = expand(tree, "", variable); err != nil {
		return err
	}
	wrong := checkKeys(tree, reflect.TypeOf(v), "")
	if text, err = json.Marshal(tree); err != nil {
		return err
	}
	err = json.Unmarshal(text, v) // the rest of it, too, of which more may be wrong
	return cmp.Or(wrong, err)
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + strings.Count(string(text[:syntax.Offset]), "\n")
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

// checkKeys looks for keys in a decoded JSON value that the type has no field for, and for
// values that the type cannot have. An address in the place of a network becomes that of its own.
func checkKeys(value any, t reflect.Type, place string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	var wrong []error
	switch {
	case isList && t.Kind() == reflect.Slice:
		for i, element := range list {
			if text, _ := element.(string); t.Elem() == reflect.TypeFor[netip.Prefix]() {
				if a, err := netip.ParseAddr(text); err == nil {
					list[i] = netip.PrefixFrom(a, a.BitLen()).String()
				}
			}
			err := checkKeys(list[i], t.Elem(), fmt.Sprintf("%s[%d]", place, i))
			if wrong = append(wrong, err); err != nil && checkValue(list[i], t.Elem(), place) != nil {
				list[i] = nil // the rest can be read
			}
		}
		return errors.Join(wrong...)
	case isObject && t.Kind() == reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(object)) {
			wrong = append(wrong, checkKeys(object[key], t.Elem(), within(place, key)))
		}
		return errors.Join(wrong...)
	case isObject && t.Kind() == reflect.Struct:
		return checkObject(object, t, place)
	default:
		return checkValue(value, t, place)
	}
}

func checkObject(object map[string]any, t reflect.Type, place string) error {
	fields := keysOf(t)
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(object)) {
		field, ok := fields[key]
		inner := within(place, key)
		if !ok {
			err := fmt.Errorf("unknown key %q", inner)
			if near := nearest(key, slices.Sorted(maps.Keys(fields))); near != "" {
				err = fmt.Errorf("%w; did you mean %s?", err, near)
			}
			wrong = append(wrong, err)
			delete(object, key)
			continue
		}
		err := checkKeys(object[key], field, inner)
		if wrong = append(wrong, err); err != nil && checkValue(object[key], field, inner) != nil {
			object[key] = nil // the rest can be read
		}
	}
	return errors.Join(wrong...)
}

// nearest returns the key that was meant: one of which the other is a part, or else one that differs
// in few letters; empty if there is none.
func nearest(key string, keys []string) (near string) {
	least := 1 + len(key)/3
	for _, k := range keys {
		if len(key) > 2 && (strings.Contains(k, key) || strings.Contains(key, k)) {
			return k
		}
		if d := distance(key, k); d <= least {
			near, least = k, d-1
		}
	}
	return near
}

// distance is how many letters have to be put in, taken out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// duration is the text that all durations of a config are.
type duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

// forms say what a text can be. The errors of its type quote it, and what stands in the wrong place may be a secret.
var forms = map[reflect.Type]string{
	reflect.TypeFor[netip.Prefix]():       "an address or a network such as 10.0.0.0/8",
	reflect.TypeFor[time.Time]():          "a time such as 2026-01-02T15:04:05Z",
	reflect.TypeFor[time.Duration]():      "a duration such as 90s or 12h",
	reflect.TypeFor[provider.Assurance](): "a level of assurance: one_factor, two_factors or phishing_resistant",
}

// checkValue names the key of a value that the type cannot have.
func checkValue(value any, t reflect.Type, place string) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	as := t
	if t == reflect.TypeFor[time.Duration]() {
		as = reflect.TypeFor[duration]()
	}
	err = json.Unmarshal(text, reflect.New(as).Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("key %q: cannot be a %s", place, wrong.Value)
	default:
		return fmt.Errorf("%s: is not %s", place, cmp.Or(forms[t], "what it can be"))
	}
}

// keysOf returns the types of a struct's fields by JSON key, those of embedded
// structs included.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			keys[key] = f.Type
		}
	}
	return keys
}
