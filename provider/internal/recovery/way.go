package recovery

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// way is what the reader of the mailbox proves beside it.
type way = screens.RecoveryWay

// The ways, the best first.
const (
	passkeyWay  = screens.WayPasskey
	appWay      = screens.WayApp
	codeWay     = screens.WayCode
	passwordWay = screens.WayPassword
	waitWay     = screens.WayWait
)

// finishPath is the page on which the new password is chosen.
const finishPath = "/recover/finish"

// finishWithin is how long a recovery can be finished after its wait.
const finishWithin = 7 * 24 * time.Hour

// path is that of the page of a way.
func path(w way) string { return "/recover/" + string(w) }

// methodOf is the method of a factor.
func methodOf(w way) storage.Method {
	switch w {
	case appWay:
		return storage.TOTPCode
	case codeWay:
		return storage.RecoveryCode
	default:
		return storage.PasskeyVerified
	}
}

// needsMore reports whether the mailbox alone is not enough for a new password.
func needsMore(set storage.AuthenticatorSet) bool {
	has := assurance.Of(set)
	return has.Passkey || has.TOTP || set.Account.SecondStep
}

// isRunning reports whether a recovery is in progress: its wait, or the time after it.
func isRunning(run storage.Recovery, now time.Time) bool {
	return run.AccountID != "" && now.Before(run.EndsAt)
}

// isReady reports whether a recovery can be finished.
func isReady(run storage.Recovery, now time.Time) bool {
	return isRunning(run, now) && (!now.Before(run.ReadyAt) || !run.ApprovedAt.IsZero())
}

// waysOf returns the ways of an account, the best first. While it waits, the password is one
// only if it shortens the wait.
func (p *Pages) waysOf(set storage.AuthenticatorSet, now time.Time) []way {
	var ways []way
	has := assurance.Of(set)
	if len(p.Factors.Party.Usable(set.Passkeys)) > 0 {
		ways = append(ways, passkeyWay)
	}
	if has.TOTP {
		ways = append(ways, appWay)
	}
	if has.RecoveryCodes {
		ways = append(ways, codeWay)
	}
	running := isRunning(set.Running, now)
	if p.hasOldPassword(set.Account, now) && p.WithPassword < p.Wait && (!running || now.Add(p.WithPassword).Before(set.Running.ReadyAt)) {
		ways = append(ways, passwordWay)
	}
	if !running {
		ways = append(ways, waitWay)
	}
	return ways
}

// hasOldPassword reports whether the password can stand for its owner: whoever reads the
// mailbox did not set it within the wait (NIST SP 800-63B-4 section 4.2.2.2).
func (p *Pages) hasOldPassword(a storage.Account, now time.Time) bool {
	return a.PasswordHash != "" && clock.Elapsed(now, a.PasswordChangedAt) >= p.Wait
}

// wait is that of a way, zero for one that has none.
func (p *Pages) wait(w way) time.Duration {
	switch w {
	case passwordWay:
		return p.WithPassword
	case waitWay:
		return p.Wait
	default:
		return 0
	}
}

// next is the page to which the mailed code leads.
func (p *Pages) next(set storage.AuthenticatorSet, now time.Time) string {
	switch {
	case !needsMore(set), isReady(set.Running, now):
		return finishPath
	case isRunning(set.Running, now):
		return path(waitWay)
	default:
		return path(p.waysOf(set, now)[0])
	}
}
