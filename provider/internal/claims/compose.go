package claims

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// compose returns the JSON of an attribute that other attributes make up, and the end of
// its validity; zero means for ever. Nil if none of them has a value.
func compose(a catalogue.Attribute, of func(handle string) json.RawMessage, now time.Time) (json.RawMessage, time.Time, error) {
	if a.Type == catalogue.Integer {
		raw, until := yearsSince(of(a.From[0]), now)
		return raw, until, nil
	}
	texts := make([]string, len(a.From))
	for i, handle := range a.From {
		texts[i], _ = textOf(of(handle))
	}
	var value any
	if a.Type == catalogue.Object {
		value = object(a.Members, texts)
	} else if text := join(" ", texts...); text != "" {
		value = text
	}
	if value == nil {
		return nil, time.Time{}, nil
	}
	raw, err := json.Marshal(value)
	return raw, time.Time{}, err
}

// yearsSince returns the completed years since a date, and the day on which they change;
// nil without a date.
func yearsSince(date json.RawMessage, now time.Time) (json.RawMessage, time.Time) {
	born, err := time.Parse(`"`+time.DateOnly+`"`, string(date))
	if err != nil {
		return nil, time.Time{}
	}
	age := ageOn(born, now.UTC())
	return []byte(strconv.Itoa(age)), born.AddDate(age+1, 0, 0)
}

// formatted is the member that holds a whole address (OpenID Connect Core section 5.1.1).
const formatted = "formatted"

// object returns the members that have a text, or nil if none has.
func object(members, texts []string) any {
	values := map[string]string{}
	for i, text := range texts {
		if text != "" {
			values[members[i]] = text
		}
	}
	if len(values) == 0 {
		return nil
	}
	if text := label(values); text != "" && slices.Contains(members[len(texts):], formatted) {
		values[formatted] = text
	}
	return values
}

// label formats an address as on a letter.
func label(of map[string]string) string {
	region := join(" ", of["region"], of["postal_code"])
	return join("\n", of["street_address"], join(", ", of["locality"], region), of["country"])
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), separator)
}
