package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ConsentView asks whether an application may have what it requested.
// It posts [FieldAction] with [ActionAllow], [ActionDeny] or [ActionSwitch], or
// with [ActionVerify] and in [FieldGroup] the name of a group. With ActionAllow
// it posts, as [FieldScope], the scope value of each of Optional that stays.
type ConsentView struct {
	Page
	Form
	// Notice says what has become of a verification.
	Notice  Notice
	Account Account
	// Attributes are those of the user that would be released, each once, whatever
	// they are asked for by.
	Attributes []ConsentAttribute
	// Groups are the verified groups whose status would be released.
	Groups []ConsentGroup
	// Permissions are what is asked for and releases nothing that is known here.
	Permissions []ConsentPermission
	// Optional are what the user can leave out. What is in one of them and above as
	// well is only above.
	Optional []ConsentOption
	// Resources are the services that the application may use in the user's name.
	Resources []ConsentResource
	// Offline says that the application may also read the data while the
	// user is away.
	Offline bool
	// Incremental says that the application has been allowed something
	// before; what it was not yet allowed is then marked as new.
	Incremental bool
	// Required are groups that the application takes verified members of only, where the
	// user is none: one of them would do. Then nothing can be allowed. None is a request
	// that can be.
	Required []ConsentGroup
	// AppsURL is the screen where the permission can be taken back. Empty
	// leaves it without a link.
	AppsURL string
}

// ConsentPermission is a scope that releases nothing about the user, and so means what
// its words say.
type ConsentPermission struct {
	// Title and Text name and explain it. An empty Text shows only the title.
	Title, Text Label
	// New marks what was not allowed before, when the consent is incremental.
	New bool
}

// ConsentOption is what the user can leave out.
type ConsentOption struct {
	// Scope is the scope value, posted as FieldScope.
	Scope string
	// Title names it, and Text explains it where it releases nothing.
	Title, Text Label
	// Chosen says that the user has allowed it before: the box is ticked.
	Chosen bool
	// New is that of ConsentPermission.
	New bool
	// Attributes and Groups are what it releases beside the rest.
	Attributes []ConsentAttribute
	Groups     []ConsentGroup
	// Offline says that it lets the application read the data while the user is away.
	Offline bool
}

// ConsentResource is a service that an application may use in the user's name.
type ConsentResource struct {
	Name, Host string
	// New is that of ConsentPermission.
	New bool
}

// ConsentAttribute is an attribute of the user, with the value that the
// application would receive.
type ConsentAttribute struct {
	// Handle is the machine name.
	Handle string
	// New is that of ConsentPermission.
	New bool
	// Sensitive says that it is shown apart, with a caution.
	Sensitive bool

	Label Label
	// Phrase names it within a sentence, as "your email address". Empty uses the label.
	Phrase Label
	// Values are shown one on each line, and Records member by member. Neither, nor
	// Truth, says that nothing is known, and that it is released once it is.
	Values  []string
	Records []ConsentRecord
	// Truth is the value of what is true or false, and nil for all else.
	Truth *bool
}

// ConsentRecord is one of several things that an attribute holds, such as a vaccination.
type ConsentRecord []ConsentMember

// ConsentMember is a part of a record. An empty Label shows only the value.
type ConsentMember struct {
	Label Label
	Value string
}

// Line returns the values of a record in a row.
func (r ConsentRecord) Line() string {
	values := make([]string, len(r))
	for i, m := range r {
		values[i] = m.Value
	}
	return strings.Join(values, ", ")
}

// isKnown reports whether there is a value.
func (a ConsentAttribute) isKnown() bool {
	return len(a.Values) > 0 || len(a.Records) > 0 || a.Truth != nil
}

// GroupState is the state of a user's membership in a verified group.
type GroupState string

// The states of a group.
const (
	GroupVerified   GroupState = "verified"
	GroupUnverified GroupState = "unverified"
	GroupExpired    GroupState = "expired"
	// GroupPending is unverified while somebody is about to verify it.
	GroupPending GroupState = "pending"
)

