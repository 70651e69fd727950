package ratelimit

import "time"

// Limit is the size of a bucket: Burst attempts at once, and one more after each
// Every. The zero Limit is none.
type Limit struct {
	Burst int
	Every time.Duration
}

// times returns a limit that is n times as large.
func (l Limit) times(n int) Limit {
	return Limit{Burst: l.Burst * n, Every: max(l.Every/time.Duration(n), time.Microsecond)}
}

// Action is what a rate limit is for. No two actions share a bucket.
type Action struct {
	name string

	account, device, address, pair Limit
}

// String returns the name of the action in the audit log.
func (a Action) String() string { return a.name }

// PerAddress returns the action with another limit of one network address; with the
// zero Limit there is none.
func (a Action) PerAddress(l Limit) Action { a.address = l; return a }

// PerAccount returns the action with another limit of one account; with the zero
// Limit there is none.
func (a Action) PerAccount(l Limit) Action { a.account = l; return a }

// OfHost returns an action of the host's own, with a limit for each account. Its name comes
// from a set that is fixed when the program starts: it is in the audit log.
func OfHost(name string, l Limit) Action { return Action{name: "host: " + name, account: l} }

// ByAddress returns the limit that PerAddress sets.
func (a Action) ByAddress() Limit { return a.address }

// ByAccount returns the limit that PerAccount sets.
func (a Action) ByAccount() Limit { return a.account }

// The actions that are limited, with the limits that are in force when the host does
// not set others. Those of an address are such that a lecture hall of 60 behind one
// of them, all with their first account, does not notice: each of them may sign in,
// sign up, ask for a mail or two and mistype.
var (
	// SignIn is a password presented for an account.
	SignIn = Action{
		name:    "sign in",
		account: Limit{Burst: 10, Every: time.Minute},
		device:  Limit{Burst: 10, Every: 30 * time.Second},
		address: Limit{Burst: 100, Every: 3 * time.Second},
	}

	// SignUp is the creation of an account.
	SignUp = Action{
		name:    "sign up",
		address: Limit{Burst: 100, Every: 30 * time.Second},
	}

	// SendMail is a mail with a code, sent at someone's request; the account is
	// the recipient. What bounds the mails bounds the guesses: a code can be tried
	// five times, so 4 mails at once and 16 a day are at most 100 guesses at an
	// account on the first day and 80 on any later one, from all unknown devices
	// of the world together. NIST SP 800-63B-4 section 3.2.2 asks for no more than
	// 100. A code has eight digits, so that is one chance in a million a day for
	// one account that is attacked without pause; and whoever attacks 100,000
	// accounts at once, which takes 300 addresses, gets into one of them in twelve
	// days, with 1.6 million mails a day.
	SendMail = Action{
		name:    "send mail",
		account: Limit{Burst: 4, Every: 90 * time.Minute},
		device:  Limit{Burst: 4, Every: 90 * time.Minute},
		address: Limit{Burst: 200, Every: 15 * time.Second},
	}

	// EnterCode is a try to enter an e-mailed code; the account is what tells this
	// code from others, never its digits. No code lives for a day, and so each is
	// tried five times, at known devices as well.
	EnterCode = Action{
		name:    "enter code",
		account: Limit{Burst: 5, Every: 24 * time.Hour},
		address: Limit{Burst: 100, Every: 10 * time.Second},
	}

	// SecondFactor is a code of an app, or a recovery code, presented for an account, whose
	// ID the account is, by somebody who has proved something else. A code of six digits is
	// right in three steps of time at once: at most 149 guesses a day hit one in a million
	// with less than one chance in 2,200.
	SecondFactor = Action{
		name:    "second factor",
		account: Limit{Burst: 5, Every: 10 * time.Minute},
		device:  Limit{Burst: 5, Every: 10 * time.Minute},
	}

	// Passkey is an answer of a passkey. None can be guessed: the limit is for the work.
	Passkey = Action{
		name:    "passkey",
		address: Limit{Burst: 100, Every: time.Second},
	}

	// ClientAuth is a failure of a client to authenticate; the account is its
	// identifier, none for a name that nobody has: a stranger can make up any number,
	// and each would be a row. Only failures are counted, after the fact: a client that knows
	// its secret is never held up, whatever others do in its name. So every guess
	// is looked at, and what it holds up is the noise, not the guessing, which a
	// secret of 32 bytes needs nobody for.
	ClientAuth = Action{
		name: "client authentication",
		pair: Limit{Burst: 20, Every: 3 * time.Second},
	}

	// Push is an authorization request that a public client, which anybody can be, sends
	// ahead; the account is its identifier. What bounds the requests bounds what is kept
	// of them: at most 300 from one address, of some kilobyte each.
	Push = Action{
		name: "push",
		pair: Limit{Burst: 120, Every: 500 * time.Millisecond},
	}
)
