package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
)

var errType = errors.New("the value does not have the attribute's type")

// Encode returns the JSON of a value in the exact shape of its attribute, or nil for no
// value: nil, null, the empty text, and an object without a text.
func Encode(a catalogue.Attribute, value any) (json.RawMessage, error) {
	if isAbsent(value) {
		return nil, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, errType // the cause may hold the value
	}
	if string(raw) == "null" || isEmptyText(raw) && isText(a.Type) {
		return nil, nil
	}
	switch a.Type {
	case catalogue.Integer:
		var n int64
		err = json.Unmarshal(raw, &n)
	case catalogue.Boolean:
		var b bool
		err = json.Unmarshal(raw, &b)
	case catalogue.Strings:
		var list []string
		err = json.Unmarshal(raw, &list)
	case catalogue.Object:
		return encodeObject(a, raw)
	case catalogue.Objects:
		return encodeObjects(a, raw)
	case catalogue.Date:
		var s string
		if err = json.Unmarshal(raw, &s); err == nil {
			_, err = time.Parse(time.DateOnly, s)
		}
	default:
		var s string
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return nil, errType
	}
	return raw, nil
}

// encodeObject returns an object of the members that have a text; nil if none has.
func encodeObject(a catalogue.Attribute, raw json.RawMessage) (json.RawMessage, error) {
	var object map[string]string
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New("the value is not an object of strings")
	}
	for member, text := range object {
		if !slices.Contains(a.Members, member) {
			return nil, fmt.Errorf("the value has an unknown member %q", member)
		}
		if text == "" {
			delete(object, member)
		}
	}
	if len(object) == 0 {
		return nil, nil
	}
	return json.Marshal(object)
}

// encodeObjects gives every object exactly the members of the attribute, missing ones as
// empty strings.
func encodeObjects(a catalogue.Attribute, raw json.RawMessage) (json.RawMessage, error) {
	var objects []map[string]string
	if err := json.Unmarshal(raw, &objects); err != nil {
		return nil, errors.New("the value is not a list of objects of strings")
	}
	out := make([]map[string]string, len(objects))
	for i, object := range objects {
		out[i] = make(map[string]string, len(a.Members))
		for _, member := range a.Members {
			out[i][member] = object[member]
			delete(object, member)
		}
		for unknown := range object {
			return nil, fmt.Errorf("object %d has an unknown member %q", i, unknown)
		}
	}
	return json.Marshal(out)
}

func isText(t catalogue.AttributeType) bool {
	return t == catalogue.String || t == catalogue.Date
}

func isEmptyText(raw json.RawMessage) bool { return string(raw) == `""` }

// isAbsent reports whether a value is nil, or a nil pointer, map, slice or the like.
func isAbsent(value any) bool {
	if value == nil {
		return true
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}

// hasType reports whether recorded JSON has the attribute's type, which may have changed
// since.
func hasType(a catalogue.Attribute, raw json.RawMessage) bool {
	switch a.Type {
	case catalogue.Integer:
		_, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil
	case catalogue.Date:
		_, err := time.Parse(`"`+time.DateOnly+`"`, string(raw))
		return err == nil
	case catalogue.Boolean:
		return string(raw) == "true" || string(raw) == "false"
	case catalogue.Strings:
		return isStrings(raw)
	case catalogue.Object:
		return isObject(a, raw)
	case catalogue.Objects:
		return hasMembers(a, raw)
	default:
		return len(raw) > 0 && raw[0] == '"'
	}
}

func isStrings(raw json.RawMessage) bool {
	var list []*string
	return bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &list) == nil && !slices.Contains(list, nil)
}

func isObject(a catalogue.Attribute, raw json.RawMessage) bool {
	var object map[string]*string
	if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &object) != nil || len(object) == 0 {
		return false
	}
	for member, text := range object {
		if text == nil || !slices.Contains(a.Members, member) {
			return false
		}
	}
	return true
}

func hasMembers(a catalogue.Attribute, raw json.RawMessage) bool {
	var objects []map[string]*string
	if !bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &objects) != nil {
		return false
	}
	return !slices.ContainsFunc(objects, func(object map[string]*string) bool {
		return len(object) != len(a.Members) ||
			slices.ContainsFunc(a.Members, func(member string) bool { return object[member] == nil })
	})
}

// textOf returns the text of a string or a number, with all its digits.
func textOf(raw json.RawMessage) (text string, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || value == nil {
		return "", false
	}
	return fmt.Sprint(value), true
}

// ageOn returns the completed years of life on a day.
func ageOn(born, day time.Time) int {
	age := day.Year() - born.Year()
	if day.Month() < born.Month() || day.Month() == born.Month() && day.Day() < born.Day() {
		age--
	}
	return age
}
