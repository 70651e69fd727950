package input

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// Bounds on what strangers send. State may be long because some clients keep a
// return address in it, and what is signed because of its claims.
const (
	maxForm   = 32 << 10
	maxFields = 64
	MaxState  = 4 << 10
	maxHint   = 8 << 10
	maxClaims = 4 << 10
	MaxValue  = 2 << 10
)

// ReadForm fills r.PostForm from a POST in application/x-www-form-urlencoded, without
// the parameters that have no value, and returns it. Anything else, and parameters in
// the query, is an invalid_request.
func ReadForm(r *http.Request) (url.Values, error) {
	if err := ParseForm(r, maxForm); err != nil {
		return nil, err
	}
	return readParameters(r)
}

// readParameters returns r.PostForm, once it has been checked, without the parameters that
// have no value.
func readParameters(r *http.Request) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, protocol.Fail(protocol.InvalidRequest, "Send the parameters in the body only, not in the address.").Because(diagnosis.ParametersInQuery)
	}
	sent := r.PostForm
	r.PostForm = WithValue(sent)
	return r.PostForm, CheckForm(sent)
}

// WithValue returns the parameters that have a value; the others count as omitted
// (RFC 6749 sections 3.1 and 3.2). Those of PKCE stay, to be refused: a client whose
// challenge got lost did not mean to go without. Repeated ones stay, for CheckForm. A form
// of which none is omitted is returned itself: who changes it clones it before.
func WithValue(form url.Values) url.Values {
	omitted := 0
	for name, values := range form {
		if isOmitted(name, values) {
			omitted++
		}
	}
	if omitted == 0 {
		return form
	}
	given := make(url.Values, len(form)-omitted)
	for name, values := range form {
		if !isOmitted(name, values) {
			given[name] = values
		}
	}
	return given
}

func isOmitted(name string, values []string) bool {
	return len(values) == 1 && values[0] == "" && name != "code_challenge" && name != "code_verifier"
}

// ParseForm fills r.PostForm from a body of at most limit bytes in
// application/x-www-form-urlencoded; other media types are an invalid_request.
func ParseForm(r *http.Request, limit int64) error {
	if mediaTypeOf(r) != "application/x-www-form-urlencoded" {
		return protocol.Fail(protocol.InvalidRequest, "Send the parameters as application/x-www-form-urlencoded.").Because(diagnosis.RequestMalformed)
	}
	err := parseWhole(r, limit)
	if errors.Is(err, errUnusual) {
		r.Body = http.MaxBytesReader(nil, r.Body, limit)
		err = r.ParseForm()
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case err != nil:
		return protocol.Fail(protocol.InvalidRequest, "The form is not encoded correctly.").Because(diagnosis.RequestMalformed)
	default:
		return nil
	}
}

var errUnusual = errors.New("a form of another kind")

// maxWhole bounds the bodies that are read in one piece: memory for all of it is taken before
// any of it has come.
const maxWhole = 4 << 10

// parseWhole is r.ParseForm for the usual request: a POST without a query, whose length is
// known and small. It reads the body in one piece, and keeps one map instead of two. For any
// other it does nothing and returns errUnusual.
func parseWhole(r *http.Request, limit int64) error {
	if r.PostForm != nil || r.Form != nil || r.URL.RawQuery != "" || r.Method != http.MethodPost ||
		r.Body == nil || r.ContentLength < 0 || r.ContentLength > min(limit, maxWhole) {
		return errUnusual
	}
	body := make([]byte, r.ContentLength+1) // one more, to see its end
	n, err := io.ReadFull(r.Body, body)
	switch {
	case int64(n) != r.ContentLength && (err == nil || isEnd(err)): // unpacked on the way
		r.Body = replaced{io.MultiReader(bytes.NewReader(body[:n]), r.Body), r.Body}
		return errUnusual
	case !isEnd(err):
		return err
	}
	form, err := url.ParseQuery(string(body[:n]))
	if err != nil {
		return err
	}
	r.PostForm, r.Form = form, form
	return nil
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// replaced is a body of which some has been read.
type replaced struct {
	io.Reader
	io.Closer
}

var errTooLarge = &protocol.Error{
	Code: protocol.InvalidRequest, Description: "The request is too large.",
	Status: http.StatusRequestEntityTooLarge, Diagnosis: diagnosis.RequestMalformed,
}

// ResourceParameters name resources. The second is what clients of other providers send
// for the same; it names a resource or nothing.
var ResourceParameters = []string{"resource", "audience"}

// CheckForm refuses what no honest client sends: parameters that are given twice,
// because two readers of one request may each believe another of them (RFC 6749
// section 3.1), and text that is none.
func CheckForm(form url.Values) error {
	if len(form) > maxFields {
		return protocol.Fail(protocol.InvalidRequest, "The request has too many parameters.").Because(diagnosis.RequestMalformed)
	}
	for name, values := range form {
		if slices.Contains(ResourceParameters, name) && len(values) <= maxFields {
			continue // many are allowed, and each is looked up as it is (RFC 8707 section 2)
		}
		if len(values) > 1 {
			return Repeated(name)
		}
		if name == "state" {
			if len(values[0]) > MaxState {
				return protocol.Fail(protocol.InvalidRequest, "The parameter state is longer than 4096 bytes.").Because(diagnosis.ParameterMalformed, "parameter", name)
			}
			continue
		}
		if len(values[0]) > valueLimit(name) {
			return protocol.Fail(protocol.InvalidRequest, "A parameter is too long.").Because(diagnosis.ParameterMalformed, "parameter", name)
		}
		if !IsText(name) || !IsText(values[0]) {
			return protocol.Fail(protocol.InvalidRequest, "A parameter holds characters that are not allowed.").Because(diagnosis.ParameterMalformed, "parameter", name)
		}
	}
	return nil
}

// Repeated is the error for a parameter that is given more than once.
func Repeated(parameter string) *protocol.Error {
	return protocol.Fail(protocol.InvalidRequest, "A parameter is given more than once.").Because(diagnosis.ParameterRepeated, "parameter", parameter)
}

func valueLimit(name string) int {
	switch name {
	case "id_token_hint", "token", "subject_token", "actor_token", "request", "client_assertion", "assertion", // each may be a JWT
		"authorization_details": // which has an error code of its own
		return maxHint
	case "claims":
		return maxClaims
	default:
		return MaxValue
	}
}

// IsText reports whether a text is UTF-8 without control characters.
func IsText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f
	})
}
