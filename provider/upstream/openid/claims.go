package openid

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

const (
	// maxText limits a claim that is compared or shown, in bytes, and maxList a list of them.
	maxText = 512
	maxList = 32
)

// claims are those of an ID token or of userinfo, by their exact names: the decoder of a
// struct would take SUB for sub.
type claims map[string]any

func readClaims(payload []byte) (claims, error) {
	var c claims
	if json.Unmarshal(payload, &c) != nil || c == nil {
		return nil, errors.New("openid: the claims are no object")
	}
	return c, nil
}

// text returns a claim that is a text of at most 512 bytes, or "".
func (c claims) text(name string) string {
	text, _ := c[name].(string)
	if len(text) > maxText {
		return ""
	}
	return text
}

// texts returns a claim that is a text or a list of texts.
func (c claims) texts(name string) []string {
	switch value := c[name].(type) {
	case string:
		if len(value) <= maxText {
			return []string{value}
		}
	case []any:
		var all []string
		for _, element := range value {
			if text, ok := element.(string); ok && len(text) <= maxText && len(all) < maxList {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

// time returns a claim that is seconds since 1970, or false. Of those after the year 9999, which
// some write for never, it is the end of that year.
func (c claims) time(name string) (time.Time, bool) {
	const last = 253402300799
	seconds, ok := c[name].(float64)
	if !ok || seconds <= 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(min(seconds, last)), 0).UTC(), true
}

// truth returns a claim that is true. Some upstreams write booleans as texts or numbers.
func (c claims) truth(name string) bool {
	switch value := c[name].(type) {
	case bool:
		return value
	case string:
		return strings.EqualFold(value, "true") || value == "1"
	case float64:
		return value == 1
	default:
		return false
	}
}

// merge adds the claims of userinfo that an ID token does not have. An address and whether it
// is verified are of one document: together they would say what neither does.
func (c claims) merge(info claims) claims {
	all := claims{}
	for name, value := range info {
		all[name] = value
	}
	for name, value := range c {
		all[name] = value
	}
	from := info
	if c.text("email") != "" {
		from = c
	}
	for _, name := range []string{"email", "email_verified"} {
		delete(all, name)
		if value, ok := from[name]; ok {
			all[name] = value
		}
	}
	return all
}

// settle has the claims say of the address what the identity says.
func (c claims) settle(who upstream.Identity) {
	delete(c, "email")
	delete(c, "email_verified")
	if who.Email != "" {
		c["email"], c["email_verified"] = who.Email, who.EmailVerified
	}
}

// identity is who the claims are about.
func (c claims) identity() upstream.Identity {
	who := upstream.Identity{
		Issuer: c.text("iss"), Subject: c.text("sub"), Email: reply.Email(c.text("email")), Name: reply.Name(c.text("name")),
		ACR: c.text("acr"), AMR: c.texts("amr"), Claims: c,
	}
	who.EmailVerified = who.Email != "" && c.truth("email_verified")
	who.AuthTime, _ = c.time("auth_time")
	if who.Name == "" {
		who.Name = reply.Name(strings.TrimSpace(c.text("given_name") + " " + c.text("family_name")))
	}
	return who
}
