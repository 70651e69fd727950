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

	// Undated reports that nobody knows when the user was present, whatever At says.
	Undated bool

	// AMR are their methods (RFC 8176).
	AMR []string
}

// amrOf are the methods of each factor. What somebody has done at an upstream provider is the
// name fed, which RFC 8176 does not have.
var amrOf = map[storage.Method][]string{
	storage.Password:        {"pwd"},
	storage.Upstream:        {"fed"},
	storage.TOTPCode:        {"otp", "mfa"},
	storage.RecoveryCode:    {"otp", "mfa"},
	storage.PasskeyPresent:  {"pop", "mfa"},
	storage.PasskeyVerified: {"pop", "user", "mfa"},
}

// first are the methods that sign in alone, as one factor; second are those that prove
// something only beside one of them.
var (
	first  = []storage.Method{storage.Password, storage.Upstream}
	second = []storage.Method{storage.PasskeyPresent, storage.TOTPCode, storage.RecoveryCode}
)

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
		reached = append(reached, Reached{Level: storage.PhishingResistant, At: f.At, Since: f.Since, AMR: amrOf[f.Method]})
	}
	for _, method := range first {
		if f, ok := newest[method]; ok {
			reached = beginning(reached, f, newest)
		}
	}
	if _, ok := newest[storage.Upstream]; ok {
		slices.SortStableFunc(reached, func(a, b Reached) int { return int(b.Level) - int(a.Level) })
	}
	return reached
}

// beginning adds the levels that a factor which signs in alone reaches, with each of those
// beside it and by itself. An upstream provider's word may stand for more than one factor. Beside
// a second one it need not say when it was given: the second one does.
func beginning(reached []Reached, f storage.Factor, newest map[storage.Method]storage.Factor) []Reached {
	for _, method := range second {
		if s, ok := newest[method]; ok {
			amr := slices.Concat(amrOf[f.Method], amrOf[method])
			reached = append(reached, Reached{Level: max(f.Level, storage.TwoFactors), At: earlier(f.At, s.At), Since: later(f.Since, s.Since), AMR: amr})
		}
	}
	return append(reached, Reached{Level: max(f.Level, storage.OneFactor), At: f.At, Since: f.Since, Undated: f.Undated, AMR: amrOf[f.Method]})
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
