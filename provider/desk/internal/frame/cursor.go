package frame

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// How many rows a page of a list has.
const (
	Few  = 25
	Many = 50
)

// ParameterAfter is the parameter of an address that says where a page of a list begins.
const ParameterAfter = "after"

// sealedCursor is the purpose for which cursors are sealed.
const sealedCursor = "desk cursor"

// maxCursor bounds what is opened.
const maxCursor = 1024

type cursor struct {
	Of string `json:"o"`
	At string `json:"a"`
}

// list names a list of this provider alone: a sandbox may have the same secret.
func (f *Frame) list(of []string) string {
	return f.Provider.Issuer() + "\x00" + strings.Join(of, "\x00")
}

// Cursor seals where the next page of a list begins. It is good for this list alone: of names
// the list with what it was filtered by, and who reads it.
func (f *Frame) Cursor(of []string, at string) string {
	plain, err := json.Marshal(cursor{f.list(of), at})
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return base64.RawURLEncoding.EncodeToString(f.Provider.Keys().Seal(sealedCursor, plain))
}

// OpenCursor returns where a page begins; empty for the first one. It reports false for a
// cursor that was altered, or is of another list.
func (f *Frame) OpenCursor(of []string, sealed string) (at string, ok bool) {
	if sealed == "" {
		return "", true
	}
	content, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || len(content) > maxCursor {
		return "", false
	}
	plain, err := f.Provider.Keys().Open(sealedCursor, content)
	var c cursor
	if err != nil || json.Unmarshal(plain, &c) != nil || c.Of != f.list(of) {
		return "", false
	}
	return c.At, true
}

// After returns where the page of a list begins that who asks has filtered like this: 400 for
// a cursor that was altered, or is of another list.
func (r *Request) After(of ...string) (string, error) { return r.AfterIn(ParameterAfter, of...) }

// AfterIn is After for a page with several lists, each with a parameter of its own.
func (r *Request) AfterIn(parameter string, of ...string) (string, error) {
	at, ok := r.Frame.OpenCursor(append(of, r.Staff.ID), r.Query(parameter))
	if !ok {
		return "", Malformed("a cursor that was altered, or of another list")
	}
	return at, nil
}

// Next returns the cursor of the next page for who asks.
func (r *Request) Next(at string, of ...string) string {
	return r.Frame.Cursor(append(of, r.Staff.ID), at)
}

// NextURL is the address of the next page of a list: the same with another cursor.
func (r *Request) NextURL(at string, of ...string) string {
	query := r.Request.URL.Query()
	query.Set(ParameterAfter, r.Next(at, of...))
	return "?" + query.Encode()
}
