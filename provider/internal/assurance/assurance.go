// Package assurance says how sure it is who a user is, from the factors that the user has
// presented, and what the user can still present. It is pure: it reads no clock and no store.
package assurance

import (
	"slices"
	"time"

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

// Combinations returns every level that the factors reach, the newest of each method; the
// highest first.
func Combinations(factors []storage.Factor) []Reached {
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
	for _, r := range Combinations(factors) {
		if r.Level > best.Level || r.Level == best.Level && r.At.After(best.At) {
			best = r
		}
	}
	return best
}

// With returns the factors with others, the last of each method.
func With(factors []storage.Factor, added ...storage.Factor) []storage.Factor {
	with := make([]storage.Factor, 0, len(factors)+len(added))
	for _, f := range append(factors[:len(factors):len(factors)], added...) {
		i := slices.IndexFunc(with, func(known storage.Factor) bool { return known.Method == f.Method })
		if i >= 0 {
			with = slices.Delete(with, i, i+1)
		}
		with = append(with, f)
	}
	return with
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
