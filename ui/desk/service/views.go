package service

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields of the forms and addresses.
const (
	FieldSearch      = "q"
	FieldAll         = "all"
	FieldPerson      = "person"
	FieldApplication = "application"
	FieldStaff       = "staff"
	FieldMatter      = "matter"
	FieldEvent       = "event"
	FieldNetwork     = "network"
	FieldFrom        = "from"
	FieldUntil       = "until"
	ActionRelease    = "release"
)

// State is the state of an application or an organization.
type State string

// The states.
const (
	StateActive     State = "active"
	StateStopped    State = "stopped"
	StateDisabled   State = "disabled"
	StateDeleting   State = "deleting"
	StateIncomplete State = "incomplete"
	StateSuspended  State = "suspended"
	StateUnreviewed State = "unreviewed"
	StateWaiting    State = "waiting"
	StateOwnerless  State = "ownerless"

	// StateAdmitted and those that follow are of hosts of applications that nobody has registered:
	// let in, also by the name that they give themselves, kept out by the configuration or by the
	// staff, and all of them kept out.
	StateAdmitted State = "admitted"
	StateTrusted  State = "trusted"
	StateRefused  State = "refused"
	StateDenied   State = "denied"
	StateOff      State = "off"
)

// class is the look of a state.
func (s State) class() string {
	switch s {
	case StateActive, StateAdmitted, StateTrusted:
		return "good"
	case StateUnreviewed, StateWaiting, StateIncomplete, StateDeleting, StateOff:
		return "warn"
	}
	return "bad"
}

// Act leads to the form of an action, by its name in the table of actions.
type Act struct{ Name, URL string }

// ApplicationsView lists applications.
type ApplicationsView struct {
	Page
	// SearchURL takes [FieldSearch]; Search is what was sought.
	SearchURL, Search string
	// AllURL leads to all registrations by ID; empty where there is no other list, or it is
	// shown.
	AllURL string
	// NameURL leads from there to those of the dashboard by name.
	NameURL string
	Rows    []ApplicationRow
	MoreURL string
}

// ApplicationRow is an application in a list.
type ApplicationRow struct {
	Name, ID, URL string
	// Organization answers for it; empty for one that only the host knows, or nobody if it is
	// Unknown.
	Organization string
	Unknown      bool
	States       []State
}

// ApplicationView is one application.
type ApplicationView struct {
	Page
	ApplicationRow
	ListURL, OrganizationURL string
	// Owners are the IDs of the users who answer for it.
	Owners []string
	Kind   string
	// Reason is why it is stopped, or its organization.
	Reason    string
	Redirects []string
	// Scopes is empty for all.
	Scopes  []string
	Secrets []Secret
	// Requests and Errors are counted by day, from First.
	Requests, Errors Series
	Days             []time.Time
	TrailURL         string
	ReviewURL        string
	Acts             []Act
	// Nobody is what is known of one that nobody has registered; nil for the others.
	Nobody *Unknown
}

// Secret is a secret of an application.
type Secret struct {
	Created, Used, Ends time.Time
	// Old reports that it is older than a year.
	Old bool
}

// OrganizationsView lists organizations.
type OrganizationsView struct {
	Page
	SearchURL, Search                  string
	Ownerless, Suspended, Found        []OrganizationRow
	OwnerlessMoreURL, SuspendedMoreURL string
	FoundMoreURL                       string
	// NoDashboard reports that there are none here.
	NoDashboard bool
}

// OrganizationRow is an organization in a list.
type OrganizationRow struct {
	Name, ID, URL string
	States        []State
	// Applications is their number; negative where it is not counted.
	Applications int
}

// OrganizationView is one organization.
type OrganizationView struct {
	Page
	OrganizationRow
	ListURL     string
	Created     time.Time
	SuspendedAt time.Time
	Reason      string
	Members     []Member
	Apps        []ApplicationRow
	MoreURL     string
	Acts        []Act
}

// Member is a member of an organization.
type Member struct {
	ID     string
	Role   Role
	Joined time.Time
}

// Role is what a member may do.
type Role string

