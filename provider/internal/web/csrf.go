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

// MaxForm limits the forms of pages, which carry a flow.
const MaxForm = 128 << 10

// csrfField is the form field that proves that a page of the provider, in this browser, was
// posted.
const csrfField = "csrf"

// DeviceLife is how long a browser is known.
const DeviceLife = 365 * 24 * time.Hour

// Browser returns the value that identifies this browser, and sets it if there is none.
// Flows and forms are bound to it, so that an attacker cannot begin one in one browser and
// have it finished in another (login CSRF).
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

// Form returns the form of a page, which posts to its own address with the parameters that
// travel with it.
func (s *Site) Form(w http.ResponseWriter, r *http.Request, problems []ui.Problem) ui.Form {
	var more []ui.Field
	for _, name := range []string{FlowParameter, CodeParameter, MailboxParameter} {
		if value := Parameter(r, name); value != "" {
			more = append(more, ui.Field{Name: name, Value: value})
		}
	}
	return ui.Form{Action: s.Link(PathOf(r)), Problems: problems, Hidden: s.Hidden(w, r, more...)}
}

// Hidden returns the hidden field that every form of this browser carries.
func (s *Site) Hidden(w http.ResponseWriter, r *http.Request, more ...ui.Field) []ui.Field {
	mac := s.Secrets.MAC("csrf "+s.Issuer, []byte(s.Browser(w, r)))
	return append([]ui.Field{{Name: csrfField, Value: mask(mac)}}, more...)
}

// mask returns a value in a new spelling each time, a random half and its mixture with the
// value: a page that also contains text of a stranger's choice must not repeat a value, or
// compressed lengths would reveal it (BREACH, CVE-2013-3587).
func mask(mac storage.Digest) string {
	b := make([]byte, 2*len(mac))
	_, _ = rand.Read(b[:len(mac)]) // never fails: the program stops without randomness
	subtle.XORBytes(b[len(mac):], b[:len(mac)], mac[:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// unmask reverses mask, or returns an invalid value.
func unmask(value string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(b) != 2*len(storage.Digest{}) {
		return nil
	}
	mac := make([]byte, len(storage.Digest{}))
	subtle.XORBytes(mac, b[:len(mac)], b[len(mac):])
	return mac
}

// Guard passes a form to its handler only if a page of the provider posted it in this
// browser: the browser says that it comes from this origin, and the form holds a value that
// only this browser has. The value is not the session's: otherwise a sign-in in one tab
// would invalidate the forms of all others, such as those of the applications that a user
// opens in the morning. Where it matters, a form is bound to its user (the field user of
// the consent screen).
func (s *Site) Guard(act Handler) Handler { return s.guard(readForm, act) }

// IsOurs reports whether a form claims to be from a page of the provider; Guard verifies
// it. It reads the form.
func (s *Site) IsOurs(r *http.Request) (bool, error) {
	if err := readForm(r); err != nil {
		return false, err
	}
	return r.PostForm.Has(csrfField), nil
}

// guard is Guard with a function that reads the form.
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

// checkOrigin refuses a form of another site. If the browser sends no Sec-Fetch-Site,
// CrossOriginProtection compares the host of Origin, and accepts a page of the same host
// without TLS, which anybody on the network can forge.
func (s *Site) checkOrigin(r *http.Request) error {
	host := strings.TrimSuffix(s.Base.Host, map[string]string{"https": ":443", "http": ":80"}[s.Base.Scheme])
	for _, origin := range r.Header.Values("Origin") {
		if r.Header.Get("Sec-Fetch-Site") == "" && origin != s.Base.Scheme+"://"+host {
			return fmt.Errorf("form of %q", Truncate(origin, 128))
		}
	}
	return s.origin.Check(r)
}

// readForm parses the form of a page. No page of the provider sends another kind of body.
func readForm(r *http.Request) error {
	if err := input.ParseForm(r, MaxForm); err != nil {
		return formError(err)
	}
	if err := checkFields(r.PostForm, routeOf(r).Several); err != nil {
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	return nil
}

// formError is the error page for an unreadable form.
func formError(err error) error {
	var refused *protocol.Error
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) || errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge {
		return &PageError{Status: http.StatusRequestEntityTooLarge, Code: ui.ErrorTooLarge, Cause: err}
	}
	return &PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: err}
}

// checkQuery refuses an address that no page of the provider has. The authorization
// endpoint has its own rules.
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

// CheckFields refuses values that are not text, and repeated fields.
func CheckFields(form url.Values) error { return checkFields(form, "") }

var (
	errNotText  = errors.New("a parameter is not text")
	errRepeated = errors.New("a parameter is given more than once")
)

// checkFields refuses values that are not text, and repeated fields: two readers of one
// request might each believe another value. The field several may be repeated; all its
// values are read.
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

// IsText reports whether all fields are UTF-8 without NUL: databases store and compare
// nothing else.
func IsText(form url.Values) bool {
	bad := func(s string) bool { return !utf8.ValidString(s) || strings.Contains(s, "\x00") }
	for name, values := range form {
		if bad(name) || slices.ContainsFunc(values, bad) {
			return false
		}
	}
	return true
}
