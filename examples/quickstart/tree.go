package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// decodeTree decodes JSON that is known to be well-formed, and refuses an object with
// a key that is there twice. Numbers stay as they are written.
func decodeTree(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return decodeValue(d, "")
}

func decodeValue(d *json.Decoder, place string) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(d, place)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			element, err := decodeValue(d, fmt.Sprintf("%s[%d]", place, len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		_, err := d.Token()
		return list, err
	}
	return token, nil
}

func decodeObject(d *json.Decoder, place string) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // JSON has no other keys
		inner := within(place, key)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("key %q is there twice", inner)
		}
		if object[key], err = decodeValue(d, inner); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

// within names a key of what is at a place.
func within(place, key string) string { return strings.TrimPrefix(place+"."+key, ".") }

// expand puts the values of variables into every string of a decoded value.
func expand(value any, place string, variable func(string) string) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		text, err := expandText(value, variable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		return text, nil
	case []any:
		for i := range value {
			if value[i], err = expand(value[i], fmt.Sprintf("%s[%d]", place, i), variable); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if value[key], err = expand(value[key], within(place, key), variable); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// reference is ${NAME}, and $${, which stands for ${. What begins as a reference and is
// none is found as well, and refused.
var reference = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// expandText puts the values of variables in the place of ${NAME}. A variable that is
// not set, or empty, is refused: an empty password is hardly ever meant.
func expandText(text string, variable func(string) string) (string, error) {
	var b strings.Builder
	end := 0
	for _, found := range reference.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[end:found[0]])
		end = found[1]
		switch {
		case text[found[0]:end] == "$${":
			b.WriteString("${")
		case found[2] < 0:
			return "", fmt.Errorf("has ${ without a name and }; write $${ for the characters themselves")
		default:
			name := text[found[2]:found[3]]
			value := variable(name)
			if value == "" {
				return "", fmt.Errorf("the environment has no %s; set it, or write $${%s} for the characters themselves", name, name)
			}
			b.WriteString(value)
		}
	}
	b.WriteString(text[end:])
	return b.String(), nil
}
