package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// User is a signed-in user.
type User struct {
	UserID   string
	AuthTime time.Time
	AMR      []string

	// SessionID names the user's session, or is empty.
	SessionID string

	// Assurance is the level of the authentication; AnyAssurance for what follows from AMR.
	Assurance storage.Assurance
}

// maxUserID is the longest subject (OpenID Connect Core section 2).
const maxUserID = 255

var errUserID = errors.New("UserID: must be 1 to 255 printable ASCII characters, without spaces")

// CheckUserID refuses an invalid subject. Bytes that are not UTF-8 would become the same
// character in JSON, and several users one.
func CheckUserID(id string) error {
	if id == "" || len(id) > maxUserID || !registry.IsPrintableASCII(id) {
		return errUserID
	}
	return nil
}

// The methods of an authentication are words: the registered ones have four letters.
const (
	maxMethods = 16
	maxMethod  = 64
)

// checkMethods refuses an invalid list of methods (RFC 8176 section 2).
func checkMethods(amr []string) error {
	if len(amr) > maxMethods {
		return fmt.Errorf("AMR: has more than %d methods", maxMethods)
	}
	for i, method := range amr {
		if method == "" || len(method) > maxMethod || !registry.IsPrintableASCII(method) {
			return fmt.Errorf("AMR[%d]: must be 1 to %d printable ASCII characters, without spaces", i, maxMethod)
		}
	}
	return nil
}

// maxSessionID is the length of cookies that hold a whole session.
const maxSessionID = 4096

// checkSessionID refuses an identifier that would be cut off.
func checkSessionID(id string) error {
	if len(id) > maxSessionID {
		return fmt.Errorf("SessionID: has more than %d bytes", maxSessionID)
	}
	return nil
}

// checkAuthTime refuses an impossible time of authentication. It would be signed into ID tokens,
// and one in the future would be newer than every request for a fresh sign-in.
func checkAuthTime(now, at time.Time) error {
	switch {
	case at.IsZero():
		return errors.New("AuthTime is missing")
	case at.Unix() <= 0:
		return fmt.Errorf("AuthTime %s is not after 1970", at.UTC().Format(time.RFC3339))
	case clock.Ahead(now, at):
		return fmt.Errorf("AuthTime %s lies more than a minute in the future", at.UTC().Format(time.RFC3339))
	}
	return nil
}

// checkAssurance refuses a level that there is not.
func checkAssurance(level storage.Assurance) error {
	if level > storage.PhishingResistant {
		return fmt.Errorf("%d is no level of assurance", level)
	}
	return nil
}

type signedInKey struct{}

// SignedIn asks the host once for the signed-in user of a request, and refuses impossible
// answers. It returns nil for nobody.
func SignedIn(r *http.Request, now func() time.Time, ask func(*http.Request) (User, error)) (*User, error) {
	always := func(*User) bool { return true }
	return Once(r.Context(), signedInKey{}, always, func() (*User, error) {
		user, err := Call(r.Context(), func(ctx context.Context) (User, error) { return ask(r.WithContext(ctx)) })
		if err == nil && user.UserID == "" {
			return nil, nil
		}
		if err == nil {
			err = cmp.Or(checkAssurance(user.Assurance), CheckUserID(user.UserID), checkMethods(user.AMR), checkAuthTime(now(), user.AuthTime), checkSessionID(user.SessionID))
		}
		if err != nil {
			return nil, fmt.Errorf("%w: SignedIn: %w", ErrFailed, err)
		}
		user.AMR = slices.Clone(user.AMR)                        // the host may go on with its own
		user.AuthTime = user.AuthTime.Truncate(time.Microsecond) // as a flow remembers it
		if user.AuthTime.Nanosecond() == 0 {
			// Counted in whole seconds, an authentication in this second must not
			// look older than a request that came earlier in it.
			user.AuthTime = user.AuthTime.Add(time.Second - time.Microsecond)
		}
		return &user, nil
	})
}
