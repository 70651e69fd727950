package provider

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
)

// Limits bound how often somebody may guess, and have mail sent. All but one count by
// network address: one of IPv4, or a network of 64 bits of IPv6, and, with ten times
// the limit, one of 48 bits. The defaults suit a campus or an office behind a single
// address. A browser in which the account that it is about has signed in before is not
// counted by address.
//
// A zero field has its default. One with a Burst below zero is no limit at all, for a
// host that has one in front of the provider. Without that, nothing then keeps one
// machine from trying a common password on every account, from having mail sent to any
// number of strangers in the host's name, and from keeping the processors busy, as
// each password takes one some 20 ms.
type Limits struct {
	// SignIn is how many wrong passwords an address may try, for whatever accounts.
	// One that is right is not counted.
	// Defaults to 100 at once, and one more every 3 s.
	SignIn Limit `json:"sign_in,omitzero"`

	// SignInAccount is how many wrong passwords may be tried for one account from
	// all browsers together in which it has not signed in before. While it is used up
	// its owner can sign in in a browser that is known. Without it, many machines can
	// try a password as fast as they like.
	// Defaults to 10 at once, and one more every minute.
	SignInAccount Limit `json:"sign_in_account,omitzero"`

	// SignUp is how often an address may begin a new account.
	// Defaults to 100 at once, and once more every 30 s.
	SignUp Limit `json:"sign_up,omitzero"`

	// Mail is how many mails with a code an address may ask for. How many one
	// recipient gets is not for the host to set: the number of guesses at a code rests
	// on it.
	// Defaults to 200 at once, and one more every 15 s.
	Mail Limit `json:"mail,omitzero"`

	// Code is how many wrong codes an address may enter. That each code can be tried
	// five times is not for the host to set.
	// Defaults to 100 at once, and one more every 10 s.
	Code Limit `json:"code,omitzero"`
}

// Limit is so many attempts at once, and one more Every so often.
type Limit struct {
	// Burst is from 1 to 1,000,000, or below zero for no limit.
	Burst int `json:"burst"`

	// Every is from 1 ms to 24 h; in JSON it is a text such as "3s".
	Every time.Duration `json:"every,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (l Limit) MarshalJSON() ([]byte, error) { return marshalDurations(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Limit) UnmarshalJSON(text []byte) error { return unmarshalDurations(text, l) }

// Allow counts an attempt at something of the host's own, such as what is posted on a
// Screen, and returns zero, or how long to wait when it is one too many. key is who tries,
// such as a user's ID; what names the limit, and is from a set that is fixed when the
// program starts. All processes on one store count together, before anybody knows how the
// attempt ends. A limit with a Burst below one is none. While the store cannot be asked the
// error is storage.ErrUnavailable.
func (p Pages) Allow(ctx context.Context, what, key string, limit Limit) (wait time.Duration, err error) {
	if limit.Burst < 1 {
		return 0, nil
	}
	return p.limits.Allow(ctx, ratelimit.OfHost(what, ratelimit.Limit(limit)), ratelimit.Key{Account: key})
}

// actions returns what is limited, with the limits of the host.
func (l Limits) actions() account.Actions {
	perAccount := ratelimit.SignIn.PerAccount(l.SignInAccount.or(ratelimit.SignIn.ByAccount()))
	return account.Actions{
		SignIn:    perAccount.PerAddress(l.SignIn.or(perAccount.ByAddress())),
		SignUp:    ratelimit.SignUp.PerAddress(l.SignUp.or(ratelimit.SignUp.ByAddress())),
		SendMail:  ratelimit.SendMail.PerAddress(l.Mail.or(ratelimit.SendMail.ByAddress())),
		EnterCode: ratelimit.EnterCode.PerAddress(l.Code.or(ratelimit.EnterCode.ByAddress())),
	}
}

// or returns the limit, that of the default when it is zero, or none.
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

// A limit is such that what it is multiplied with does not overflow, and that what is
// noted down does not lie centuries ahead.
const (
	maxBurst = 1_000_000
	minEvery = time.Millisecond
	maxEvery = 24 * time.Hour
)

// validate names the first field that cannot work.
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
