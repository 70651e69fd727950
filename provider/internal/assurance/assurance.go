// Package assurance says how sure it is who a user is, from the factors that the user has
// presented, and what the user can still present. It is pure: it reads no clock and no store.
package assurance

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// Reached is a level that factors have reached together.
type Reached struct {
	Level storage.Assurance

	// At is the time of the earliest of these factors: that of the authentication.
	At time.Time

	// Since is the time since which the account has had all of them.
	Since time.Time

	// AMR are their methods (RFC 8176).
	AMR []string
}

// amrOf are the methods of a password together with a second factor, and of a passkey.
var amrOf = map[storage.Method][]string{
	storage.Password:        {"pwd"},
	storage.TOTPCode:        {"pwd", "otp", "mfa"},
	storage.RecoveryCode:    {"pwd", "otp", "mfa"},
	storage.PasskeyPresent:  {"pwd", "pop", "mfa"},
	storage.PasskeyVerified: {"pop", "user", "mfa"},
}

// second are the methods that prove something only beside a password.
var second = []storage.Method{storage.PasskeyPresent, storage.TOTPCode, storage.RecoveryCode}

// combinations returns every level that the factors reach.
func combinations(factors []storage.Factor) []Reached {
	newest := map[storage.Method]storage.Factor{}
	for _, f := range factors {
		if known, ok := newest[f.Method]; !ok || f.At.After(known.At) {
			newest[f.Method] = f
		}
	}
	var reached []Reached
	if f, ok := newest[storage.PasskeyVerified]; ok {
		reached = append(reached, Reached{storage.PhishingResistant, f.At, f.Since, amrOf[f.Method]})
	}
	first, ok := newest[storage.Password]
	if !ok {
		return reached
	}
	for _, method := range second {
		if f, ok := newest[method]; ok {
			reached = append(reached, Reached{storage.TwoFactors, earlier(first.At, f.At), later(first.Since, f.Since), amrOf[method]})
		}
	}
	return append(reached, Reached{storage.OneFactor, first.At, first.Since, amrOf[storage.Password]})
}

// Best returns the highest level that the factors reach, by the newest of them; zero for
// none.
func Best(factors []storage.Factor) Reached {
	var best Reached
	for _, r := range combinations(factors) {
		if r.Level > best.Level || r.Level == best.Level && r.At.After(best.At) {
			best = r
		}
	}
	return best
}

// Requirement is a condition on the authentication of a user. The zero Requirement is none.
type Requirement struct {
	// Level is the lowest level that will do.
	Level storage.Assurance

	// MaxAge is the maximum age of the factors that reach it; zero for any.
	MaxAge time.Duration

	// Enrolled is how long the account must have had them; zero for any time. It keeps
	// somebody who has stolen a password from meeting the requirement with a passkey added
	// just now.
	Enrolled time.Duration
}

// And returns the requirement that demands both.
func (r Requirement) And(other Requirement) Requirement {
	r.Level = max(r.Level, other.Level)
	r.Enrolled = max(r.Enrolled, other.Enrolled)
	if r.MaxAge == 0 || other.MaxAge > 0 && other.MaxAge < r.MaxAge {
		r.MaxAge = other.MaxAge
	}
	return r
}

// MetBy reports whether the factors meet the requirement at a time. A factor in the future
// was recorded by a wrong clock, and may be of any age.
func (r Requirement) MetBy(factors []storage.Factor, now time.Time) bool {
	for _, reached := range combinations(factors) {
		if r.metBy(reached, now) {
			return true
		}
	}
	return r.Level == storage.AnyAssurance && r.MaxAge == 0
}

func (r Requirement) metBy(reached Reached, now time.Time) bool {
	return reached.Level >= r.Level &&
		(r.MaxAge == 0 || !clock.Ahead(now, reached.At) && clock.Elapsed(now, reached.At) <= r.MaxAge) &&
		(r.Enrolled == 0 || clock.Elapsed(now, reached.Since) >= r.Enrolled)
}

// Has is what an account can present.
type Has struct {
	Password, Passkey, TOTP, RecoveryCodes bool
}

// Of returns what an account can present.
func Of(set storage.AuthenticatorSet) Has {
	return Has{
		Password: set.Account.PasswordHash != "", Passkey: len(set.Passkeys) > 0,
		TOTP: len(set.TOTP.Secret) > 0, RecoveryCodes: len(set.Recovery.Digests) > 0,
	}
}

// Highest returns the highest level that the account can reach. A recovery code does not
// count: it replaces a factor that is lost.
func (h Has) Highest() storage.Assurance {
	switch {
	case h.Passkey:
		return storage.PhishingResistant
	case h.Password && h.TOTP:
		return storage.TwoFactors
	case h.Password:
		return storage.OneFactor
	default:
		return storage.AnyAssurance
	}
}

// Ways returns the methods of which each takes the user on to the requirement, the best
// first, given the factors that are still new enough. Passkey stands for both of its methods.
// It is empty if the account cannot meet the requirement.
func (h Has) Ways(r Requirement, factors []storage.Factor, now time.Time) []storage.Method {
	var ways []storage.Method
	if h.Passkey {
		ways = append(ways, storage.PasskeyVerified)
	}
	if !h.Password {
		return ways
	}
	beside := h.TOTP || h.RecoveryCodes || h.Passkey
	switch {
	case r.Level <= storage.OneFactor, r.Level == storage.TwoFactors && beside && !h.knows(r, factors, now):
		return append(ways, storage.Password)
	case r.Level > storage.TwoFactors:
		return ways
	}
	if h.TOTP {
		ways = append(ways, storage.TOTPCode)
	}
	if h.RecoveryCodes {
		ways = append(ways, storage.RecoveryCode)
	}
	return ways
}

// knows reports whether the password among the factors is new enough for a second factor
// beside it.
func (h Has) knows(r Requirement, factors []storage.Factor, now time.Time) bool {
	return Requirement{Level: storage.OneFactor, MaxAge: r.MaxAge}.MetBy(only(factors, storage.Password), now)
}

func only(factors []storage.Factor, method storage.Method) []storage.Factor {
	var kept []storage.Factor
	for _, f := range factors {
		if f.Method == method {
			kept = append(kept, f)
		}
	}
	return kept
}

// With returns the factors with another one, the newest of each method.
func With(factors []storage.Factor, added storage.Factor) []storage.Factor {
	with := make([]storage.Factor, 0, len(factors)+1)
	for _, f := range factors {
		if f.Method != added.Method {
			with = append(with, f)
		}
	}
	return append(with, added)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
