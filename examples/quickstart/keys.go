package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
)

// inKeys returns an error of the library with the key of the file in the place of the
// field that it names. The key is that of a record, which is at a place in the file;
// without a record the field is the key.
func inKeys(err error, place string, record any) error {
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) {
		if err != nil && place != "" {
			err = fmt.Errorf("%s: %w", place, err)
		}
		return err
	}
	key := wrong.Field
	if record != nil {
		key = keyOf(wrong.Field, reflect.TypeOf(record))
	}
	return fmt.Errorf("%s: %w", within(place, key), wrong.Err)
}

// placeOf tells where the fields of a Config that are no keys come from.
var placeOf = map[string]string{"Secret": "data/secret", "PreviousSecrets": "data/secret.previous"}

// keyOf returns the key of a field, which is named by its path from a struct:
// brand.button_color for Brand.ButtonColor.
func keyOf(path string, t reflect.Type) string {
	var keys []string
	for _, name := range fieldsOf(path) {
		name, index, indexed := strings.Cut(name, "[")
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		key := name
		if f, ok := t.FieldByName(name); ok {
			if t = f.Type; f.Anonymous {
				continue // its fields are those of the struct
			}
			if key, _, _ = strings.Cut(f.Tag.Get("json"), ","); key == "-" {
				key = placeOf[name]
			}
		}
		if indexed {
			key += "[" + index
		}
		keys = append(keys, key)
	}
	return strings.Join(keys, ".")
}

// fieldsOf returns the fields of a path. A point within brackets is one of a name.
func fieldsOf(path string) (fields []string) {
	start, depth := 0, 0
	for i, r := range path {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '.' && depth == 0:
			fields = append(fields, path[start:i])
			start = i + 1
		}
	}
	return append(fields, path[start:])
}