// ConsentGroup is a verified group and the user's place in it.
type ConsentGroup struct {
	// Name is the machine name.
	Name string
	// New is that of ConsentPermission.
	New bool

	Label Label
	// Phrase names the status within a sentence, as "your student status". Empty uses the
	// label.
	Phrase Label
	State  GroupState
	// Subgroups are the parts of the group that the user belongs to.
	Subgroups []Label
	// Since and Expires bound the verification. Zero shows no date.
	Since, Expires time.Time
	// Reason is why a verification was refused: one of the reasons that storage.Status names,
	// or any text. Empty is not shown.
	Reason string
	// Declined says that the last request was not approved; so does a Reason.
	Declined bool
	// CanVerify says that there is a way to get verified, which ActionVerify leads to.
	CanVerify bool
	// HowVerified says that the application also receives how and when it was verified.
	HowVerified bool
	// InWallet says that the application is a wallet, which keeps a proof of it to show.
	InWallet bool
}

// isSignIn reports whether the application learns only who it is.
func (v ConsentView) isSignIn() bool {
	return len(v.Attributes) == 0 && len(v.Groups) == 0 && len(v.Permissions) == 0 && len(v.Optional) == 0
}

// heading says how much an application asks for.
func (v ConsentView) heading() Message {
	t := v.locale().text.Consent
	switch {
	case v.isSignIn() && len(v.Resources) > 0:
		return t.HeadingUse
	case v.isSignIn():
		return t.HeadingSignIn
	case v.Incremental:
		return t.HeadingMore
	default:
		return t.Heading
	}
}

// plainly returns the rows that need no caution, and cautioned those that do. What is not
// known and needs none has no row.
func plainly(all []ConsentAttribute) (rows []ConsentAttribute) {
	return slices.DeleteFunc(slices.Clone(all), func(a ConsentAttribute) bool { return a.Sensitive || !a.isKnown() })
}

func cautioned(all []ConsentAttribute) []ConsentAttribute {
	return slices.DeleteFunc(slices.Clone(all), func(a ConsentAttribute) bool { return !a.Sensitive })
}

// later returns what is not known, and will be released when it is.
func later(all []ConsentAttribute) []ConsentAttribute {
	return slices.DeleteFunc(slices.Clone(all), func(a ConsentAttribute) bool { return a.Sensitive || a.isKnown() })
}

// canVerifyNow reports whether the user can get verified in a group.
func (g ConsentGroup) canVerifyNow() bool {
	return g.CanVerify && g.State != GroupPending && g.State != GroupVerified
}

// isUnverified reports whether a status is asked for, and none is verified.
func (v ConsentView) isUnverified() bool {
	return len(v.Groups) > 0 && !slices.ContainsFunc(v.Groups, func(g ConsentGroup) bool { return g.State == GroupVerified })
}

// firstToVerify returns the group that getting verified in comes before sharing, or -1: the
// first one of those that the user can, while none is verified.
func (v ConsentView) firstToVerify() int {
	if !v.isUnverified() {
		return -1
	}
	return slices.IndexFunc(v.Groups, ConsentGroup.canVerifyNow)
}

// verifyButtonOf returns the class of the button that leads to the verification of a group.
func (v ConsentView) verifyButtonOf(i int) string {
	switch first := v.firstToVerify(); {
	case first == i:
		return "primary"
	case first >= 0:
		return "secondary"
	default:
		return "link"
	}
}

// verifyClass returns the class of the buttons beside the required groups. A single group
// has its button in the decision; of several, each has one.
func (v ConsentView) verifyClass() string {
	open := 0
	for _, g := range v.Required {
		if g.canVerifyNow() {
			open++
		}
	}
	switch {
	case len(v.Required) == 1:
		return ""
	case open == 1:
		return "primary"
	default:
		return "secondary"
	}
}

// groupID names the heading of a group within a part of the screen.
func groupID(part string, i int) string { return part + "-" + strconv.Itoa(i+1) }

// optionID names the box of an option.
func optionID(i int) string { return "option-" + strconv.Itoa(i+1) }