// The roles.
const (
	RoleOwner     Role = "owner"
	RoleDeveloper Role = "developer"
	RoleViewer    Role = "viewer"
)

// ReviewsView lists what waits for a decision at the dashboard.
type ReviewsView struct {
	Page
	Rows    []ApplicationRow
	MoreURL string
}

// KeysView lists the signing keys.
type KeysView struct {
	Page
	Keys []Key
	// Host reports that the key is the host's.
	Host bool
	Acts []Act
}

// Key is a signing key.
type Key struct {
	ID, Alg                         string
	Turn                            Turn
	Created, From, Until, Published time.Time
}

// Turn is whether a key signs.
type Turn string

// The turns.
const (
	TurnSigns  Turn = "signs"
	TurnNext   Turn = "next"
	TurnFormer Turn = "former"
)

// HealthView says how the service is doing.
type HealthView struct {
	Page
	Checks   []Checked
	Settings []Setting
	// Report was counted at CountedAt; nil before the first time.
	Report    []Counted
	CountedAt time.Time
}

// Check is what is looked at.
type Check string

// The checks.
const (
	CheckDatabase   Check = "database"
	CheckBackground Check = "background"
	CheckMail       Check = "mail"
	CheckQueue      Check = "queue"
	CheckSealed     Check = "sealed"
	CheckVerified   Check = "verified"
	CheckAnchor     Check = "anchor"
	CheckSchema     Check = "schema"
	CheckVersion    Check = "version"
	CheckGo         Check = "go"
)

// Checked is a check with what it has found.
type Checked struct {
	Check Check
	// Wrong says that something is to be done.
	Wrong bool
	// At is when it was; Value is what it is, or what is wrong. Either may be empty.
	At    time.Time
	Value string
}

// Setting is a field of the configuration.
type Setting struct {
	Name, Value string
	IsSet       bool
}

// Count is what is counted.
type Count string

// The counts.
const (
	CountAccounts      Count = "accounts"
	CountDisabled      Count = "disabled"
	CountSessions      Count = "sessions"
	CountGrants        Count = "grants"
	CountEvents        Count = "events"
	CountApplications  Count = "applications"
	CountOrganizations Count = "organizations"
	CountCases         Count = "cases"
	CountPlans         Count = "plans"
	CountBreaks        Count = "breaks"
)

// Counted is a count with its number.
type Counted struct {
	Count  Count
	Number int64
}

// TrailView is a part of the audit log. Its form takes the fields of a [TrailFilter].
type TrailView struct {
	Page
	URL    string
	Filter TrailFilter
	// Wrong is the field that is wrong, or empty.
	Wrong           string
	Lines           []Line
	EarlierURL      string
	CSVURL, JSONURL string
	// PlanURL leads to a plan for whom the lines are about; empty for who may not propose one.
	PlanURL  string
	Filtered bool
}

// TrailFilter is what was sought.
type TrailFilter struct {
	Person, Application, Staff, Matter string
	Event, Network, From, Until        string
}

// Line is a line of the audit log. Each link sets the filter.
type Line struct {
	At                         time.Time
	Event, Detail              string
	Person, Application, Staff string
	Matter, Network            string
	EventURL, PersonURL        string
	ApplicationURL, StaffURL   string
	MatterURL, NetworkURL      string
}

// LooksView lists what the staff looked at.
type LooksView struct {
	Page
	ui.Form
	URL   string
	Staff string
	Days  []LookDay
	// EarlierURL leads on.
	EarlierURL string
}

// LookDay are the looks of one member of the staff on a day.
type LookDay struct {
	Day   time.Time
	Staff string
	Looks []Look
}

// Look is a matter.
type Look struct {
	Matter, URL string
	Person      string
	Reason      ui.Label
	At          time.Time
	// Parts are what was looked at, Acts what was done.
	Parts, Acts []string
	// WithheldUntil is until when the person does not read of it; zero for no time.
	// MayRelease offers to end that, and Note is then what the staff wrote down; empty for
	// nothing.
	WithheldUntil time.Time
	MayRelease    bool
	Note          string
}
