package authorization

import "slices"

// The classes of authentication (acr, OpenID Connect Core section 2), the weakest first.
// Who has proved more has proved less, too.
const (
	// SingleFactor is any proof of who the user is.
	SingleFactor = "single_factor"

	// MultiFactor is a proof by two different kinds of factor: what the user knows, has or
	// is.
	MultiFactor = "multi_factor"
)

// Classes are all classes of authentication, the weakest first.
var Classes = []string{SingleFactor, MultiFactor}

// factorOf tells what kind of factor a method of RFC 8176 section 2 is. Others prove
// nothing by themselves: where somebody is, or that a risk was weighed.
var factorOf = map[string]string{
	"kba": "knows", "pin": "knows", "pwd": "knows",
	"hwk": "has", "otp": "has", "pop": "has", "sc": "has", "sms": "has", "swk": "has", "tel": "has",
	"face": "is", "fpt": "is", "iris": "is", "retina": "is", "vbm": "is",
}

// classOf returns the highest class of an authentication by these methods.
func classOf(amr []string) string {
	if slices.Contains(amr, "mfa") {
		return MultiFactor
	}
	var kinds []string
	for _, method := range amr {
		if kind := factorOf[method]; kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 1 {
		return MultiFactor
	}
	return SingleFactor
}

// ClassFor returns the class that an ID token names: the first of those asked for that the
// authentication has reached, or else the highest that it has.
func ClassFor(amr []string, r ClaimsRequest) string {
	for _, class := range r.Classes() {
		if reaches(classOf(amr), class) {
			return class
		}
	}
	return classOf(amr)
}

// reaches reports whether an authentication of one class is one of another, too.
func reaches(class, asked string) bool {
	i := slices.Index(Classes, asked)
	return i >= 0 && slices.Index(Classes, class) >= i
}

// Classes returns the classes of authentication that the request asks for, the best
// first; nil for any.
func (r ClaimsRequest) Classes() []string {
	if acr := r.IDToken[claimACR]; acr != nil {
		return acr.Values
	}
	return nil
}

// KnownClasses are those of Classes that there are.
func (r ClaimsRequest) KnownClasses() []string {
	return slices.DeleteFunc(slices.Clone(r.Classes()), func(class string) bool { return !slices.Contains(Classes, class) })
}

// Accepts reports whether a user who has authenticated by these methods will do: one of
// the classes is reached that are essential to the request.
func (r ClaimsRequest) Accepts(amr []string) bool {
	return r.AcceptsOneOf([]string{classOf(amr)})
}

// AcceptsOneOf reports whether an authentication of one of these classes would do.
func (r ClaimsRequest) AcceptsOneOf(classes []string) bool {
	acr := r.IDToken[claimACR]
	if acr == nil || !acr.Essential || len(acr.Values) == 0 {
		return true
	}
	return slices.ContainsFunc(classes, func(class string) bool {
		return slices.ContainsFunc(acr.Values, func(asked string) bool { return reaches(class, asked) })
	})
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
