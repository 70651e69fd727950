package factor

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Check checks the factor of a form by a method: ui.FieldCode for a code of an app and for a
// recovery code, ui.FieldPasskey and ui.FieldChallenge for a passkey (either method),
// ui.FieldPassword for the password. The set is from the reading of the account on which the
// caller's proof rests.
//
// Wrong codes are counted for the account, in a bucket of their own, so that they never lock
// the password out; that of a browser in which the account has signed in is another. A code
// is counted before it is looked at, see Presented.Accepted.
func (c *Checker) Check(r *http.Request, set storage.AuthenticatorSet, method storage.Method) (Presented, *Rejected, error) {
	switch method {
	case storage.Password:
		return c.password(r, set)
	case storage.TOTPCode:
		return c.code(r, set, method, func(entered string) (Presented, bool) {
			step, ok := TOTPStep(set.TOTP.Secret, entered, c.Clock(), set.TOTP.Step)
			return Presented{proof: storage.Proof{TOTPStep: step}, Factor: storage.Factor{Since: set.TOTP.CreatedAt}}, ok
		})
	case storage.RecoveryCode:
		return c.code(r, set, method, func(entered string) (Presented, bool) {
			digest, ok := RecoveryDigest(set.Recovery.Salt, entered)
			ok = ok && slices.Contains(set.Recovery.Digests, digest)
			return Presented{proof: storage.Proof{RecoveryCode: digest}, Factor: storage.Factor{Since: set.Recovery.CreatedAt}}, ok
		})
	default:
		return c.passkey(r, set)
	}
}

// password checks the password of an account.
func (c *Checker) password(r *http.Request, set storage.AuthenticatorSet) (Presented, *Rejected, error) {
	entered := r.PostForm.Get(ui.FieldPassword)
	if entered == "" {
		return Presented{}, missing(ui.PasswordMissing), nil
	}
	account, wait, err := c.CheckPassword(r, set.Account.Email, entered)
	switch {
	case err != nil:
		return Presented{}, nil, err
	case wait > 0:
		return Presented{}, throttled(wait), nil
	case account == nil || account.ID != set.Account.ID:
		return Presented{}, Wrong(storage.Password), nil
	}
	now := c.Clock()
	return Presented{
		Factor: storage.Factor{Method: storage.Password, At: now, Since: account.PasswordChangedAt},
		proof:  storage.Proof{At: now},
	}, nil, nil
}

// code checks a code of an account.
func (c *Checker) code(
	r *http.Request, set storage.AuthenticatorSet, method storage.Method, check func(entered string) (Presented, bool),
) (Presented, *Rejected, error) {
	ctx, entered := r.Context(), r.PostForm.Get(ui.FieldCode)
	if entered == "" {
		if method == storage.RecoveryCode {
			return Presented{}, missing(ui.RecoveryCodeMissing), nil
		}
		return Presented{}, missing(ui.AppCodeMissing), nil
	}
	by := c.caller(r, set.Account)
	wait, err := c.Limits.Allow(ctx, ratelimit.SecondFactor, by)
	if err != nil {
		return Presented{}, nil, err
	}
	if wait > 0 {
		return Presented{}, throttled(wait), nil
	}
	presented, ok := check(entered)
	if !ok {
		return Presented{}, Wrong(method), c.wrong(ctx, set.Account, method)
	}
	presented.Factor.Method, presented.Factor.At = method, by.At
	presented.proof.At = by.At
	presented.done = func(ctx context.Context, failed error) {
		if failed != nil {
			c.Limits.GiveBack(ctx, ratelimit.SecondFactor, by)
			return
		}
		c.Limits.Reset(ctx, ratelimit.SecondFactor, by)
	}
	return presented, nil, nil
}

// warnAt is the number of wrong codes of an app in a row of which the owner is told.
const warnAt = 10

// wrong records a wrong code. Those of an app are few enough to be guessed in the long run, by
// somebody who knows the password: they are counted until one is right, and the owner is told.
func (c *Checker) wrong(ctx context.Context, account storage.Account, method storage.Method) error {
	if method != storage.TOTPCode {
		c.failed(ctx, account, method, nil)
		return nil
	}
	misses, err := audit.StepIf(ctx, c.Audit, func(ctx context.Context) (int, error) {
		return c.Store.CountTOTPMiss(ctx, account.ID)
	}, failure(account, method))
	if err != nil {
		return fmt.Errorf("count wrong code: %w", err)
	}
	switch misses {
	case warnAt:
		c.Tell(ctx, account, ui.MailView{Kind: ui.MailAppGuessed})
	case storage.MaxTOTPMisses:
		c.Tell(ctx, account, ui.MailView{Kind: ui.MailAppBarred})
	}
	return nil
}

// failure is the event of a wrong factor of an account.
func failure(account storage.Account, method storage.Method) storage.Event {
	return storage.Event{Name: event.SignInFailed, Subject: account.ID, Detail: "wrong " + nameOf(method)}
}

// failed records that somebody who has proved something else has presented a wrong factor.
// The cause, which may be nil, is for the operator's log.
func (c *Checker) failed(ctx context.Context, account storage.Account, method storage.Method, cause error) {
	c.log(ctx, cause)
	c.Audit.Record(ctx, failure(account, method))
}

// log tells the operator why an answer was not accepted: its rule, and no secret.
func (c *Checker) log(ctx context.Context, why error) {
	if why != nil {
		c.Audit.Logger.InfoContext(ctx, "factor not accepted", slog.Any("error", why))
	}
}

// nameOf is the name of a method in the audit log.
func nameOf(method storage.Method) string {
	switch method {
	case storage.TOTPCode:
		return "app code"
	case storage.RecoveryCode:
		return "recovery code"
	case storage.Password:
		return "password"
	default:
		return "passkey"
	}
}
