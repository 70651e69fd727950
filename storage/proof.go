package storage

import "time"

// Method is the kind of a factor.
type Method string

// The kinds of factors.
const (
	// Password is the password of the account.
	Password Method = "password"

	// PasskeyVerified is a passkey whose authenticator has verified the user, by a
	// fingerprint or a PIN.
	PasskeyVerified Method = "passkey"

	// PasskeyPresent is a passkey whose authenticator has only found somebody present.
	PasskeyPresent Method = "security_key"

	// TOTPCode is a code of an authenticator app (RFC 6238).
	TOTPCode Method = "totp"

	// RecoveryCode is one of the account's recovery codes.
	RecoveryCode Method = "recovery_code"

	// Upstream is a sign-in at an upstream provider with which the account is linked.
	Upstream Method = "upstream"
)

// Factor is one proof of who the user is, given in a session.
type Factor struct {
	Method Method `json:"m"`

	// At is the time of the proof.
	At time.Time `json:"t"`

	// Since is when the account got what was proved: its password, passkey, app or codes.
	Since time.Time `json:"s"`

	// Credential is the ID of the passkey, the digest of the link, or nil.
	Credential []byte `json:"c,omitempty"`

	// Level is what the host believes of a sign-in at an upstream provider beyond one
	// factor; zero for nothing more.
	Level Assurance `json:"l,omitempty"`

	// Undated reports that an upstream provider has not said when the user authenticated
	// there, and that the account has a factor whose time is known: At is that of the return,
	// and no proof that anybody was present.
	Undated bool `json:"n,omitempty"`
}

// Assurance says how sure it is who the user is. The levels are ordered: who has reached
// one has reached those below.
type Assurance uint8

// The levels of assurance.
const (
	// AnyAssurance is no requirement.
	AnyAssurance Assurance = 0

	// OneFactor is any one factor, such as a password.
	OneFactor Assurance = 1

	// TwoFactors is two factors of different kinds.
	TwoFactors Assurance = 2

	// PhishingResistant is a passkey whose authenticator has verified the user.
	PhishingResistant Assurance = 3
)

// Proof is what a write about an account rests on. Every part must hold in the write, and
// what can be spent is spent by it. Epoch and FactorsVersion are always compared; of the
// others those that are set.
type Proof struct {
	// Epoch and FactorsVersion are those of the account that was read. ErrChanged if it
	// has others.
	Epoch          int64 `json:",omitzero"`
	FactorsVersion int64 `json:",omitzero"`

	// Session is a session of the account that must not have ended.
	Session Digest `json:",omitzero"`

	// Challenge is an identifier that must not be used: it is used until ChallengeUntil, as
	// with UseID at the time At.
	Challenge      Digest    `json:",omitzero"`
	ChallengeUntil time.Time `json:",omitzero"`

	// Passkey was used: the account still has it, and its use is recorded.
	Passkey PasskeyUse `json:",omitzero"`

	// TOTPStep is the time step of the code that was right. It must be greater than the
	// last one (RFC 6238 section 5.2), which it becomes, and the app must not be barred.
	TOTPStep int64 `json:",omitzero"`

	// RecoveryCode is an unspent recovery code, which is removed.
	RecoveryCode Digest `json:",omitzero"`

	// OneTimeCode is a mailed code, of any purpose and not expired at At, which is removed.
	OneTimeCode Digest `json:",omitzero"`

	// Device is a trusted device of the account, in force at At.
	Device Digest `json:",omitzero"`

	// Link is a link of the account, whose use is recorded.
	Link Digest `json:",omitzero"`

	// At is the time of the proof.
	At time.Time `json:",omitzero"`
}

// PasskeyUse is one use of a passkey; zero for none.
type PasskeyUse struct {
	ID        []byte
	SignCount uint32
	Flags     byte
}

// Proof returns the proof that rests on the account as it was read.
func (a Account) Proof() Proof { return Proof{Epoch: a.Epoch, FactorsVersion: a.FactorsVersion} }
