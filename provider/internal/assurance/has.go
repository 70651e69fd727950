package assurance

import (
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// Has is what an account can present.
type Has struct {
	Password, Passkey, Link, TOTP, RecoveryCodes bool

	// TOTPBarred reports that the app, which counts for what the account can reach, is no way to it.
	TOTPBarred bool

	// PasswordSince and its like are since when it has had each; of several passkeys, and of
	// several links to upstream providers, the earliest.
	PasswordSince, PasskeySince, LinkSince, TOTPSince, RecoveryCodesSince time.Time
}

// SignsIn reports whether the account can begin with one factor: a password or a link.
func (h Has) SignsIn() bool { return h.Password || h.Link }

// Of returns what an account can present.
func Of(set storage.AuthenticatorSet) Has {
	h := Has{
		Password: set.Account.PasswordHash != "", Passkey: len(set.Passkeys) > 0, Link: len(set.Links) > 0,
		TOTP: len(set.TOTP.Secret) > 0, RecoveryCodes: len(set.Recovery.Digests) > 0,
		TOTPBarred:    set.TOTP.IsBarred(),
		PasswordSince: set.Account.PasswordChangedAt, TOTPSince: set.TOTP.CreatedAt, RecoveryCodesSince: set.Recovery.CreatedAt,
	}
	for i, k := range set.Passkeys {
		if i == 0 || k.CreatedAt.Before(h.PasskeySince) {
			h.PasskeySince = k.CreatedAt
		}
	}
	if h.Link {
		h.LinkSince = set.Links[0].CreatedAt // the earliest is the first
	}
	return h
}

// For returns what of it the account has had for some time.
func (h Has) For(enrolled time.Duration, now time.Time) Has {
	if enrolled <= 0 {
		return h
	}
	had := func(since time.Time) bool { return clock.Elapsed(now, since) >= enrolled }
	h.Password = h.Password && had(h.PasswordSince)
	h.Passkey = h.Passkey && had(h.PasskeySince)
	h.Link = h.Link && had(h.LinkSince)
	h.TOTP = h.TOTP && had(h.TOTPSince)
	h.RecoveryCodes = h.RecoveryCodes && had(h.RecoveryCodesSince)
	return h
}

// Highest returns the highest level that the account can reach. A recovery code does not
// count: it replaces a factor that is lost.
func (h Has) Highest() storage.Assurance {
	switch {
	case h.Passkey:
		return storage.PhishingResistant
	case h.SignsIn() && h.TOTP:
		return storage.TwoFactors
	case h.SignsIn():
		return storage.OneFactor
	default:
		return storage.AnyAssurance
	}
}

// Ways returns the methods of which each takes the user on to the requirement, the best
// first, given the factors that are still new enough. Passkey stands for both of its methods.
// It is empty if the account cannot meet the requirement.
func (h Has) Ways(r Requirement, factors []storage.Factor, now time.Time) []storage.Method {
	h = h.For(r.Enrolled, now)
	var ways []storage.Method
	if h.Passkey {
		ways = append(ways, storage.PasskeyVerified)
	}
	if !h.SignsIn() {
		return ways
	}
	beside := h.TOTP || h.RecoveryCodes || h.Passkey
	switch {
	case r.Level <= storage.OneFactor, r.Level == storage.TwoFactors && beside && !h.knows(r, factors, now):
		return append(ways, h.first()...)
	case r.Level > storage.TwoFactors:
		return ways
	}
	if h.TOTP && !h.TOTPBarred {
		ways = append(ways, storage.TOTPCode)
	}
	if h.RecoveryCodes {
		ways = append(ways, storage.RecoveryCode)
	}
	return ways
}

// CanMeet reports whether the account can meet the requirement.
func (h Has) CanMeet(r Requirement, now time.Time) bool { return len(h.Ways(r, nil, now)) > 0 }

// first are the methods with which the account can begin beside a passkey.
func (h Has) first() []storage.Method {
	var ways []storage.Method
	if h.Password {
		ways = append(ways, storage.Password)
	}
	if h.Link {
		ways = append(ways, storage.Upstream)
	}
	return ways
}

// knows reports whether a factor that begins is among the factors, and new enough for a second
// one beside it.
func (Has) knows(r Requirement, factors []storage.Factor, now time.Time) bool {
	begun := only(factors, first)
	for i := range begun {
		begun[i].Undated = false // the second one is dated
	}
	return Requirement{Level: storage.OneFactor, MaxAge: r.MaxAge}.MetBy(begun, now)
}

func only(factors []storage.Factor, methods []storage.Method) []storage.Factor {
	var kept []storage.Factor
	for _, f := range factors {
		if slices.Contains(methods, f.Method) {
			kept = append(kept, f)
		}
	}
	return kept
}
