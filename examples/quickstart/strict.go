package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// decodeStrict decodes JSON into v, with the values of variables in the place of
// ${NAME}. It refuses keys that v has no field for, and keys that are there twice, of
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
	if err := checkKeys(tree, reflect.TypeOf(v), ""); err != nil {
		return err
	}
	if text, err = json.Marshal(tree); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
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
// values that the type cannot have.
func checkKeys(value any, t reflect.Type, place string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	switch {
	case isList && t.Kind() == reflect.Slice:
		for i, element := range list {
			if err := checkKeys(element, t.Elem(), fmt.Sprintf("%s[%d]", place, i)); err != nil {
				return err
			}
		}
		return nil
	case isObject && t.Kind() == reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if err := checkKeys(object[key], t.Elem(), within(place, key)); err != nil {
				return err
			}
		}
		return nil
	case isObject && t.Kind() == reflect.Struct:
		return checkObject(object, t, place)
	default:
		return checkValue(value, t, place)
	}
}

func checkObject(object map[string]any, t reflect.Type, place string) error {
	readsItself := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
	fields := keysOf(t)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		field, ok := fields[key]
		inner := within(place, key)
		if !ok {
			return fmt.Errorf("unknown key %q", inner)
		}
		if readsItself && !isNested(object[key]) { // its values have a form of their own
			continue
		}
		if err := checkKeys(object[key], field, inner); err != nil {
			return err
		}
	}
	if readsItself {
		return checkValue(object, t, place)
	}
	return nil
}

// isNested reports whether a decoded JSON value has values in it.
func isNested(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	default:
		return false
	}
}

// checkValue names the key of a value that the type cannot have.
func checkValue(value any, t reflect.Type, place string) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, reflect.New(t).Interface())
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("key %q: cannot be a %s", within(place, wrong.Field), wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("key %q: cannot be a %s", place, wrong.Value)
	default:
		return fmt.Errorf("%s: %w", place, err)
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
