package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// MaxForm bounds the forms of pages. A flow travels in them.
const MaxForm = 128 << 10

// csrfField is the form field that proves that a page of ours, in this browser, was
// posted.
const csrfField = "csrf"

// DeviceLife is how long a browser is known.
const DeviceLife = 365 * 24 * time.Hour

// Browser returns the value that marks this browser, giving it one when it has
// none. Flows and forms are bound to it, so that nobody can begin one in his own
// browser and have it finished in another's (login CSRF).
func (s *Site) Browser(w http.ResponseWriter, r *http.Request) string {
	if value := s.Cookies.Get(r, session.Browser); isBrowser(value) {
		return value
	}
	value := random.Text(16)
	s.Cookies.Set(w, session.Browser, value, DeviceLife)
	s.Cookies.Assume(r, session.Browser, value)
	return value
}

func isBrowser(value string) bool { return len(value) == base64.RawURLEncoding.EncodedLen(16) }

// Form returns the form of a page, which is posted to its own address with the parameters
// that travel with it.
func (s *Site) Form(w http.ResponseWriter, r *http.Request, problems []ui.Problem) ui.Form {
	var more []ui.Field
	for _, name := range []string{FlowParameter, CodeParameter, MailboxParameter} {
		if value := Parameter(r, name); value != "" {
			more = append(more, ui.Field{Name: name, Value: value})
		}
	}
	return ui.Form{Action: s.Link(PathOf(r)), Problems: problems, Hidden: s.Hidden(w, r, more...)}
}

// Hidden returns what every form of this browser carries.
func (s *Site) Hidden(w http.ResponseWriter, r *http.Request, more ...ui.Field) []ui.Field {
	mac := s.Secrets.MAC("csrf "+s.Issuer, []byte(s.Browser(w, r)))
	return append([]ui.Field{{Name: csrfField, Value: mask(mac)}}, more...)
}

// mask returns a value in another spelling each time, a random half and what it is
// mixed with: what a page holds beside something that a stranger chooses must not be
// the same twice, or else it can be told from the lengths of compressed answers
// (BREACH, CVE-2013-3587).
func mask(mac storage.Digest) string {
	b := make([]byte, 2*len(mac))
	_, _ = rand.Read(b[:len(mac)]) // never fails: the program stops when there is no randomness
	subtle.XORBytes(b[len(mac):], b[:len(mac)], mac[:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// unmask returns what was masked, or nothing that is valid.
func unmask(value string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(b) != 2*len(storage.Digest{}) {
		return nil
	}
	mac := make([]byte, len(storage.Digest{}))
	subtle.XORBytes(mac, b[:len(mac)], b[len(mac):])
	return mac
}

// Guard lets a form through to its handler when it was posted by a page of ours in
// this browser: the browser says that it comes from this origin, and the form
// holds a value that only this browser was given. The value is not one of the session:
// then a sign-in in one tab would make the forms of all others worthless, and those
// are of the applications that somebody opens in the morning. What a form does is
// bound to its user where that matters (the field user of the consent screen).
func (s *Site) Guard(act Handler) Handler { return s.guard(readForm, act) }

// IsOurs reports whether a form says that it is of a page of ours, which Guard finds out.
// It reads the form.
func (s *Site) IsOurs(r *http.Request) (bool, error) {
	if err := readForm(r); err != nil {
		return false, err
	}
	return r.PostForm.Has(csrfField), nil
}

// guard is Guard with a way to read the form.
func (s *Site) guard(read func(*http.Request) error, act Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.checkOrigin(r); err != nil {
			return &PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: err}
		}
		if err := read(r); err != nil {
			return err
		}
		value := s.Cookies.Get(r, session.Browser)
		mac := unmask(r.PostForm.Get(csrfField))
		if !isBrowser(value) || !s.Secrets.VerifyMAC("csrf "+s.Issuer, mac, []byte(value)) {
			return &PageError{Status: http.StatusForbidden, Code: ui.ErrorBrowser, Cause: errors.New("form of another browser")}
		}
		return act(w, r)
	}
}

// checkOrigin refuses a form of another site. Where the browser does not say what it
// thinks (Sec-Fetch-Site), CrossOriginProtection compares the host that is named in
// Origin, and takes a page of the same host without TLS, which anybody on the network
// can write, for one of ours.
func (s *Site) checkOrigin(r *http.Request) error {
	host := strings.TrimSuffix(s.Base.Host, map[string]string{"https": ":443", "http": ":80"}[s.Base.Scheme])
	for _, origin := range r.Header.Values("Origin") {
		if r.Header.Get("Sec-Fetch-Site") == "" && origin != s.Base.Scheme+"://"+host {
			return fmt.Errorf("form of %q", Truncate(origin, 128))
		}
	}
	return s.origin.Check(r)
}

// readForm parses the form of a page. A body of any other kind was not sent
// by a page of ours.
func readForm(r *http.Request) error {
	if err := input.ParseForm(r, MaxForm); err != nil {
		return formError(err)
	}
	if err := checkFields(r.PostForm, routeOf(r).Several); err != nil {
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	return nil
}

// formError is the page for a form that cannot be read.
func formError(err error) error {
	var refused *protocol.Error
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) || errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge {
		return &PageError{Status: http.StatusRequestEntityTooLarge, Code: ui.ErrorTooLarge, Cause: err}
	}
	return &PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: err}
}

// checkQuery refuses a page whose address no page of ours can have. The authorization
// endpoint has rules of its own.
func checkQuery(r *http.Request) error {
	if routeOf(r).OwnQuery {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		err = checkFields(query, "")
	}
	if err != nil {
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	return nil
}

var (
	errNotText  = errors.New("a parameter is not text")
	errRepeated = errors.New("a parameter is given more than once")
)

// checkFields refuses what is no text, and what is given twice: two readers of one
// request may each believe another of them. All values of the field several are read.
func checkFields(form url.Values, several string) error {
	if !IsText(form) {
		return errNotText
	}
	for name, values := range form {
		if len(values) > 1 && (several == "" || name != several) {
			return errRepeated
		}
	}
	return nil
}

// IsText reports whether all that was sent is UTF-8 without NUL: databases keep and
// compare nothing else.
func IsText(form url.Values) bool {
	bad := func(s string) bool { return !utf8.ValidString(s) || strings.Contains(s, "\x00") }
	for name, values := range form {
		if bad(name) || slices.ContainsFunc(values, bad) {
			return false
		}
	}
	return true
}
