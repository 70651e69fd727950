package storage

import (
	"encoding/json"
	"fmt"
	"time"
)

// Requirement is a condition on the authentication of a user. The zero Requirement is none.
// In JSON its times are text such as "15m".
type Requirement struct {
	// Assurance is the lowest level that suffices.
	// Defaults to any.
	Assurance Assurance `json:"assurance,omitempty"`

	// MaxAge is the longest time since the authentication, with several factors since the first;
	// zero for any.
	MaxAge time.Duration `json:"max_age,omitempty"`

	// Enrolled is how long the account must have had the factors; zero for any time. It
	// keeps a thief of a password from meeting the requirement with a passkey that was
	// added just now. The host's own users meet it.
	Enrolled time.Duration `json:"enrolled,omitempty"`
}

// requirementDocument is the JSON form of a requirement.
type requirementDocument struct {
	Assurance Assurance `json:"assurance,omitempty"`
	MaxAge    string    `json:"max_age,omitempty"`
	Enrolled  string    `json:"enrolled,omitempty"`
}

// IsZero reports whether nothing is required.
func (r Requirement) IsZero() bool { return r == Requirement{} }

// MarshalJSON implements json.Marshaler.
func (r Requirement) MarshalJSON() ([]byte, error) {
	return json.Marshal(requirementDocument{r.Assurance, durationText(r.MaxAge), durationText(r.Enrolled)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Requirement) UnmarshalJSON(text []byte) error {
	var d requirementDocument
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	read := Requirement{Assurance: d.Assurance}
	for _, t := range []struct {
		text string
		into *time.Duration
	}{{d.MaxAge, &read.MaxAge}, {d.Enrolled, &read.Enrolled}} {
		if t.text == "" {
			continue
		}
		parsed, err := time.ParseDuration(t.text)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 90s or 12h", t.text)
		}
		*t.into = parsed
	}
	*r = read
	return nil
}

// durationText returns "" for zero.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
