package authflow

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// User is a signed-in user.
type User struct {
	host.User

	// Session is the session in which the user acts, Account its account; zero for a user
	// of the host.
	Session storage.Digest
	Account storage.Account

	// Factors are those of the session; none for a user of the host, a persona, and a session
	// of before they were recorded. Then User says how well the user has authenticated.
	Factors []storage.Factor
}

// SignedIn returns the signed-in user of a request, or nil.
func (e *flows) SignedIn(r *http.Request) (*User, error) {
	user, _, err := e.signedIn(r, false)
	return user, err
}

// signedIn is SignedIn; recent allows a cached session, and remembered reports one.
func (e *flows) signedIn(r *http.Request, recent bool) (u *User, remembered bool, err error) {
	if !e.hasAccounts() {
		user, err := host.SignedIn(r, e.Clock, e.Host.SignedIn)
		if user == nil || err != nil {
			return nil, false, err
		}
		return &User{User: *user}, false, nil
	}
	var s storage.Session
	var account storage.Account
	var ok bool
	if recent {
		s, account, ok, remembered, err = e.Sessions.Recent(r.Context(), r)
	} else {
		s, account, ok, err = e.Sessions.Current(r.Context(), r)
	}
	if err != nil || !ok {
		return nil, remembered, err
	}
	return e.userOf(s, account), remembered, nil
}

// userOf returns the user of a session of the embedded accounts.
func (e *flows) userOf(s storage.Session, account storage.Account) *User {
	user := &User{User: host.User{UserID: account.ID, AuthTime: s.AuthTime, AMR: s.AMR}, Session: s.Digest, Account: account, Factors: s.Factors}
	if e.Personas.Plays(account.ID) { // whose methods are whatever the sandbox says
		user.Assurance, user.Factors = assurance.Best(s.Factors).Level, nil
	}
	return user
}

// Authentication describes the sign-in of an account's owner by these factors. It rests on
// the account as it was read.
func Authentication(r *http.Request, account storage.Account, factors ...storage.Factor) session.Authentication {
	best := assurance.Best(factors)
	return session.Authentication{
		AccountID: account.ID, On: account.Proof(), At: best.At, AMR: best.AMR, Factors: factors,
		UserAgent: strings.ToValidUTF8(web.Truncate(r.UserAgent(), 256), ""), Address: request.Network(r.Context()),
	}
}

// Password returns the password of an account as a factor.
func (e *flows) Password(account storage.Account) storage.Factor {
	return storage.Factor{Method: storage.Password, At: e.Clock(), Since: account.PasswordChangedAt}
}

// whole is the authentication of a user without factors.
func (u *User) whole() assurance.Reached {
	level := u.Assurance
	if level == storage.AnyAssurance {
		level = authorization.LevelBy(u.AMR)
	}
	return assurance.Reached{Level: level, At: u.AuthTime, Since: u.Account.PasswordChangedAt, AMR: u.AMR}
}

// candidates returns what the user has reached; fresh reports which factors, or which whole
// authentication, count as new.
func (u *User) candidates(fresh freshness) []assurance.Candidate {
	if len(u.Factors) == 0 {
		whole := u.whole()
		return []assurance.Candidate{{Reached: whole, Fresh: fresh("", whole.At)}}
	}
	return assurance.Candidates(u.Factors, u.freshOnes(fresh))
}

// freshOnes returns the factors that count as new.
func (u *User) freshOnes(fresh freshness) []storage.Factor {
	return slices.DeleteFunc(slices.Clone(u.Factors), func(f storage.Factor) bool { return !fresh(f.Method, f.At) })
}

// freshness tells which factors of a user count as new: by their method, which is empty for
// an authentication without factors, and time.
type freshness func(method storage.Method, at time.Time) bool

// never is for factors of which none counts as new.
func never(storage.Method, time.Time) bool { return false }

// MeetsAt reports whether the user's authentication meets a requirement at a time.
func (u *User) MeetsAt(r assurance.Requirement, now time.Time) bool {
	return slices.ContainsFunc(u.candidates(never), func(c assurance.Candidate) bool { return c.Meets(r, now) })
}

// isFresh tells which factors of a user have been presented since the request arrived. The
// arrival of a cookie proves nothing about that time: the holder of an old session may omit
// it from the request and send it to the next page. So of the session that has begun on a
// page of this flow those count that were presented there, and else their times. That relies
// on clocks; a user who was seen as signed in, by whichever clock, needs another session,
// or, at the host, which has none, a later time.
func (f *Flow) isFresh(user *User, now time.Time) freshness {
	embedded := !user.Session.IsZero()
	if embedded && user.Session == f.begun {
		return func(method storage.Method, _ time.Time) bool {
			return method == "" || slices.Contains(f.presented, method)
		}
	}
	for _, seen := range f.seen {
		switch {
		case embedded && user.Session == seen.Session:
			return never
		case !embedded && user.UserID == seen.UserID:
			later := user.AuthTime.After(seen.AuthTime)
			return func(storage.Method, time.Time) bool { return later }
		}
	}
	return func(_ storage.Method, at time.Time) bool { return clock.Since(now, at, f.firstSeen) }
}
