// Package factor checks what a user presents as a factor of an account: a passkey, a code of
// an authenticator app, a recovery code, or the password. Nothing is written: what is right
// becomes part of the proof on which the caller's write rests, and is spent by it. The codes and
// challenges themselves are here, too.
package factor

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Checker checks factors.
type Checker struct{ Options }

// Options are the dependencies of a Checker.
type Options struct {
	// Party is the relying party of passkeys; nil if they are off.
	Party      *passkey.Party
	Challenges Challenges

	Store interface {
		Passkey(ctx context.Context, id []byte) (storage.Passkey, storage.Account, error)
		CountTOTPMiss(ctx context.Context, accountID string) (int, error)
	}

	// CheckPassword returns the account of an address and a password, or nil, or how long
	// to wait before another attempt.
	CheckPassword func(r *http.Request, email, presented string) (*storage.Account, time.Duration, error)

	// Known returns the identity of a browser in which the account has signed in before, or
	// "".
	Known func(r *http.Request, account storage.Account) string

	// Tell sends a notice to the owner of an account.
	Tell func(ctx context.Context, account storage.Account, v ui.MailView)

	Limits audit.Limits
	Audit  *audit.Log
	Clock  func() time.Time
}

// Presented is a factor that was right, and the part of a proof that it gives.
type Presented struct {
	Factor storage.Factor

	proof storage.Proof
	done  func(ctx context.Context, failed error)
}

// Join returns a proof that rests on the factor, too.
func (p Presented) Join(on storage.Proof) storage.Proof {
	on.At = p.proof.At
	if !p.proof.Challenge.IsZero() {
		on.Challenge, on.ChallengeUntil = p.proof.Challenge, p.proof.ChallengeUntil
	}
	if len(p.proof.Passkey.ID) > 0 {
		on.Passkey = p.proof.Passkey
	}
	if p.proof.TOTPStep != 0 {
		on.TOTPStep = p.proof.TOTPStep
	}
	if !p.proof.RecoveryCode.IsZero() {
		on.RecoveryCode = p.proof.RecoveryCode
	}
	return on
}

// Ended gives back the attempt that was counted against the limit, after the write that rests on
// the factor: a code that was right and is spent pays for no guesses, and neither does one whose
// write the database has failed. One that the write has refused stays counted.
func (p Presented) Ended(ctx context.Context, err error) {
	if p.done != nil && (err == nil || errors.Is(err, storage.ErrUnavailable)) {
		p.done(ctx, err)
	}
}

// Kept gives back the attempt of a factor that is yet to be spent: it pays for no guesses, or one
// right code would for any number of them.
func (p Presented) Kept(ctx context.Context) { p.Ended(ctx, storage.ErrUnavailable) }

// Rejected is why a factor was not accepted, for the page.
type Rejected struct {
	Problem ui.Problem

	// Unknown is the signal that no account has the passkey, in JSON for the page
	// (passkey.SignalUnknown); nil for none.
	Unknown []byte

	status int
	wait   time.Duration
}

// Status returns the status of the page, and has the response say how long to wait.
func (j *Rejected) Status(w http.ResponseWriter) int {
	if j.wait > 0 {
		return web.TooMany(w, j.wait)
	}
	return j.status
}

// Wrong is the answer to a factor that was right and is no longer, as the write that rests on
// it has found: the account has changed, or another request has spent it. It is the one to a
// factor that was wrong.
func Wrong(method storage.Method) *Rejected {
	return &Rejected{Problem: ui.Problem{Code: problemOf(method)}, status: http.StatusUnauthorized}
}

func problemOf(method storage.Method) ui.ProblemCode {
	switch method {
	case storage.TOTPCode:
		return ui.AppCodeWrong
	case storage.RecoveryCode:
		return ui.RecoveryCodeWrong
	case storage.Password:
		return ui.PasswordWrong
	default:
		return ui.PasskeyWrong
	}
}

// missing is the answer to an empty field.
func missing(code ui.ProblemCode) *Rejected {
	return &Rejected{Problem: ui.Problem{Code: code}, status: http.StatusUnprocessableEntity}
}

func throttled(wait time.Duration) *Rejected {
	return &Rejected{Problem: ui.Problem{Code: ui.TooManyAttempts, Count: int(math.Ceil(wait.Minutes()))}, wait: wait}
}

// caller is who presents a factor of an account.
func (c *Checker) caller(r *http.Request, account storage.Account) ratelimit.Key {
	return ratelimit.Key{Account: account.ID, Device: c.Known(r, account), At: c.Clock()}
}
