package action

import (
	"slices"
	"time"
)

// Role is what somebody works at. There are these and no others: what somebody may do is read
// off a list, not added up from permissions.
type Role string

// The roles.
const (
	// Support helps people who call: looks at one person at a time, for a reason, and sees
	// personal values masked.
	Support Role = "support"
	// Reviewer decides cases of verification, and sees no people beside them.
	Reviewer Role = "reviewer"
	// Senior is a reviewer who decides escalated cases, and those in which two differ.
	Senior Role = "senior"
	// Operator runs the service: everything but evidence.
	Operator Role = "operator"
	// Auditor reads the audit log and what the staff looked at, and sees no people.
	Auditor Role = "auditor"
)

// Staff is somebody who works here.
type Staff struct {
	// ID names the person in everything that is recorded: that in the host's list of staff,
	// the same for every account of theirs. It is not "host", and does not begin with
	// "staff:", "client:", "command:" or "host:": such a one is not admitted.
	// Defaults to the ID of the user.
	ID string

	// Roles are what they may do; nil for nothing.
	Roles []Role

	// Groups are those whose cases a reviewer decides.
	// Defaults to all.
	Groups []string

	// AuthenticatedAt and Methods are when and how (RFC 8176) somebody has signed in whom
	// Config.Admit admits. A power takes five minutes at most and one of mfa, mca, hwk, pop
	// or sc. Of users of the provider they are ignored: it knows.
	AuthenticatedAt time.Time
	Methods         []string
}

// Is reports whether somebody has any of these roles.
func (s Staff) Is(any ...Role) bool {
	return slices.ContainsFunc(s.Roles, func(r Role) bool { return slices.Contains(any, r) })
}

// Works reports whether somebody has any role at all.
func (s Staff) Works() bool { return s.Is(Support, Reviewer, Senior, Operator, Auditor) }

// Reviews reports whether somebody decides cases.
func (s Staff) Reviews() bool { return s.Is(Reviewer, Senior) }

// Operates reports whether somebody runs the service.
func (s Staff) Operates() bool { return s.Is(Operator) }

// Helps reports whether somebody may open a matter and look at a person.
func (s Staff) Helps() bool { return s.Is(Support, Operator) }

// Audits reports whether somebody may read the audit log.
func (s Staff) Audits() bool { return s.Is(Auditor, Operator) }
