package issue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Claim is one member of a JSON object beside those of the protocol.
type Claim struct {
	Name  string
	Value json.RawMessage

	// Encoded reports that encoding/json has written Value, so that nobody looks at it again.
	Encoded bool
}

// Claims are what a grant releases at a moment.
type Claims struct {
	List []Claim

	// Until is when the first of them becomes another; zero means never.
	Until time.Time
}

// jwtClaims are the protocol's claims of a JWT about a grant's subject for its client
// (OpenID Connect Core section 2).
type jwtClaims struct {
	Issuer     string   `json:"iss"`
	Subject    string   `json:"sub,omitempty"`
	Audience   string   `json:"aud,omitempty"`
	ExpiresAt  int64    `json:"exp,omitempty"`
	IssuedAt   int64    `json:"iat"`
	AuthTime   int64    `json:"auth_time,omitempty"`
	Class      string   `json:"acr,omitempty"`
	SID        string   `json:"sid,omitempty"`
	AMR        []string `json:"amr,omitempty"`
	Nonce      string   `json:"nonce,omitempty"`
	AccessHash string   `json:"at_hash,omitempty"`
	CodeHash   string   `json:"c_hash,omitempty"`
}

func (m *Maker) jwtClaims(g storage.Grant, now time.Time) jwtClaims {
	return jwtClaims{Issuer: m.Issuer, Subject: g.Subject, Audience: g.ClientID, IssuedAt: now.Unix()}
}

// UserinfoJWT returns the payload of a userinfo response that is a JWT (OpenID Connect
// Core section 5.3.2). In v3 it has the form of an ID token, which its contract wants, but
// for auth_time: here it is not taken for one. In the standard dialect it cannot pass for
// an ID token, since it has no exp, which every ID token has and every client demands of one
// (RFC 8725 section 3.12). Another typ would not do: few clients look at it in an ID token,
// and some refuse any but JWT.
func (m *Maker) UserinfoJWT(g storage.Grant, d registry.Dialect, released Claims, now time.Time) ([]byte, error) {
	c := m.jwtClaims(g, now)
	if d.UserinfoAsString {
		c.ExpiresAt = earliest(now.Add(m.IDLife), released.Until).Unix()
	}
	return encodeClaims(c.append, released.List)
}

// append writes the claims as encoding/json would, without looking at the type.
func (c *jwtClaims) append(to []byte) []byte {
	to = append(to, '{')
	to = AppendText(append(to, `"iss":`...), c.Issuer)
	text := func(name, value string) {
		if value != "" {
			to = AppendText(append(to, name...), value)
		}
	}
	number := func(name string, value int64) {
		if value != 0 {
			to = strconv.AppendInt(append(to, name...), value, 10)
		}
	}
	text(`,"sub":`, c.Subject)
	text(`,"aud":`, c.Audience)
	number(`,"exp":`, c.ExpiresAt)
	to = strconv.AppendInt(append(to, `,"iat":`...), c.IssuedAt, 10)
	number(`,"auth_time":`, c.AuthTime)
	text(`,"acr":`, c.Class)
	text(`,"sid":`, c.SID)
	for i, method := range c.AMR {
		separator := ","
		if i == 0 {
			separator = `,"amr":[`
		}
		to = AppendText(append(to, separator...), method)
	}
	if len(c.AMR) > 0 {
		to = append(to, ']')
	}
	text(`,"nonce":`, c.Nonce)
	text(`,"at_hash":`, c.AccessHash)
	text(`,"c_hash":`, c.CodeHash)
	return append(to, '}')
}

// UserinfoJSON returns the userinfo response that is a plain JSON object (OpenID Connect
// Core section 5.3.2).
func UserinfoJSON(g storage.Grant, released Claims) ([]byte, error) {
	return encodeClaims(func(to []byte) []byte {
		return append(AppendText(append(to, `{"sub":`...), g.Subject), '}')
	}, released.List)
}

// encodeClaims returns the protocol's claims, which are an object, followed by the
// released ones in their order, which the maps of encoding/json do not keep.
func encodeClaims(protocol func([]byte) []byte, released []Claim) ([]byte, error) {
	size := 512
	for _, c := range released {
		size += len(c.Name) + len(c.Value) + len(`,"":`)
	}
	object := protocol(make([]byte, 0, size))
	for _, c := range released {
		object = AppendText(append(object[:len(object)-1], ','), c.Name)
		object = append(object, ':')
		var err error
		if c.Encoded {
			object = append(object, c.Value...)
		} else if object, err = appendValue(object, c.Value); err != nil {
			return nil, fmt.Errorf("encode claim %q: %w", c.Name, err)
		}
		object = append(object, '}')
	}
	return object, nil
}

// AppendText appends a text as a JSON string, as encoding/json writes it.
func AppendText(to []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(to, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return append(to, quoted...)
}

// Quote returns the JSON of a text.
func Quote(s string) json.RawMessage { return AppendText(make([]byte, 0, len(s)+2), s) }

// appendValue appends a JSON value, which is looked at again: what is no JSON would
// change what is around it.
func appendValue(to []byte, value json.RawMessage) ([]byte, error) {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' && isPlain(value[1:n-1]) {
		return append(to, value...), nil
	}
	if s := string(value); s == "true" || s == "false" {
		return append(to, value...), nil
	}
	compact, err := json.Marshal(value)
	return append(to, compact...), err
}

// isPlain reports whether a text stands for itself between quotes, as encoding/json
// writes it: letters, digits and whatever else in ASCII neither JSON nor HTML gives a
// meaning.
func isPlain[T string | json.RawMessage](s T) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
