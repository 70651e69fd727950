package provider

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
)

// Limits throttle guesses and mails. All but one count by network address: an IPv4 address
// or an IPv6 network of 64 bits, and, with ten times the limit, an IPv6 network of 48 bits.
// The defaults suit a campus or an office behind a single address. A browser in which the
// account has signed in before is not counted by address.
//
// A zero field has its default. A negative Burst disables a limit, for a host that
// throttles in front of the provider. Otherwise nothing keeps one machine from trying a
// common password on every account, from sending mail to any number of strangers in the
// host's name, and from keeping the processors busy, as each password takes one some 20 ms.
type Limits struct {
	// SignIn limits wrong passwords from one address, for any accounts. Right ones do not
	// count.
	// Defaults to 100 at once, and one more every 3 s.
	SignIn Limit `json:"sign_in,omitzero"`

	// SignInAccount limits wrong passwords for one account, from all browsers together in
	// which it has not signed in before. While it is used up, its owner can sign in from a
	// known browser. Without it, many machines can try passwords as fast as they like.
	// Defaults to 10 at once, and one more every minute.
	SignInAccount Limit `json:"sign_in_account,omitzero"`

	// SignUp limits sign-ups begun from one address.
	// Defaults to 100 at once, and one more every 30 s.
	SignUp Limit `json:"sign_up,omitzero"`

	// Mail limits mailed codes requested from one address. Mails to one recipient have a
	// fixed limit, because it limits the guesses at a code.
	// Defaults to 200 at once, and one more every 15 s.
	Mail Limit `json:"mail,omitzero"`

	// Code limits wrong codes from one address. Each code can be tried five times; that
	// limit is fixed.
	// Defaults to 100 at once, and one more every 10 s.
	Code Limit `json:"code,omitzero"`
}

// Limit allows Burst attempts at once, and then one more in each period of Every.
type Limit struct {
	// Burst is from 1 to 1,000,000, or negative for no limit.
	Burst int `json:"burst"`

	// Every is from 1 ms to 24 h; in JSON it is text such as "3s".
	Every time.Duration `json:"every,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (l Limit) MarshalJSON() ([]byte, error) { return marshalDurations(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Limit) UnmarshalJSON(text []byte) error { return unmarshalDurations(text, l) }

// Allow counts an attempt at an action of the host's, such as a post to a Screen, and
// returns zero, or how long to wait if it is one too many. key identifies who tries, such
// as a user's ID; what names the limit, from a set that is fixed at program start. All
// processes on one store count together, before the outcome of the attempt is known. A
// Burst below one is no limit. While the store is unavailable, the error is
// storage.ErrUnavailable.
func (p Pages) Allow(ctx context.Context, what, key string, limit Limit) (wait time.Duration, err error) {
	if limit.Burst < 1 {
		return 0, nil
	}
	return p.limits.Allow(ctx, ratelimit.OfHost(what, ratelimit.Limit(limit)), ratelimit.Key{Account: key})
}

// actions returns the throttled actions with the host's limits.
func (l Limits) actions() account.Actions {
	perAccount := ratelimit.SignIn.PerAccount(l.SignInAccount.or(ratelimit.SignIn.ByAccount()))
	return account.Actions{
		SignIn:    perAccount.PerAddress(l.SignIn.or(perAccount.ByAddress())),
		SignUp:    ratelimit.SignUp.PerAddress(l.SignUp.or(ratelimit.SignUp.ByAddress())),
		SendMail:  ratelimit.SendMail.PerAddress(l.Mail.or(ratelimit.SendMail.ByAddress())),
		EnterCode: ratelimit.EnterCode.PerAddress(l.Code.or(ratelimit.EnterCode.ByAddress())),
	}
}

// or returns the limit: the default if it is zero, none if it is negative.
func (l Limit) or(byDefault ratelimit.Limit) ratelimit.Limit {
	switch {
	case l == (Limit{}):
		return byDefault
	case l.Burst < 0:
		return ratelimit.Limit{}
	default:
		return ratelimit.Limit(l)
	}
}

// Within these bounds the products of a limit do not overflow, and recorded times do not
// lie centuries ahead.
const (
	maxBurst = 1_000_000
	minEvery = time.Millisecond
	maxEvery = 24 * time.Hour
)

// validate returns an error for the first invalid field.
func (l Limits) validate() error {
	for _, f := range []struct {
		name string
		Limit
	}{
		{"SignIn", l.SignIn}, {"SignInAccount", l.SignInAccount}, {"SignUp", l.SignUp}, {"Mail", l.Mail}, {"Code", l.Code},
	} {
		switch {
		case f.Limit == (Limit{}) || f.Burst < 0:
		case f.Burst == 0 || f.Burst > maxBurst:
			return wrongField("Limits."+f.name+".Burst", "must be from 1 to %d, or below zero for no limit", maxBurst)
		case f.Every < minEvery || f.Every > maxEvery:
			return wrongField("Limits."+f.name+".Every", "%v is not from %v to %v", f.Every, minEvery, maxEvery)
		}
	}
	return nil
}
