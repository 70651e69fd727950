package authorization

import (
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/storage"
)

// The classes of authentication (acr, OpenID Connect Core section 2) by their published
// names. Who has proved more has proved less, too.
const (
	// SingleFactor is any one factor: the single-factor profile of REFEDS.
	SingleFactor = "https://refeds.org/profile/sfa"

	// MultiFactor is two factors of different kinds: the multi-factor profile of REFEDS.
	MultiFactor = "https://refeds.org/profile/mfa"

	// PhishingResistant is a passkey (OpenID Connect Extended Authentication Profile ACR
	// Values 1.0).
	PhishingResistant = "phr"
)

// words are the levels by the names of their classes. The latter two are former names: a
// request that uses one gets it back.
var words = map[string]storage.Assurance{
	SingleFactor:      storage.OneFactor,
	MultiFactor:       storage.TwoFactors,
	PhishingResistant: storage.PhishingResistant,
	"single_factor":   storage.OneFactor,
	"multi_factor":    storage.TwoFactors,
}

// wordOf are the names of the levels.
var wordOf = map[storage.Assurance]string{
	storage.OneFactor:         SingleFactor,
	storage.TwoFactors:        MultiFactor,
	storage.PhishingResistant: PhishingResistant,
}

// IsWord reports whether a class is one of the levels by its name or its former one.
func IsWord(class string) bool {
	_, ok := words[class]
	return ok
}

// WordOf returns the name of the class of a level.
func WordOf(level storage.Assurance) string {
	if word, ok := wordOf[level]; ok {
		return word
	}
	return SingleFactor
}

// Classes are the classes of authentication of a provider.
type Classes struct {
	// Highest is the highest level that a sign-in can reach.
	Highest storage.Assurance

	// Others are the host's own names, and what each stands for.
	Others map[string]assurance.Requirement
}

// Requirement returns what a class demands, and false for one that there is not, or that
// nobody can reach.
func (c Classes) Requirement(class string) (assurance.Requirement, bool) {
	r, ok := c.Others[class]
	if !ok {
		r.Level, ok = words[class]
	}
	return r, ok && r.Level <= c.Highest
}

// Supported returns the names of the classes that can be reached, the weakest first.
func (c Classes) Supported() []string {
	var names []string
	for level := storage.OneFactor; level <= c.Highest; level++ {
		names = append(names, WordOf(level))
		for _, name := range slices.Sorted(maps.Keys(c.Others)) {
			if r := c.Others[name]; max(r.Level, storage.OneFactor) == level && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Requirements returns what the classes that a request asks for demand, without those that
// nobody can reach.
func (c Classes) Requirements(r ClaimsRequest) []assurance.Requirement {
	var list []assurance.Requirement
	for _, class := range r.Classes() {
		if required, ok := c.Requirement(class); ok {
			list = append(list, required)
		}
	}
	return list
}

// Name returns the class of a grant for its tokens: the first of those asked for that the
// authentication has reached, or else that of its level.
func (c Classes) Name(g storage.Grant) string {
	level := LevelOf(g)
	for _, class := range ClaimsOf(g).Classes() {
		if required, ok := c.Requirement(class); ok && required.Level <= level {
			return class
		}
	}
	return WordOf(level)
}

// LevelOf returns the level of the authentication of a grant's user. That of a grant of
// before levels were recorded follows from its methods.
func LevelOf(g storage.Grant) storage.Assurance {
	if g.Assurance == storage.AnyAssurance && len(g.AMR) > 0 {
		return LevelBy(g.AMR)
	}
	return g.Assurance
}

// factorOf tells what kind of factor a method of RFC 8176 section 2 is. Others prove
// nothing by themselves: where somebody is, or that a risk was weighed.
var factorOf = map[string]string{
	"kba": "knows", "pin": "knows", "pwd": "knows",
	"hwk": "has", "otp": "has", "pop": "has", "sc": "has", "sms": "has", "swk": "has", "tel": "has",
	"face": "is", "fpt": "is", "iris": "is", "retina": "is", "vbm": "is",
}

// LevelBy returns the level of an authentication of which only the methods are known: two
// factors for mfa, or for methods of two kinds, else one. None says that it resists
// phishing.
func LevelBy(amr []string) storage.Assurance {
	if slices.Contains(amr, "mfa") {
		return storage.TwoFactors
	}
	var kinds []string
	for _, method := range amr {
		if kind := factorOf[method]; kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 1 {
		return storage.TwoFactors
	}
	return storage.OneFactor
}

// Classes returns the classes of authentication that the request asks for, the best
// first; nil for any.
func (r ClaimsRequest) Classes() []string {
	if acr := r.IDToken[claimACR]; acr != nil {
		return acr.Values
	}
	return nil
}

// EssentialClasses reports whether one of Classes is a condition of the request (OpenID
// Connect Core section 5.5.1.1).
func (r ClaimsRequest) EssentialClasses() bool {
	acr := r.IDToken[claimACR]
	return acr != nil && acr.Essential && len(acr.Values) > 0
}

// withClasses returns the request with the parameter acr_values, which asks for the claim
// acr and makes it no condition (OpenID Connect Core section 5.5.1.1). What the parameter
// claims says of it comes first.
func (r ClaimsRequest) withClasses(asked []string) ClaimsRequest {
	if len(asked) == 0 || r.IDToken[claimACR] != nil {
		return r
	}
	if r.IDToken == nil {
		r.IDToken = map[string]*ClaimRequest{}
	}
	r.IDToken[claimACR] = &ClaimRequest{Values: asked}
	return r
}
