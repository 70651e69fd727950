package provider

import "time"

// Lifetimes limit sessions and tokens. In JSON each is text such as "90s", "15m" or "720h".
type Lifetimes struct {
	// Code is the lifetime of an authorization code, at most 10 minutes.
	// Defaults to 60 seconds.
	Code time.Duration `json:"code,omitempty"`

	// AccessToken is the lifetime of an access token.
	// Defaults to 300 seconds.
	AccessToken time.Duration `json:"access_token,omitempty"`

	// IDToken is the lifetime of an ID token.
	// Defaults to 300 seconds.
	IDToken time.Duration `json:"id_token,omitempty"`

	// RefreshToken is the lifetime of an unused refresh token.
	// Defaults to 7 days.
	RefreshToken time.Duration `json:"refresh_token,omitempty"`

	// Grant is how long an application can refresh its tokens before the user must sign in
	// again.
	// Defaults to 30 days.
	Grant time.Duration `json:"grant,omitempty"`

	// RefreshGrace is how long a used refresh token may be used again, because the first
	// response may have been lost. It ends as soon as a successor is used. Clock
	// differences between processes lengthen or shorten it by as much, to twice its length
	// at most. Negative for never: then any second use revokes the grant.
	// Defaults to 60 seconds, which outlasts the failover of a database.
	RefreshGrace time.Duration `json:"refresh_grace,omitempty"`

	// SessionIdle is how long an unused browser session lasts.
	// Defaults to 12 hours.
	SessionIdle time.Duration `json:"session_idle,omitempty"`

	// Session is how long any browser session lasts.
	// Defaults to 14 days.
	Session time.Duration `json:"session,omitempty"`

	// Flow is how long a user may take from the authorization request to the response.
	// Defaults to 1 hour.
	Flow time.Duration `json:"flow,omitempty"`

	// DeletionGrace is how long an account stays after its user has requested deletion, at
	// least an hour. Until then no token is issued for it, and the user can sign in and
	// keep it. Run deletes it afterwards.
	// Defaults to 14 days.
	DeletionGrace time.Duration `json:"deletion_grace,omitempty"`
}

func (l Lifetimes) withDefaults() Lifetimes {
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&l.Code, 60 * time.Second},
		{&l.AccessToken, 300 * time.Second},
		{&l.IDToken, 300 * time.Second},
		{&l.RefreshToken, 7 * 24 * time.Hour},
		{&l.Grant, 30 * 24 * time.Hour},
		{&l.RefreshGrace, time.Minute},
		{&l.SessionIdle, 12 * time.Hour},
		{&l.Session, 14 * 24 * time.Hour},
		{&l.Flow, time.Hour},
		{&l.DeletionGrace, 14 * 24 * time.Hour},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if l.RefreshGrace < 0 {
		l.RefreshGrace = 0
	}
	return l
}

// validate returns an error for the first invalid field.
func (l Lifetimes) validate() error {
	for _, f := range []struct {
		name          string
		value, lowest time.Duration
	}{
		{"Code", l.Code, time.Second}, {"AccessToken", l.AccessToken, time.Second},
		{"IDToken", l.IDToken, time.Second}, {"RefreshToken", l.RefreshToken, time.Second},
		{"Grant", l.Grant, l.RefreshToken}, {"SessionIdle", l.SessionIdle, time.Minute},
		{"Session", l.Session, l.SessionIdle}, {"Flow", l.Flow, time.Minute},
		{"DeletionGrace", l.DeletionGrace, time.Hour},
	} {
		if f.value < f.lowest {
			return wrongField("Lifetimes."+f.name, "%v is shorter than %v", f.value, f.lowest)
		}
	}
	if l.Code > 10*time.Minute {
		return wrongField("Lifetimes.Code", "%v is longer than 10m, the most that RFC 6749 section 4.1.2 recommends", l.Code)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (l Lifetimes) MarshalJSON() ([]byte, error) { return marshalDurations(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Lifetimes) UnmarshalJSON(text []byte) error { return unmarshalDurations(text, l) }
