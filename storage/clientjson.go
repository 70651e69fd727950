package storage

import (
	"encoding/json"
	"time"
)

// clientDocument is the JSON form of a client. Its own members replace those that
// encoding/json would write differently: a digest as numbers, and times as text.
type clientDocument struct {
	*clientMembers
	Logo         []byte `json:"logo,omitempty"`
	LogoDark     []byte `json:"logo_dark,omitempty"`
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`
	CreatedAt    *int64 `json:"created_at,omitempty"`
	UpdatedAt    *int64 `json:"updated_at,omitempty"`
}

// pictures pairs each picture of a client with that of its document.
func (d *clientDocument) pictures(c *Client) []struct {
	digest *Digest
	text   *[]byte
} {
	return []struct {
		digest *Digest
		text   *[]byte
	}{{&c.Logo, &d.Logo}, {&c.LogoDark, &d.LogoDark}, {&c.Wordmark, &d.Wordmark}, {&c.WordmarkDark, &d.WordmarkDark}}
}

type clientMembers Client // without its methods

// MarshalJSON implements json.Marshaler.
func (c Client) MarshalJSON() ([]byte, error) {
	d := clientDocument{
		clientMembers: (*clientMembers)(&c),
		CreatedAt:     toMicros(c.CreatedAt),
		UpdatedAt:     toMicros(c.UpdatedAt),
	}
	for _, p := range d.pictures(&c) {
		if !p.digest.IsZero() {
			*p.text = p.digest[:]
		}
	}
	return json.Marshal(d)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Client) UnmarshalJSON(text []byte) error {
	d := clientDocument{clientMembers: (*clientMembers)(c)}
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	for _, p := range d.pictures(c) {
		copy(p.digest[:], *p.text)
	}
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
