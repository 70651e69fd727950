package verification

import "time"

// Policies are the policies of a service, at most one for each group.
type Policies []Policy

// Policy is how people become verified members of one group.
type Policy struct {
	// Group is the name of a group in the catalogue of the provider.
	Group string

	// Rule says which verifiers have to accept: By, AnyOf and AllOf.
	Rule Rule

	// Holds returns the end of a membership in a subgroup, or in the group itself if that
	// is empty, that was verified at a time; the zero time for never. The earliest end of a
	// person's subgroups is that of the status.
	// Defaults to one year.
	Holds func(subgroup string, verified time.Time) time.Time

	// RenewFrom is how long before its end a membership can be renewed. It holds until its
	// end, whatever the result.
	// Defaults to 60 days.
	RenewFrom time.Duration

	// Finish is the time to finish a case after which it expires.
	// Defaults to 14 days.
	Finish time.Duration

	// Promise is the time in which people are told that a review is done.
	// Defaults to 48 hours.
	Promise time.Duration

	// Reviewers is how many reviewers decide a case: 1, or 2 of whom the second does not see
	// the decision of the first.
	// Defaults to 1.
	Reviewers int

	// Tries limits the tries of one person.
	// Defaults to 5 in 6 hours and 10 in 30 days.
	Tries Tries

	// Keep is how long evidence is kept after the decision, at most 90 days.
	// Defaults to 7 days.
	Keep time.Duration

	// Framework is the trust framework of the verification (OpenID Connect for Identity
	// Assurance 1.0).
	// Defaults to none.
	Framework string

	// Ended ends the policy: no case starts any more, open ones expire, and memberships
	// hold until their end.
	Ended bool
}

// Tries are the tries of a method that one person has for a group.
type Tries struct {
	// Short in each ShortPeriod, and Long in each LongPeriod.
	Short       int           `json:"short,omitempty"`
	ShortPeriod time.Duration `json:"short_period,omitempty"`
	Long        int           `json:"long,omitempty"`
	LongPeriod  time.Duration `json:"long_period,omitempty"`
}

// Requirement is a file that a person uploads, and what a reviewer answers about it.
type Requirement struct {
	// Name is the Kind of its Evidence: 1 to 32 of a-z, 0-9 and _.
	Name string

	// Title names the file, such as "Front of your student card".
	Title Text

	// Must are what the file must show. People read it before they upload, and a reviewer
	// answers each.
	Must []Text

	// PDF also takes PDF files. They are kept as they are, and never shown: reviewers can
	// download them.
	// Defaults to false.
	PDF bool

	// Example is the address of a picture of a good example, a path of the host.
	// Defaults to none.
	Example string
}

// Rule says which verifiers have to accept. It has at most 8 verifiers, three levels deep.
type Rule struct {
	verifier *Verifier
	all      bool
	rules    []Rule
}

// By accepts if the verifier accepts.
func By(v Verifier) Rule { return Rule{verifier: &v} }

// AnyOf accepts as soon as one rule accepts: people choose. It refuses when all have refused
// for good.
func AnyOf(rules ...Rule) Rule { return Rule{rules: rules} }

// AllOf accepts when all rules have accepted, one step after the other. It refuses as soon
// as one refuses for good. The membership has the subgroups that all accept, where they say
// any, the earliest end and the lowest level.
func AllOf(rules ...Rule) Rule { return Rule{rules: rules, all: true} }
