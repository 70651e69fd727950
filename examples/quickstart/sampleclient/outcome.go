package sampleclient

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// outcome is everything that came back from one sign-in, ready to be shown.
type outcome struct {
	service  *service
	protocol protocol
	when     time.Time

	// clientID and rawIDToken are for signing out at the provider.
	clientID, rawIDToken string

	Tokens     []row
	IDToken    *document
	Userinfo   *document
	Attributes []row
	Statuses   []groupStatus
}

// row is a name and a value, with a note for people.
type row struct {
	Name, Value, Note string

	// Block marks a value of several lines.
	Block bool
}

// document is a JWT or a JSON object.
type document struct {
	// Header are the header fields of a JWT; none for a plain object.
	Header []row
	Claims []row

	// JSON is all of it, to be read or copied.
	JSON string
}

// groupStatus tells whether the person belongs to a group.
type groupStatus struct {
	Group     string   `json:"group"`
	Subgroups []string `json:"subgroups"`
	Verified  bool     `json:"verified"`
}

// readAttributes reads the answer of the attributes endpoint. Attributes that nobody
// here has heard of are shown like any other.
func (o *outcome) readAttributes(body []byte) error {
	var answer struct {
		Attributes []struct {
			Handle string          `json:"handle"`
			Name   string          `json:"name"`
			Value  json.RawMessage `json:"value"`
		} `json:"attributes"`
		Status []groupStatus `json:"status"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("read attributes: %w", err)
	}
	for _, a := range answer.Attributes {
		r := newRow(a.Handle, a.Value)
		r.Note = a.Name
		o.Attributes = append(o.Attributes, r)
	}
	o.Statuses = answer.Status
	return nil
}

// Attribute returns the value of an attribute, or "".
func (o *outcome) Attribute(handle string) string {
	for _, a := range o.Attributes {
		if a.Name == handle {
			return a.Value
		}
	}
	return ""
}

// signOutURL is where the visitor signs out at the provider as well, and comes back
// from (OpenID Connect RP-Initiated Logout 1.0).
func (o *outcome) signOutURL(back string) string {
	q := url.Values{"client_id": {o.clientID}, "post_logout_redirect_uri": {back}}
	if o.rawIDToken != "" {
		q.Set("id_token_hint", o.rawIDToken)
	}
	return o.service.BaseURL + "/signout?" + q.Encode()
}

// newJWT decodes a JWT that has been verified.
func newJWT(raw string) (*document, error) {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return nil, errors.New("a JWT has three parts")
	}
	var decoded [2][]byte
	for i := range decoded {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(parts[i]); err != nil {
			return nil, fmt.Errorf("decode JWT: %w", err)
		}
	}
	header, err := newDocument(decoded[0])
	if err != nil {
		return nil, err
	}
	d, err := newDocument(decoded[1])
	if err != nil {
		return nil, err
	}
	d.Header = header.Claims
	d.JSON = header.JSON + "\n.\n" + d.JSON
	return d, nil
}

// newDocument decodes a JSON object.
func newDocument(text []byte) (*document, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("decode JSON object: %w", err)
	}
	d := &document{JSON: indent(text)}
	for _, name := range inOrder(members) {
		d.Claims = append(d.Claims, newRow(name, members[name]))
	}
	return d, nil
}

// tokenRows shows a token payload, tokens shortened: they are keys to the visitor's
// data, and pages end up in screenshots.
func tokenRows(payload []byte) ([]row, error) {
	d, err := newDocument(payload)
	if err != nil {
		return nil, err
	}
	for i, r := range d.Claims {
		if strings.HasSuffix(r.Name, "_token") {
			d.Claims[i].Value = shorten(r.Value)
		}
	}
	return d.Claims, nil
}

// first are the members that a reader looks for first.
var first = []string{
	"access_token", "token_type", "expires_in", "refresh_token", "refresh_expires_in", "scope", "id_token",
	"typ", "alg", "kid", "iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "at_hash",
	"uuid", "email", "email_verified", "fname", "lname",
}

// inOrder returns the names of members, those of first before the others.
func inOrder(members map[string]json.RawMessage) []string {
	rank := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	return slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// newRow shows a JSON value: a string without its quotes, a list of words in one
// line, a list of records with a line for each, and anything else as it is.
func newRow(name string, value json.RawMessage) row {
	r := row{Name: name}
	var (
		text   string
		words  []string
		number int64
		lines  []json.RawMessage
	)
	switch {
	case json.Unmarshal(value, &text) == nil:
		r.Value = text
	case json.Unmarshal(value, &words) == nil:
		r.Value = strings.Join(words, ", ")
	case json.Unmarshal(value, &number) == nil:
		r.Value = string(value)
		if slices.Contains([]string{"exp", "iat", "auth_time"}, name) {
			r.Note = time.Unix(number, 0).UTC().Format("2 January 2006, 15:04:05 UTC")
		}
	case json.Unmarshal(value, &lines) == nil:
		for _, line := range lines {
			r.Value += string(line) + "\n"
		}
		r.Block = true
	default:
		r.Value = string(value)
	}
	return r
}

func indent(text []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return string(text)
	}
	return b.String()
}

// shorten shows the ends of a token, which tell two of them apart and open nothing.
func shorten(token string) string {
	if len(token) < 24 {
		return "…"
	}
	return token[:8] + "…" + token[len(token)-4:]
}
