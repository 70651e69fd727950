package reference

import (
	"fmt"
	"time"
)

func limits(i Installation) []Limit {
	l := i.Lifetimes
	return []Limit{
		{"`state`", "4096 bytes"},
		{"`eid`", "255 characters"},
		{"`id_token_hint`", "8192 bytes"},
		{"any other parameter", "2048 bytes"},
		{"parameters of a request", "64"},
		{"a form", "32 KiB"},
		{"`callback`", "64 characters"},
		{"redirect URIs of an application", "100, of 2048 bytes each"},
		{"authorization code", duration(l.Code) + ", and one use"},
		{"access token", duration(l.AccessToken)},
		{"ID token", duration(l.IDToken) + ", and no longer than a verification that it carries"},
		{"refresh token", duration(l.RefreshToken) + " without use"},
		{"refreshing, until the user signs in again", duration(l.Grant)},
		{"repeating a refresh whose answer was lost", duration(l.RefreshGrace) + ", ten times"},
		{"a user's time for sign-in and consent", duration(l.Flow)},
		{"discovery and key set in a cache", duration(time.Hour)},
	}
}

// duration says how long something lasts, in the largest unit that fits.
func duration(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if d < 2*u.of && d != u.of || d%u.of != 0 {
			continue
		}
		if n := d / u.of; n != 1 {
			return fmt.Sprintf("%d %ss", n, u.name)
		}
		return "1 " + u.name
	}
	return d.String()
}

func differences() []Difference {
	return []Difference{
		{"what it is", "RFC 6749 and OpenID Connect Core to the letter", "an older interface of identity verification services"},
		{"lifetimes in the token payload", "numbers", "strings of digits"},
		{"scope of a request", "any set", "one scope value is granted, beside `openid` for OpenID Connect; of several, or of those that are registered, the user picks one"},
		{"response types", "`code`; others when registered", "all but `id_token token`; that when registered"},
		{"`nonce` with an ID token from the authorization endpoint", "required", "optional"},
		{"`redirect_uri`", "may be omitted as RFC 6749 has it", "required, at the token endpoint too"},
		{"token request", "a form", "a form, or a JSON object whose members are strings"},
		{"userinfo", "JSON, or `application/jwt` when registered", "a signed JWT as a JSON string, or bare with `Accept: application/jwt`; JSONP with `callback`"},
		{"access token in the query of the data endpoints", "refused", "accepted, unless switched off at registration, like JSONP"},
		{"refresh token", "with the grant `refresh_token`", "always issued; usable with that grant"},
		{"scope values that mean nothing", "ignored, unless none is left", "refused"},
		{"`email_verified` beside `email`", "yes", "no"},
		{"parameter `claims`", "read", "ignored"},
		{"JWT access tokens", "when registered", "never"},
	}
}
