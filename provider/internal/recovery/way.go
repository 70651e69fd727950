package recovery

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// way is what the reader of the mailbox proves beside it.
type way = screens.RecoveryWay

// The ways.
const (
	passkeyWay  = screens.WayPasskey
	appWay      = screens.WayApp
	codeWay     = screens.WayCode
	passwordWay = screens.WayPassword
	waitWay     = screens.WayWait
)

// choosePath is the page on which the way is chosen.
const choosePath = "/recover/ways"

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
func needsMore(set standing) bool {
	has := assurance.Of(set.AuthenticatorSet)
	return has.Passkey || has.TOTP || set.Account.SecondStep
}

// standing is what an account has when a page is opened.
type standing struct {
	storage.AuthenticatorSet

	now time.Time

	// certain has come for certain (storage.Clock): a wait is over only then. A process whose
	// clock is ahead would hand an account to whoever reads its mailbox, before its owner could
	// object.
	certain time.Time
}

// stand returns what an account has now. storage.ErrNotFound if there is none.
func (p *Pages) stand(ctx context.Context, accountID string) (s standing, err error) {
	if s.AuthenticatorSet, err = p.Store.Authenticators(ctx, accountID); err != nil {
		return s, fmt.Errorf("read authenticators: %w", err)
	}
	s.now = p.Clock()
	s.certain, err = p.CertainTime(ctx)
	return s, err
}

// isRunning reports whether a recovery is in progress: its wait, or the time after it.
func isRunning(run storage.Recovery, now time.Time) bool {
	return run.AccountID != "" && now.Before(run.EndsAt)
}

func (s standing) isRunning() bool { return isRunning(s.Running, s.now) }

// isReady reports whether a recovery can be finished.
func (s standing) isReady() bool {
	run := s.Running
	return s.isRunning() && (!s.certain.Before(run.ReadyAt) || !run.ReadyAt.After(run.StartedAt) || !run.ApprovedAt.IsZero())
}

// waysOf returns the ways of an account: first those for who has lost a passkey or an app, the
// quickest first. While it waits, the password is one only if it shortens the wait.
func (p *Pages) waysOf(set standing) []way {
	var ways []way
	has := assurance.Of(set.AuthenticatorSet)
	if has.RecoveryCodes {
		ways = append(ways, codeWay)
	}
	running := set.isRunning()
	if p.hasOldPassword(set) && p.WithPassword < p.Wait && (!running || set.now.Add(p.WithPassword).Before(set.Running.ReadyAt)) {
		ways = append(ways, passwordWay)
	}
	if !running {
		ways = append(ways, waitWay)
	}
	if has.TOTP && !has.TOTPBarred {
		ways = append(ways, appWay)
	}
	if len(p.Factors.Party.Usable(set.Passkeys)) > 0 {
		ways = append(ways, passkeyWay)
	}
	return ways
}

// hasOldPassword reports whether the password can stand for its owner: whoever reads the
// mailbox did not set it within the wait (NIST SP 800-63B-4 section 4.2.2.2).
func (p *Pages) hasOldPassword(set standing) bool {
	return set.Account.PasswordHash != "" && clock.Elapsed(set.certain, set.Account.PasswordChangedAt) >= p.Wait
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
func (p *Pages) next(set standing) string {
	switch {
	case !needsMore(set), set.isReady():
		return finishPath
	case set.isRunning():
		return path(waitWay)
	}
	if ways := p.waysOf(set); len(ways) == 1 {
		return path(ways[0])
	}
	return choosePath
}
