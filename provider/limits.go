package provider

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Lifetimes limit sessions and tokens. In JSON each is text such as "90s", "15m" or "720h".
type Lifetimes struct {
	// Code is the lifetime of an authorization code, at most 10 minutes.
	// Defaults to 60 seconds.
	Code time.Duration `json:"code,omitempty"`

	// Device is how long a device can wait for its user (RFC 8628), at most 30 minutes.
	// Defaults to 5 minutes.
	Device time.Duration `json:"device,omitempty"`

	// AccessToken and IDToken are the lifetimes of such a token.
	// Defaults to 300 seconds.
	AccessToken time.Duration `json:"access_token,omitempty"`
	IDToken     time.Duration `json:"id_token,omitempty"`

	// RefreshToken is the lifetime of an unused refresh token.
	// Defaults to 7 days.
	RefreshToken time.Duration `json:"refresh_token,omitempty"`

	// Grant is how long an application can refresh its tokens before the user must sign in
	// again.
	// Defaults to 30 days.
	Grant time.Duration `json:"grant,omitempty"`

	// RefreshGrace is how long a used refresh token may be used again, as the first response
	// may have been lost. It ends as soon as a successor is used. Clock differences between
	// processes lengthen or shorten it by as much, to twice its length at most. Negative for
	// never: then any second use revokes the grant.
	// Defaults to 60 seconds, which outlasts the failover of a database.
	RefreshGrace time.Duration `json:"refresh_grace,omitempty"`

	// SessionIdle is how long an unused browser session lasts.
	// Defaults to 12 hours.
	SessionIdle time.Duration `json:"session_idle,omitempty"`

	// Session is how long any browser session lasts.
	// Defaults to 14 days.
	Session time.Duration `json:"session,omitempty"`

	// Flow is how long a user may take from the authorization request to the response.
	// Defaults to 1 hour.
	Flow time.Duration `json:"flow,omitempty"`

	// DeletionGrace is how long an account stays after its user has requested deletion, at
	// least an hour. Until then no token is issued for it, and the user can sign in and
	// keep it. Run deletes it afterwards.
	// Defaults to 14 days.
	DeletionGrace time.Duration `json:"deletion_grace,omitempty"`
}

func (l Lifetimes) withDefaults() Lifetimes {
	for _, f := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&l.Code, 60 * time.Second},
		{&l.Device, 5 * time.Minute},
		{&l.AccessToken, 300 * time.Second},
		{&l.IDToken, 300 * time.Second},
		{&l.RefreshToken, 7 * 24 * time.Hour},
		{&l.Grant, 30 * 24 * time.Hour},
		{&l.RefreshGrace, time.Minute},
		{&l.SessionIdle, 12 * time.Hour},
		{&l.Session, 14 * 24 * time.Hour},
		{&l.Flow, time.Hour},
		{&l.DeletionGrace, 14 * 24 * time.Hour},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if l.RefreshGrace < 0 {
		l.RefreshGrace = 0
	}
	return l
}

