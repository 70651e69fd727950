package ratelimit

import "time"

// Limit is the size of a bucket: Burst attempts at once, and one more after each
// Every. The zero Limit does not limit.
type Limit struct {
	Burst int
	Every time.Duration
}

// times returns a limit that is n times as large.
func (l Limit) times(n int) Limit {
	return Limit{Burst: l.Burst * n, Every: max(l.Every/time.Duration(n), time.Microsecond)}
}

// Action is an operation with rate limits. Actions do not share buckets.
type Action struct {
	name string

	account, device, address, pair Limit
}

// String returns the name of the action in the audit log.
func (a Action) String() string { return a.name }

// PerAddress returns the action with another limit per network address. The zero Limit
// removes it.
func (a Action) PerAddress(l Limit) Action { a.address = l; return a }

// PerAccount returns the action with another limit per account. The zero Limit removes
// it.
func (a Action) PerAccount(l Limit) Action { a.account = l; return a }

// OfHost returns an action of the host, with a limit per account. The name is written to the
// audit log: it must come from a fixed set.
func OfHost(name string, l Limit) Action { return Action{name: "host: " + name, account: l} }

// ByAddress returns the limit that PerAddress sets.
func (a Action) ByAddress() Limit { return a.address }

// ByAccount returns the limit that PerAccount sets.
func (a Action) ByAccount() Limit { return a.account }

// The actions of the provider with their default limits. A lecture hall of 60 people behind
// one address stays below those of an address: each may sign up, sign in, request a mail or
// two and mistype.
var (
	// SignIn is the check of a password.
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

	// SendMail is a request for a mail with a code; the account is the recipient. Its
	// limit also limits guesses: with five tries for each code, 4 mails at once and 16
	// a day allow 100 guesses at an account on the first day and 80 on each later one,
	// from all unknown devices together. NIST SP 800-63B-4 section 3.2.2 allows 100. A
	// code has eight digits: an attack on one account succeeds with a probability of
	// one in a million a day. An attack on 100,000 accounts, which takes 300 addresses
	// and 1.6 million mails a day, gets into one of them in twelve days.
	SendMail = Action{
		name:    "send mail",
		account: Limit{Burst: 4, Every: 90 * time.Minute},
		device:  Limit{Burst: 4, Every: 90 * time.Minute},
		address: Limit{Burst: 200, Every: 15 * time.Second},
	}

	// EnterCode is the check of an e-mailed code; the account identifies the code and
	// is not its digits. A code expires within a day, so that it has five tries, on
	// known devices as well.
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

	// DeviceCode is the code of a device, entered by a user, whose ID the account is. A right
	// one resets nothing. A thousand users who guess at a hundred live codes hit one in a year.
	DeviceCode = Action{
		name:    "device code",
		account: Limit{Burst: 5, Every: 2 * time.Minute},
		address: Limit{Burst: 10, Every: time.Minute},
	}

	// TransactionCode is an attempt at the six digits beside a code of an offer, which the account
	// identifies. The code lives for minutes, so that it has five tries.
	TransactionCode = Action{
		name:    "transaction code",
		account: Limit{Burst: 5, Every: time.Hour},
	}

	// BeginRecovery is the beginning of a recovery of the account whose ID the account is. Its
	// owner is told of each, and of each end: one mailed code must not lead to mails without end.
	BeginRecovery = Action{
		name:    "begin recovery",
		account: Limit{Burst: 5, Every: time.Hour},
	}

	// CallerCode is a code to be read out on the telephone, for the person whose ID the
	// account is. With five tries each, guesses at one person hit one in ten million a day.
	CallerCode = Action{
		name:    "caller code",
		account: Limit{Burst: 6, Every: 10 * time.Minute},
	}

	// ProveCaller is such a code, entered by a member of the staff, whose ID the account is.
	ProveCaller = Action{
		name:    "prove caller",
		account: Limit{Burst: 20, Every: 3 * time.Minute},
	}

	// StaffMail is a mail that the staff has sent to a person, whose ID the account is.
	StaffMail = Action{
		name:    "staff mail",
		account: Limit{Burst: 4, Every: 30 * time.Minute},
	}

	// Passkey is an answer of a passkey. None can be guessed: the limit is for the work.
	Passkey = Action{
		name:    "passkey",
		address: Limit{Burst: 100, Every: time.Second},
	}

	// ClientAuth is a failed client authentication; the account is the client ID, or
	// empty for an unknown one: made-up IDs would each add a row. It counts after the
	// check, and failures only: a client with the right secret never waits, whatever
	// others do in its name. The limit reduces noise; a secret of 32 bytes is not
	// guessed.
	ClientAuth = Action{
		name: "client authentication",
		pair: Limit{Burst: 20, Every: 3 * time.Second},
	}

	// Document is a fetch of the metadata document of a client that nobody has registered; the
	// account is its host, which others must not call through the provider at will.
	Document = Action{
		name:    "metadata document",
		account: Limit{Burst: 120, Every: 500 * time.Millisecond},
		address: Limit{Burst: 60, Every: 2 * time.Second},
	}

	// Register is a client that registers itself, which adds a row for a day, or one that is
	// registered with a token: the account, which has a number of its own.
	Register = Action{
		name:    "registration",
		account: Limit{Burst: 120, Every: 2 * time.Second},
		address: Limit{Burst: 20, Every: 45 * time.Second},
	}

	// Registration is a request about a registration by its program (RFC 7592), and
	// RegistrationChange one that replaces it; the account is its client ID, whose change log
	// it writes to and whose owners it may mail.
	Registration = Action{
		name:    "managed registration",
		account: Limit{Burst: 60, Every: 2 * time.Second},
		address: Limit{Burst: 60, Every: 2 * time.Second},
	}
	RegistrationChange = Action{
		name:    "change of a managed registration",
		account: Limit{Burst: 20, Every: time.Minute},
	}

	// Streams is a request of an application about its stream of events; one that fetches them has
	// many signed. The account is its client ID.
	Streams = Action{
		name:    "streams",
		account: Limit{Burst: 120, Every: 500 * time.Millisecond},
	}

	// Flow is a long authorization request of a browser, which adds a row until the flow
	// ends: some ten megabytes from one address at most of those that clients send, and a
	// hundred of the longest.
	Flow = Action{
		name:    "flow",
		address: Limit{Burst: 2000, Every: time.Second},
	}

	// Push is a pushed authorization request of a public client, as which anybody can
	// pose; the account is the client ID. The limit also limits the stored requests: at
	// most 300 from one address, of about one kilobyte each.
	Push = Action{
		name: "push",
		pair: Limit{Burst: 120, Every: 500 * time.Millisecond},
	}
)
