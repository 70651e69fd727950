package field

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// duration is a time.Duration whose JSON form is readable text such as "15m"; that of
// time.Duration is a number of nanoseconds.
type duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 90s or 12h", text)
	}
	*d = duration(parsed)
	return nil
}

// withTexts returns a copy of a struct with a duration for each time.Duration; takeBack
// copies it back.
func withTexts(record reflect.Value) (texts reflect.Value, takeBack func()) {
	fields := reflect.VisibleFields(record.Type())
	for i, f := range fields {
		if f.Type == reflect.TypeFor[time.Duration]() {
			fields[i].Type = reflect.TypeFor[duration]()
		}
	}
	texts = reflect.New(reflect.StructOf(fields)).Elem()
	set := func(to, from reflect.Value) {
		for i := range fields {
			to.Field(i).Set(from.Field(i).Convert(to.Field(i).Type()))
		}
	}
	set(texts, record)
	return texts, func() { set(record, texts) }
}

// MarshalDurations returns the JSON form of a struct with its durations as text.
func MarshalDurations(record any) ([]byte, error) {
	texts, _ := withTexts(reflect.ValueOf(record))
	return json.Marshal(texts.Interface())
}

// UnmarshalDurations reads that form into the struct that record points to. Missing members
// keep their values.
func UnmarshalDurations(text []byte, record any) error {
	texts, takeBack := withTexts(reflect.ValueOf(record).Elem())
	if err := json.Unmarshal(text, texts.Addr().Interface()); err != nil {
		return err
	}
	takeBack()
	return nil
}
