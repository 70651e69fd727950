package storage

import (
	"encoding/json"
	"time"
)

// clientDocument is the JSON form of a client. Its own members replace those that
// encoding/json would write differently: a digest as numbers, and times as text.
type clientDocument struct {
	*clientMembers
	Logo              []byte `json:"logo,omitempty"`
	LogoDark          []byte `json:"logo_dark,omitempty"`
	Wordmark          []byte `json:"wordmark,omitempty"`
	WordmarkDark      []byte `json:"wordmark_dark,omitempty"`
	RegistrationToken []byte `json:"registration_token,omitempty"`
	CreatedAt         *int64 `json:"created_at,omitempty"`
	UpdatedAt         *int64 `json:"updated_at,omitempty"`
	GrantsSince       *int64 `json:"grants_since,omitempty"`
	ExpiresAt         *int64 `json:"expires_at,omitempty"`
}

// digests pairs each digest of a client with that of its document.
func (d *clientDocument) digests(c *Client) []struct {
	digest *Digest
	text   *[]byte
} {
	return []struct {
		digest *Digest
		text   *[]byte
	}{{&c.Logo, &d.Logo}, {&c.LogoDark, &d.LogoDark}, {&c.Wordmark, &d.Wordmark}, {&c.WordmarkDark, &d.WordmarkDark}, {&c.RegistrationToken, &d.RegistrationToken}}
}

type clientMembers Client // without its methods

// MarshalJSON implements json.Marshaler.
func (c Client) MarshalJSON() ([]byte, error) {
	d := clientDocument{
		clientMembers: (*clientMembers)(&c),
		CreatedAt:     toMicros(c.CreatedAt),
		UpdatedAt:     toMicros(c.UpdatedAt),
		GrantsSince:   toMicros(c.GrantsSince),
		ExpiresAt:     toMicros(c.ExpiresAt),
	}
	for _, p := range d.digests(&c) {
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
	for _, p := range d.digests(c) {
		copy(p.digest[:], *p.text)
	}
	c.CreatedAt, c.UpdatedAt = fromMicros(d.CreatedAt), fromMicros(d.UpdatedAt)
	c.GrantsSince, c.ExpiresAt = fromMicros(d.GrantsSince), fromMicros(d.ExpiresAt)
	if c.Origin != "" && c.Document == nil {
		c.Document = &ClientDocument{}
	}
	return nil
}

// metadataDocument is the JSON form of what is known of a client's document.
type metadataDocument struct {
	*metadataMembers
	FetchedAt  *int64 `json:"fetched_at,omitempty"`
	FreshUntil *int64 `json:"fresh_until,omitempty"`
	LookedAt   *int64 `json:"looked_at,omitempty"`
	GoneSince  *int64 `json:"gone_since,omitempty"`
	ChangedAt  *int64 `json:"changed_at,omitempty"`
	Digest     []byte `json:"digest,omitempty"`
}

type metadataMembers ClientDocument // without its methods

// MarshalJSON implements json.Marshaler.
func (d ClientDocument) MarshalJSON() ([]byte, error) {
	text := metadataDocument{
		metadataMembers: (*metadataMembers)(&d), FetchedAt: toMicros(d.FetchedAt), FreshUntil: toMicros(d.FreshUntil),
		LookedAt: toMicros(d.LookedAt), GoneSince: toMicros(d.GoneSince), ChangedAt: toMicros(d.ChangedAt),
	}
	if !d.Digest.IsZero() {
		text.Digest = d.Digest[:]
	}
	return json.Marshal(text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *ClientDocument) UnmarshalJSON(text []byte) error {
	read := metadataDocument{metadataMembers: (*metadataMembers)(d)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	d.FetchedAt, d.FreshUntil, d.LookedAt = fromMicros(read.FetchedAt), fromMicros(read.FreshUntil), fromMicros(read.LookedAt)
	d.GoneSince, d.ChangedAt = fromMicros(read.GoneSince), fromMicros(read.ChangedAt)
	copy(d.Digest[:], read.Digest)
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
