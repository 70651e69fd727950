package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"

	strict "github.com/go-jose/go-jose/v3/json"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// ReadTokenRequest is ReadForm for the token endpoint, which also takes the parameters as
// the members of a JSON object. Whether the client may send them so is known when it has
// authenticated (Dialect.JSONRequests). It may be called again for the same request.
func ReadTokenRequest(r *http.Request) (url.Values, error) {
	if !IsJSON(r) {
		return ReadForm(r)
	}
	if r.Body != http.NoBody {
		form, err := readJSON(r)
		if err != nil {
			return nil, err
		}
		// What reads the request later, fosite among it, finds a form that has been read.
		r.PostForm, r.Form, r.Body = form, form, http.NoBody
	}
	return readParameters(r)
}

// IsJSON reports whether a request has a body of JSON.
func IsJSON(r *http.Request) bool { return mediaTypeOf(r) == "application/json" }

// mediaTypeOf returns the media type of a body; "" when it has none, or two, of which others
// that read the request may each believe another.
func mediaTypeOf(r *http.Request) string {
	sent := r.Header["Content-Type"]
	if len(sent) != 1 {
		return ""
	}
	if sent[0] == formType { // as nearly always, without parsing
		return formType
	}
	mediaType, _, err := mime.ParseMediaType(sent[0])
	if err != nil {
		return ""
	}
	return mediaType
}

// formType is the media type of forms.
const formType = "application/x-www-form-urlencoded"

var errJSON = protocol.Fail(protocol.InvalidRequest, "Send the parameters as a form, or as one JSON object whose members are strings.").
	Because(diagnosis.JSONMalformed)

// Members returns the members of the JSON object that a text is. One that comes twice is an error: two
// readers may each believe another of them.
func Members(text []byte) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	err := strict.Unmarshal(text, &all)
	if err == nil && all == nil {
		err = errJSON
	}
	return all, err
}

// readJSON returns the members of the JSON object that a body of at most maxForm bytes is.
// A member that comes twice is kept twice, for CheckForm: two readers of one request may
// each believe another of them.
func readJSON(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxForm))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil, !utf8.Valid(body): // a decoder would put another character there
		return nil, errJSON
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, errJSON
	}
	form := url.Values{}
	for d.More() {
		name, nameErr := d.Token()
		value, valueErr := d.Token()
		text, isString := value.(string)
		if nameErr != nil || valueErr != nil || !isString {
			return nil, errJSON
		}
		form.Add(name.(string), text)
	}
	if _, err := d.Token(); err != nil {
		return nil, errJSON
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errJSON
	}
	return form, nil
}
