package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// decodeStrict decodes JSON and refuses keys that v has no field for. Errors name
// the key with its place, as in clients[0].redirect_urls; encoding/json would say
// the last part only, and takes Listen for listen.
func decodeStrict(text []byte, v any) error {
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return syntaxError(text, err)
	}
	if err := checkKeys(tree, reflect.TypeOf(v), ""); err != nil {
		return err
	}
	err := json.Unmarshal(text, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		// The decoder counts the embedded struct as a key.
		return fmt.Errorf("key %q: cannot be a %s", strings.TrimPrefix(wrong.Field, "environment."), wrong.Value)
	}
	return err
}

func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + strings.Count(string(text[:syntax.Offset]), "\n")
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

// checkKeys looks for keys in a decoded JSON value that the type has no field for.
// Values of another kind than the type's are left to the decoder.
func checkKeys(value any, t reflect.Type, place string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return nil
		}
		for i, element := range value {
			if err := checkKeys(element, t.Elem(), fmt.Sprintf("%s[%d]", place, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return nil
		}
		fields := keysOf(t)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			field, ok := fields[key]
			inner := strings.TrimPrefix(place+"."+key, ".")
			if !ok {
				return fmt.Errorf("unknown key %q", inner)
			}
			if err := checkKeys(value[key], field, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysOf returns the types of a struct's fields by JSON key, those of embedded
// structs included.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if key := f.Tag.Get("json"); key != "" {
			keys[key] = f.Type
		}
	}
	return keys
}
