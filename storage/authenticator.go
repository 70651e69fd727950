package storage

import (
	"context"
	"time"
)

// Passkey is a WebAuthn credential of an account.
type Passkey struct {
	// ID is the credential ID, unique among all accounts.
	ID        []byte
	AccountID string

	// UserHandle is that of its account, which gets it with its first passkey.
	UserHandle []byte

	// RPID is the relying party ID for which it was created.
	RPID string

	// Name is the owner's name for it.
	Name string

	// PublicKey is the COSE key.
	PublicKey []byte

	// Flags are all flags of the authenticator data of the last ceremony (WebAuthn Level 3
	// section 6.1), SignCount is its signature counter.
	Flags     byte
	SignCount uint32

	AAGUID     [16]byte
	Transports []string

	// Discoverable reports that it can sign in without an address first (credProps).
	Discoverable bool

	CreatedAt time.Time

	// LastUsedAt is zero for never.
	LastUsedAt time.Time
}

// TOTP is an authenticator app of an account.
type TOTP struct {
	// Secret is the shared secret; empty for no app.
	Secret []byte

	// Step is the time step of the last accepted code.
	Step int64

	CreatedAt time.Time

	// LastUsedAt is zero for never.
	LastUsedAt time.Time

	// Misses is the number of wrong codes since one was right, see CountTOTPMiss.
	Misses int
}

// MaxTOTPMisses is the number of wrong codes in a row from which no code of an app is accepted.
// Whoever knows the password and tries a few codes a day comes to a right one some day.
const MaxTOTPMisses = 100

// IsBarred reports whether no code of the app is accepted until its owner has proved something else.
func (t TOTP) IsBarred() bool { return t.Misses >= MaxTOTPMisses }

// RecoveryCodes is a set of recovery codes of an account.
type RecoveryCodes struct {
	// Salt goes into each digest.
	Salt []byte

	// Digests are the unspent codes.
	Digests []Digest

	// CreatedAt is zero for no set.
	CreatedAt time.Time
}

// TrustedDevice is a browser in which the account's second step is not asked.
type TrustedDevice struct {
	Digest    Digest
	AccountID string

	// UserAgent and Address are shown to the owner, as those of a Session.
	UserAgent string
	Address   string

	CreatedAt time.Time
	ExpiresAt time.Time
}

// AuthenticatorSet is what an account has beside its password, from one reading.
type AuthenticatorSet struct {
	// Account is the account in the same reading.
	Account Account

	// Passkeys are the earliest first.
	Passkeys []Passkey

	// Links are the earliest first.
	Links []Link

	TOTP     TOTP
	Recovery RecoveryCodes

	// Devices are the latest first, expired ones included until they are swept.
	Devices []TrustedDevice

	// Running is the recovery in progress, a lapsed one included until it is swept; its
	// AccountID is empty for none.
	Running Recovery
}

// FirstFactors are the factors with which an account is created.
type FirstFactors struct {
	Passkey  Passkey
	Link     Link
	Recovery RecoveryCodes

	// On is what the account rests on: a OneTimeCode, a Challenge.
	On Proof

	// Begin is the session of its owner, in place of the one with the digest Replaced; zero for
	// none.
	Begin    Session
	Replaced Digest
}

// Authenticators stores the passkeys, authenticator apps, recovery codes and trusted
// devices of accounts. Every change but a name rests on a proof, begins the next
// FactorsVersion of the account, removes its trusted devices and, if the account no longer
// has a passkey or an app, turns its second step off and removes its recovery codes, with the
// sessions by one.
// ErrChanged if the proof is of an earlier version of the account, ErrProof if another part
// of it does not hold, ErrNotFound if there is no such account, or no such authenticator.
type Authenticators interface {
	// Authenticators returns what an account has, from one state of the store. ErrNotFound
	// if there is no account.
	Authenticators(ctx context.Context, accountID string) (AuthenticatorSet, error)

	// Passkey returns the passkey with this ID and its account. ErrNotFound if there is none.
	Passkey(ctx context.Context, id []byte) (Passkey, Account, error)

	// AddPasskey adds a passkey. ErrConflict if any account has one with this ID, if the
	// account has another UserHandle, or another account this one; ErrLimit if the account
	// has limit of them.
	AddPasskey(ctx context.Context, p Passkey, limit int, on Proof) error

	// RenamePasskey names a passkey of an account. ErrNotFound if it has none with this ID.
	RenamePasskey(ctx context.Context, accountID string, id []byte, name string) error

	// RemovePasskey removes a passkey and ends the sessions in which it is a factor, all
	// but that of the proof. ErrLast if the account could no longer sign in.
	RemovePasskey(ctx context.Context, accountID string, id []byte, on Proof) error

	// SetTOTP records an app in place of the one before, turns the second step on, and ends the
	// sessions as RemoveTOTP does. A nonempty set of codes replaces the recovery codes as
	// SetRecoveryCodes does.
	SetTOTP(ctx context.Context, accountID string, t TOTP, codes RecoveryCodes, on Proof) error

	// CountTOTPMiss counts a wrong code of the app and returns how many there are now in a row, each
	// number once; zero for an account without an app. A proof with a TOTPStep, a Passkey or a
	// RecoveryCode that holds begins the count again, and so does SetTOTP.
	CountTOTPMiss(ctx context.Context, accountID string) (misses int, err error)

	// RemoveTOTP removes the app and ends the sessions in which a code of it is a factor, all
	// but that of the proof.
	RemoveTOTP(ctx context.Context, accountID string, on Proof) error

	// SetRecoveryCodes replaces the recovery codes and ends the sessions in which one is a factor,
	// all but that of the proof. ErrConflict for an account without a passkey and without an app.
	SetRecoveryCodes(ctx context.Context, accountID string, codes RecoveryCodes, on Proof) error

	// SetSecondStep turns the second step on or off. ErrConflict if it cannot be: on
	// without a passkey or an app, off with an app.
	SetSecondStep(ctx context.Context, accountID string, required bool, on Proof) error

	// RemovePassword removes the password and ends the sessions in which it is a factor, or
	// that have no factors, all but that of the proof. ErrLast if the account could no
	// longer sign in, ErrNotFound if it has no password.
	RemovePassword(ctx context.Context, accountID string, on Proof) error

	// TrustDevice records a device. It begins no FactorsVersion. ErrConflict if the digest
	// exists.
	TrustDevice(ctx context.Context, d TrustedDevice, on Proof) error

	// ForgetDevices removes one trusted device, or all with the zero Digest, and returns
	// their number.
	ForgetDevices(ctx context.Context, accountID string, digest Digest) (int, error)

	// ResetAuthenticators removes everything that an account has beside its password, its
	// recovery included, and ends its epoch with its sessions and grants. It rests on no
	// proof: it is the word of the host. ErrNotFound if there is no such account.
	ResetAuthenticators(ctx context.Context, accountID string, at time.Time) error
}
