package verification

import "time"

// Result is what happens next in a case: Ask, SendCode, Upload, GoTo, Wait, Review, Accept
// or Refuse.
type Result interface{ result() }

// Ask shows the person a form. Answered brings its fields.
type Ask struct {
	Fields []Field

	// Problem is why the last answer was not accepted, such as ReasonNoMatch; empty for
	// none.
	Problem Reason
}

// Field is a field of a form.
type Field struct {
	// Name is that of Event.Form.
	Name string

	// Label names it to people, Hint says what to enter.
	Label, Hint Text

	// Example is what an entry may look like, the same in all languages. It stands behind Hint.
	// Defaults to none.
	Example string

	// Kind is text, email, date or code.
	// Defaults to text.
	Kind string

	// Autocomplete is the token of HTML section 4.10.18.7, such as bday.
	// Defaults to off.
	Autocomplete string

	// Optional fields may be empty.
	Optional bool
}

// SendCode mails a one-time code to an address and asks the person for it. Confirmed brings
// the address.
type SendCode struct{ Address string }

// Upload asks the person for files. Uploaded describes them.
type Upload struct {
	// Kinds are the names of the requirements; empty for all of the verifier.
	Kinds []string

	// Reasons are why they are asked for again.
	Reasons []Reason
}

// GoTo sends the person to a page elsewhere. Returned follows when they come back, and Told
// when the other side has news.
type GoTo struct {
	// URL is an absolute https address, or a path of the host.
	URL string

	// Reference names the attempt at the other side, unique for the method; it is recorded
	// before the person leaves. Empty for none.
	Reference string

	// Until is how long the page can be used; zero for as long as the case is open.
	Until time.Time
}

// Wait waits for the other side. Told follows, or Due.
type Wait struct {
	// Reference is as in GoTo.
	Reference string

	// Again is when to ask again.
	Again time.Time

	// Until is what the person is told about the time of the result; zero for nothing.
	Until time.Time
}

// Review hands the case to a reviewer.
type Review struct {
	// Facts are what a reviewer should know, as fixed phrases.
	Facts []Text
}

// Accept means that the person is a member.
type Accept struct {
	// Subgroups are those of the person, of the catalogue of the group; nil for none.
	Subgroups []string

	// Until is the end of the membership; zero for that of the policy. An end that is later
	// than that of the policy is not used.
	Until time.Time

	// Source names where this is known from, such as "University of Strathclyde". People
	// can read it.
	Source string

	// Name is the name that the proof has; if it differs from the account's, the case goes
	// to review. Zero for none.
	Name Name

	// Proved are the facts that can prove membership to one person only, such as an
	// address. Only keyed digests are kept.
	Proved []Fact
}

// Fact is a proof that belongs to one person.
type Fact struct {
	// Kind is email, roster, code, upstream, document, or another word of a-z and _.
	Kind  string
	Value string
}

// Refuse means that the method did not find the person to be a member. Whether it can be
// tried again depends on the reason.
type Refuse struct{ Reasons []Reason }

func (Ask) result()      {}
func (SendCode) result() {}
func (Upload) result()   {}
func (GoTo) result()     {}
func (Wait) result()     {}
func (Review) result()   {}
func (Accept) result()   {}
func (Refuse) result()   {}

// Reason is why something was not accepted. The screens have a sentence and an advice for
// each of these in all languages.
type Reason string

// The reasons. After those of the first group the method can be tried again, after those of
// the second it can not. Those of the third are for reviewers alone: people read that it could
// not be accepted.
const (
	ReasonUnreadable  Reason = "unreadable"
	ReasonCropped     Reason = "cropped"
	ReasonWrongKind   Reason = "wrong_kind"
	ReasonNotCurrent  Reason = "not_current"
	ReasonNoDate      Reason = "no_date"
	ReasonNameDiffers Reason = "name_differs"
	ReasonIncomplete  Reason = "incomplete"
	ReasonNoMatch     Reason = "no_match"
	ReasonOtherDomain Reason = "other_domain"
	ReasonNotNow      Reason = "not_now" // the other side had an error, or the person cancelled there

	ReasonNotInGroup        Reason = "not_in_group"
	ReasonIssuerNotAccepted Reason = "issuer_not_accepted"
	ReasonLimit             Reason = "limit"
	ReasonPolicyEnded       Reason = "policy_ended"
	ReasonSuperseded        Reason = "superseded" // the service itself has recorded a status meanwhile

	ReasonAltered    Reason = "altered"
	ReasonGenerated  Reason = "generated"
	ReasonTaken      Reason = "taken"
	ReasonSuspicious Reason = "suspicious"
	ReasonOther      Reason = "other"
)

// CanRetry reports whether the method can be tried again.
func (r Reason) CanRetry() bool {
	switch r {
	case ReasonUnreadable, ReasonCropped, ReasonWrongKind, ReasonNotCurrent, ReasonNoDate, ReasonNameDiffers,
		ReasonIncomplete, ReasonNoMatch, ReasonOtherDomain, ReasonNotNow:
		return true
	default:
		return false
	}
}

// Public returns the reason that people read: a neutral one in place of those that would
// teach a forger.
func (r Reason) Public() Reason {
	switch r {
	case ReasonAltered, ReasonGenerated, ReasonTaken, ReasonSuspicious:
		return ReasonOther
	default:
		return r
	}
}
