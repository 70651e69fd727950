package ui

import (
	"slices"
	"time"
)

// ConsentView asks whether an application may have what it requested.
// It posts [FieldAction] with [ActionAllow], [ActionDeny] or [ActionSwitch], or
// with [ActionVerify] and in [FieldGroup] the name of a group.
type ConsentView struct {
	Page
	Form
	// Notice says what has become of a verification.
	Notice  Notice
	Account Account
	// Scopes are what the application requested, each with the data that it
	// releases. None is a request that only signs the user in.
	Scopes []ConsentScope
	// Resources are the services that the application may use in the user's name.
	Resources []ConsentResource
	// Offline says that the application may also read the data while the
	// user is away.
	Offline bool
	// Incremental says that the application has been allowed something
	// before; the scopes that it was not yet allowed are then marked as new.
	Incremental bool
	// Required are groups that the application takes verified members of only, where the
	// user is none: one of them would do. Then nothing can be allowed. None is a request
	// that can be.
	Required []ConsentGroup
	// AppsURL is the screen where the permission can be taken back. Empty
	// leaves it without a link.
	AppsURL string
}

// ConsentScope is one thing that an application asks for.
type ConsentScope struct {
	// Title and Text name and explain it. Both are empty for attributes that are asked for
	// one by one.
	Title, Text Label
	// New marks what was not allowed before, when the consent is incremental.
	New bool
	// Attributes are the attributes of the user that would be released.
	Attributes []ConsentAttribute
	// Groups are the verified groups whose status would be released.
	Groups []ConsentGroup
}

// ConsentResource is a service that an application may use in the user's name.
type ConsentResource struct {
	Name, Host string
	// New is that of ConsentScope.
	New bool
}

// ConsentAttribute is an attribute of the user, with the value that the
// application would receive.
type ConsentAttribute struct {
	// Handle is the machine name.
	Handle string
	// New marks an attribute that a scope which was allowed before has come to
	// release.
	New bool

	Label Label
	// Values are shown one on each line. None says that nothing is known.
	Values []string
	// Truth is the value of what is true or false, and nil for all else.
	Truth *bool
}

// isKnown reports whether there is a value.
func (a ConsentAttribute) isKnown() bool { return len(a.Values) > 0 || a.Truth != nil }

// told splits the attributes into those that have a row each, and the labels of those that
// nothing is known of: where these are many, they share a row.
func (s ConsentScope) told() (rows []ConsentAttribute, unknown []Label) {
	for _, a := range s.Attributes {
		if a.isKnown() || a.New {
			rows = append(rows, a)
		} else {
			unknown = append(unknown, a.Label)
		}
	}
	if len(unknown) < 2 {
		return s.Attributes, nil
	}
	return rows, unknown
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
	// New is that of ConsentAttribute.
	New bool

	Label Label
	State GroupState
	// Subgroups are the parts of the group that the user belongs to.
	Subgroups []Label
	// Since and Expires bound the verification. Zero shows no date.
	Since, Expires time.Time
	// CanVerify says that there is a way to get verified, which ActionVerify leads to.
	CanVerify bool
}

// nextToVerify returns which of the required groups the user can best get verified in, or
// -1.
func (v ConsentView) nextToVerify() int {
	return slices.IndexFunc(v.Required, func(g ConsentGroup) bool {
		return g.CanVerify && g.State != GroupPending && g.State != GroupVerified
	})
}
