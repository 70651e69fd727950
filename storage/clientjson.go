package storage

import (
	"encoding/json"
	"time"
)

// clientDocument is the JSON form of a client. Its own members take the place of those
// that encoding/json would write otherwise: a digest as numbers, and times as texts.
type clientDocument struct {
	*clientMembers
	Logo      []byte `json:"logo,omitempty"`
	CreatedAt *int64 `json:"created_at,omitempty"`
	UpdatedAt *int64 `json:"updated_at,omitempty"`
}

type clientMembers Client // without its methods

// MarshalJSON implements json.Marshaler.
func (c Client) MarshalJSON() ([]byte, error) {
	d := clientDocument{
		clientMembers: (*clientMembers)(&c),
		CreatedAt:     toMicros(c.CreatedAt),
		UpdatedAt:     toMicros(c.UpdatedAt),
	}
	if !c.Logo.IsZero() {
		d.Logo = c.Logo[:]
	}
	return json.Marshal(d)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Client) UnmarshalJSON(text []byte) error {
	d := clientDocument{clientMembers: (*clientMembers)(c)}
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	copy(c.Logo[:], d.Logo)
	c.CreatedAt, c.UpdatedAt = fromMicros(d.CreatedAt), fromMicros(d.UpdatedAt)
	return nil
}

// secretDocument is the JSON form of a client's secret.
type secretDocument struct {
	*secretMembers
	CreatedAt *int64 `json:"created_at,omitempty"`
	ExpiresAt *int64 `json:"expires_at,omitempty"`
}

type secretMembers ClientSecret // without its methods

// MarshalJSON implements json.Marshaler.
func (s ClientSecret) MarshalJSON() ([]byte, error) {
	return json.Marshal(secretDocument{(*secretMembers)(&s), toMicros(s.CreatedAt), toMicros(s.ExpiresAt)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *ClientSecret) UnmarshalJSON(text []byte) error {
	d := secretDocument{secretMembers: (*secretMembers)(s)}
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	s.CreatedAt, s.ExpiresAt = fromMicros(d.CreatedAt), fromMicros(d.ExpiresAt)
	return nil
}

// toMicros returns nil for the zero time.
func toMicros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	micros := UnixMicro(t)
	return &micros
}

func fromMicros(micros *int64) time.Time {
	if micros == nil {
		return time.Time{}
	}
	return time.UnixMicro(*micros).UTC()
}
