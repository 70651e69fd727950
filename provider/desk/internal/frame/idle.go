package frame

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// idle is after how long without a request somebody signs in again: whoever finds the browser of
// a member of the staff who has left sees no people.
const idle = 15 * time.Minute

// sealedUse is the purpose for which the time of the last request is sealed.
const sealedUse = "desk use"

// isIdle reports whether the last request of who asks is too long ago, or not known: the cookie
// that says so proves a use, and its removal proves none. Then only a sign-in of the same time
// is enough.
func (r *Request) isIdle() bool {
	sealed, err := base64.RawURLEncoding.DecodeString(r.Frame.cookies.Get(r.Request, session.Staff))
	if err != nil || len(sealed) == 0 || len(sealed) > maxCursor {
		return true
	}
	plain, err := r.Frame.Provider.Keys().Open(sealedUse, sealed)
	if err != nil {
		return true
	}
	of, at, _ := strings.Cut(string(plain), "\x00")
	seconds, err := strconv.ParseInt(at, 10, 64)
	return err != nil || of != r.used() || !clock.Within(r.Frame.Now(), time.Unix(seconds, 0), idle)
}

// noteUse has the browser keep the time of this request.
func (r *Request) noteUse() {
	plain := r.used() + "\x00" + strconv.FormatInt(r.Frame.Now().Unix(), 10)
	sealed := r.Frame.Provider.Keys().Seal(sealedUse, []byte(plain))
	r.Frame.cookies.Set(r.Writer, session.Staff, base64.RawURLEncoding.EncodeToString(sealed), idle)
}

// used names who asks, and the sign-in of a user: another one begins anew. A sandbox may have the
// same secret. Of somebody whom the host admits it may not know the moment to the second.
func (r *Request) used() string {
	of := strconv.Quote(r.Frame.Provider.Issuer()) + strconv.Quote(r.Staff.ID)
	if r.Frame.Admit == nil {
		of += strconv.FormatInt(r.User.AuthTime.Unix(), 10)
	}
	return of
}