// validate returns an error for the first invalid field.
func (l Lifetimes) validate() error {
	for _, f := range []struct {
		name          string
		value, lowest time.Duration
	}{
		{"Code", l.Code, time.Second}, {"Device", l.Device, time.Minute}, {"AccessToken", l.AccessToken, time.Second},
		{"IDToken", l.IDToken, time.Second}, {"RefreshToken", l.RefreshToken, time.Second},
		{"Grant", l.Grant, l.RefreshToken}, {"SessionIdle", l.SessionIdle, time.Minute},
		{"Session", l.Session, l.SessionIdle}, {"Flow", l.Flow, time.Minute},
		{"DeletionGrace", l.DeletionGrace, time.Hour},
	} {
		if f.value < f.lowest {
			return wrongField("Lifetimes."+f.name, "%v is shorter than %v", f.value, f.lowest)
		}
	}
	if l.Device > 30*time.Minute {
		return wrongField("Lifetimes.Device", "%v is longer than 30m", l.Device)
	}
	if l.Code > 10*time.Minute {
		return wrongField("Lifetimes.Code", "%v is longer than 10m, the most that RFC 6749 section 4.1.2 recommends", l.Code)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (l Lifetimes) MarshalJSON() ([]byte, error) { return field.MarshalDurations(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Lifetimes) UnmarshalJSON(text []byte) error { return field.UnmarshalDurations(text, l) }

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
	// Defaults to 100 at once, one more every 3 s.
	SignIn Limit `json:"sign_in,omitzero"`

	// SignInAccount limits wrong passwords for one account, from all browsers together in
	// which it has not signed in before. While it is used up, its owner can sign in from a
	// known browser. Without it, many machines can try passwords as fast as they like.
	// Defaults to 10 at once, one more every minute.
	SignInAccount Limit `json:"sign_in_account,omitzero"`

	// SignUp limits sign-ups begun from one address.
	// Defaults to 100 at once, one more every 30 s.
	SignUp Limit `json:"sign_up,omitzero"`

	// Mail limits mailed codes requested from one address. Mails to one recipient have a fixed
	// limit, which bounds guesses at a code.
	// Defaults to 200 at once, one more every 15 s.
	Mail Limit `json:"mail,omitzero"`

	// Code limits wrong codes from one address. Each code can always be tried five times.
	// Defaults to 100 at once, one more every 10 s.
	Code Limit `json:"code,omitzero"`

	// Flow limits authorization requests of more than 512 bytes from one address. Each is a row of
	// the database until its flow has ended (Lifetimes.Flow). Shorter ones are not counted.
	// Defaults to 2000 at once, one more every second.
	Flow Limit `json:"flow,omitzero"`
}

// Limit allows Burst attempts at once, and then one more in each period of Every.
type Limit struct {
	// Burst is from 1 to 1,000,000, or negative for no limit.
	Burst int `json:"burst"`

	// Every is from 1 ms to 24 h; in JSON it is text such as "3s".
	Every time.Duration `json:"every,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (l Limit) MarshalJSON() ([]byte, error) { return field.MarshalDurations(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Limit) UnmarshalJSON(text []byte) error { return field.UnmarshalDurations(text, l) }

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
		{"SignIn", l.SignIn}, {"SignInAccount", l.SignInAccount}, {"SignUp", l.SignUp}, {"Mail", l.Mail}, {"Code", l.Code}, {"Flow", l.Flow},
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

// DPoP is how proofs of possession are accepted (RFC 9449), in the Standard dialect. An
// application whose token request has one gets tokens that are bound to its key.
type DPoP struct {
	// RequireNonce refuses proofs without a nonce of the provider of the last three minutes:
	// none was made long before. Clients repeat their first request.
	// Defaults to accepting a proof of the last minute as well.
	RequireNonce bool `json:"require_nonce,omitempty"`

	// Replay is "process" to keep in memory the proofs that come with access tokens, which
	// spares each request for data a write. A proof that somebody has overheard can then be
	// used once more at each other process.
	// Defaults to the database for all proofs.
	Replay string `json:"replay,omitempty"`
}

// replayInProcess is the Replay that needs no database.
const replayInProcess = "process"

func (d DPoP) validate() error {
	if d.Replay != "" && d.Replay != replayInProcess {
		return wrongField("DPoP.Replay", "%q is not %s", d.Replay, replayInProcess)
	}
	return nil
}

// proofs returns how the engine reads proofs of possession. Their address is the one that clients
// are told, whatever a request says about its host.
func (p *Provider) proofs() engine.Proofs {
	nonces := dpop.Nonces{Secrets: p.secrets, Purpose: "dpop nonce " + p.issuer}
	proofs := engine.Proofs{
		Reader: dpop.Reader{Nonces: nonces, NonceRequired: p.cfg.DPoP.RequireNonce}, DataUses: p.store,
		Target: func(r *http.Request) string { return p.cfg.BaseURL + web.PathOf(r) },
	}
	if p.cfg.DPoP.Replay == replayInProcess {
		proofs.DataUses = new(dpop.Seen)
	}
	return proofs
}
